"""``evocrawl compare``: compares species by directories of results, or two stored crawls."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evocrawl.cli.arguments import some_path
from evocrawl.cli.names import COMMANDS
from evocrawl.cli.output import show, write_report
from evocrawl.core.sanitize import one_line
from evocrawl.monitor.stored_crawl import open_store
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.evaluation.results import read_results
from evocrawl.store.cluster.redis.keys import is_shared
from evocrawl.store.export.changes import Changes, changes_between

_EPILOG = """\
examples:
  evocrawl compare birds                          every species with the best
  evocrawl compare birds --against best_first     every species with a baseline
  evocrawl compare birds peers --measure recall_at_T --start search
  evocrawl compare gain4 gain8 --by-directory     one species with two settings
  evocrawl compare monday.sqlite tuesday.sqlite   new, changed and missing pages of two crawls

The intervals come from a paired bootstrap over topics, then seeds. "better" means that the
difference for the same topic, start and seed is above zero in the middle 95 % of the resamples.
A topic is won, tied or lost by its mean. See docs/explanation/measures.md."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "compare",
        help=COMMANDS["compare"],
        description="Compare the species of one or more directories of results, with intervals;\n"
        "or the pages of two stored crawls, the earlier one first.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    command.add_argument(
        "directories", metavar="DIR|STORE", nargs="+",
        help="directory with runs.jsonl or results.json; or the stores of two crawls",
    )  # fmt: skip
    command.add_argument("--format", choices=("text", "json"), default="text",
                         help="of the comparison of two stores (default: text)")  # fmt: skip
    command.add_argument("--measure", default="",
                         help="numeric field of the runs (default: recall_auc)")  # fmt: skip
    command.add_argument("--against", metavar="SPECIES", default="",
                         help="species to compare with (default: the best)")  # fmt: skip
    command.add_argument("--start", default="", help="compare only runs from this start")
    command.add_argument("--by-directory", action="store_true",
                         help="put the directory's name before that of the species")  # fmt: skip
    command.add_argument("--out", metavar="DIR", type=some_path,
                         help="folder for the table, plots and report.html")  # fmt: skip


def run(asked: argparse.Namespace) -> int:
    """Print the tables, and write the report if --out is given; or compare two stores.

    Return 1 if an entry of a store was unreadable, else 0.
    """
    given = asked.directories
    if len(given) == 2 and any(is_shared(each) or Path(each).is_file() for each in given):
        return _compare_stores(given, asked.format)
    rows: list[Row] = []
    for directory in map(Path, given):
        for row in read_results(directory):
            if asked.by_directory:
                row["species"] = f"{directory.name}/{row['species']}"
            if asked.start in ("", str(row.get("start", ""))):
                rows.append(row)
    options = {"measure": asked.measure, "against": asked.against}
    show(rows, **options)
    if asked.out:
        write_report(rows, asked.out, **options)
    return 0


def _compare_stores(stores: list[str], format_: str) -> int:
    """Print the pages that are new, changed or missing in the second crawl."""
    with open_store(stores[0]) as earlier, open_store(stores[1]) as later:
        queries = [str(each.about().get("query", "")) for each in (earlier, later)]
        found = changes_between(earlier, later)
        unread = earlier.unread + later.unread
    if queries[0] != queries[1]:
        print(
            f"evocrawl: the queries differ: {one_line(queries[0])!r} and {one_line(queries[1])!r}; "
            "a page may be new or gone for that reason alone",
            file=sys.stderr,
        )
    if unread:
        print(
            f"evocrawl: {unread} entries could not be read, see above; their pages may be named as "
            "gone or new",
            file=sys.stderr,
        )
    if format_ == "json":
        print(json.dumps(asdict(found), indent=2))
    else:
        for kind in ("new", "changed", "gone"):
            for url in getattr(found, kind):
                print(f"{kind:8} {one_line(url, 2000)}")
        print(_sum(found))
    return 1 if unread else 0


def _sum(found: Changes) -> str:
    new, changed, gone = len(found.new), len(found.changed), len(found.gone)
    return f"{new} new, {changed} changed, {gone} gone, {found.same} the same"
