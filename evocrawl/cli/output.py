"""Prints tables of results and writes reports."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.evaluation.results import ResultsError, write_atomically
from evocrawl.simulation.evaluation.table import (
    PRIMARY,
    WITHOUT_LABELS,
    Standing,
    markdown,
    standings,
)

TABLE = "table.md"

_Found = tuple[str, list[Standing], str]
"""Title, standings and Markdown of one table."""


def show(rows: Sequence[Row], *, measure: str = "", against: str = "") -> None:
    """Print the table of each start."""
    for title, _, text in tables(rows, measure=measure, against=against):
        print(f"{title}\n\n{text}")


def write_report(
    rows: Sequence[Row], directory: Path, *, plots: bool = True, **options: str
) -> None:
    """Write the tables of `rows` to `directory`; with `plots` also PNG files and report.html."""
    directory.mkdir(parents=True, exist_ok=True)
    found = tables(rows, **options)
    text = "\n".join(f"## {title}\n\n{table}" for title, _, table in found)
    write_atomically(directory / TABLE, text)
    if plots:
        _draw(rows, directory, found)


def _draw(rows: Sequence[Row], directory: Path, found: Sequence[_Found]) -> None:
    try:
        from evocrawl.simulation.evaluation.plots import draw_html, draw_pngs

        draw_pngs(rows, directory)
        draw_html(rows, directory / "report.html", "Crawls compared",
                  [row for title, table, _ in found for row in _cells(title, table)])  # fmt: skip
    except ImportError as error:
        print(f"no plots: {error}; pip install 'evocrawl[sim]'", file=sys.stderr)


def tables(rows: Sequence[Row], *, measure: str = "", against: str = "") -> list[_Found]:
    """Return title, standings and Markdown for each kind of run and each start.

    `measure` defaults to the primary measure for runs with labels, and to a measure of the words of
    the pages for runs without. Raises ResultsError if there are no runs.
    """
    found = []
    for labelled, default in ((True, PRIMARY), (False, WITHOUT_LABELS)):
        chosen = measure or default
        group = [row for row in rows if (row["topic"] is not None) == labelled]
        for name in sorted({str(row.get("start", "")) for row in group}):
            here = [row for row in group if str(row.get("start", "")) == name]
            table = standings(here, measure=chosen, against=against)
            title = f"{chosen}, start {name or 'unknown'}, {table[0].topics} topics"
            found.append((title, table, markdown(table, chosen)))
    if not found:
        raise ResultsError("no runs to compare")
    return found


def _cells(title: str, table: Sequence[Standing]) -> list[list[str]]:
    rows = [[title, "mean [95 %]", "difference to the first compared [95 %]", "won / tied / lost"]]
    for each in table:
        found = each.against
        counts = f"{found.wins} / {found.ties} / {found.losses}" if found else ""
        rows.append([each.species, str(each.mean), str(found.interval) if found else "", counts])
    return rows
