"""Reads the history of a wiki from a mirror: when each page appeared, changed and vanished.

``{"url": U, "changes": [[unix_time, "A" | "M" | "D", size, added, removed, new_links, gone], …]}``

The file contains that a page changed, by how much, and its new links, but not the new text. So a
changed page gets a line with its revision (which makes it new for measures of freshness). New links
come after the others, removed links stay, and the text of a page that appears is its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from evocrawl.simulation.worlds.changing import Change
from evocrawl.simulation.worlds.packed_links import Words
from evocrawl.simulation.worlds.world_file import Fields, Record, WorldError, read_lines

START = datetime(2018, 1, 1, tzinfo=UTC).timestamp()
"""Time of the pages in the world file of the ArchWiki, in Unix seconds."""


def read_history(
    path: str | Path, redirects: str | Path | None = None, start: float = START
) -> Iterator[Change]:
    """Yield the changes of a wiki whose world file dates from `start` (Unix seconds).

    `redirects` is a JSON object that maps addresses to addresses: such a page redirects after its
    last change with content. Raises WorldError or OSError.
    """
    moved = {} if redirects is None else _read_redirects(redirects)
    for number, row in read_lines(path):
        fields = Fields(path, number, row)
        url = fields.url("url")
        rows = row.get("changes")
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            raise fields.fail("changes", "must be a list of lists")
        last = max((place for place, row in enumerate(rows) if row[1:2] != ["D"]), default=-1)
        for place, change in enumerate(rows):
            try:
                target = moved.get(url) if place == last else None
                yield _change(number, url, change, start, target)
            except (TypeError, ValueError, IndexError, OverflowError, OSError) as error:
                raise fields.fail(f"changes[{place}]", f"is not a change: {error}") from None


def _change(line: int, url: str, row: list[Any], start: float, moved: str | None) -> Change:
    time, kind = float(row[0]), row[1]
    at_s = time - start
    if kind == "D":
        return Change(at_s, Record(line, url, status=404))
    if kind not in ("A", "M"):
        raise ValueError("the kind must be A, M or D")
    if moved is not None:  # a page that redirected at time 0 is not in the world file
        return Change(max(at_s, 0.0), Record(line, url, status=200, redirect_to=moved))
    day = datetime.fromtimestamp(time, UTC).isoformat(" ", "minutes")
    revision = f"Revision of {day}: {int(row[3])} characters added, {int(row[4])} removed."
    if kind == "A":
        name = unquote(urlsplit(url).path.rpartition("/")[2]).replace("_", " ")
        record = Record(line, url, title=name, text=name, lang="en", status=200)
        return Change(at_s, record, revision)
    links = row[5] if isinstance(row[5], list) else []
    return Change(at_s, Record(line, url), revision, tuple(Words(str(link)) for link in links))


def _read_redirects(path: str | Path) -> Mapping[str, str]:
    try:
        with open(path, encoding="utf-8") as file:
            redirects = json.load(file)
    except ValueError as error:
        raise WorldError(path, 0, "", f"not JSON: {error}") from None
    if not isinstance(redirects, dict) or not all(isinstance(v, str) for v in redirects.values()):
        raise WorldError(path, 0, "", "must be an object that maps addresses to addresses")
    return redirects
