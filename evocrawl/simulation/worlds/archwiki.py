"""The history of a wiki as a mirror has it: when each page appeared, changed, vanished.

``{"url": U, "changes": [[unix_time, "A" | "M" | "D", size, added, removed, new_links, gone], …]}``

What is known is that a page changed, how much, and which links are new; the new text itself is
not. So a changed page gets a line that tells its revision (to the eye of a freshness measure it
is new), links that are new come behind the others, links that went stay, and a page that appears
has its name for a text.
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
"""When the pages of the ArchWiki world were what its world file says, in Unix seconds."""


def read_history(
    path: str | Path, redirects: str | Path | None = None, start: float = START
) -> Iterator[Change]:
    """Yield the changes of a wiki whose world file is of `start` (Unix seconds).

    `redirects` is a JSON object from address to address: such a page redirects from the last
    change of it that brought content. Raises WorldError or OSError.
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
                raise fields.fail(f"changes[{place}]", f"is no change: {error}") from None


def _change(line: int, url: str, row: list[Any], start: float, moved: str | None) -> Change:
    time, kind = float(row[0]), row[1]
    at_s = time - start
    if kind == "D":
        return Change(at_s, Record(line, url, status=404))
    if kind not in ("A", "M"):
        raise ValueError("the kind must be A, M or D")
    if moved is not None:  # what redirected at the beginning is no page of the world file
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
        raise WorldError(path, 0, "", f"no JSON: {error}") from None
    if not isinstance(redirects, dict) or not all(isinstance(v, str) for v in redirects.values()):
        raise WorldError(path, 0, "", "must be an object from address to address")
    return redirects
