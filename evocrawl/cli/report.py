"""``evocrawl report``: writes a report of one stored crawl, or of two side by side."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from evocrawl.cli.names import COMMANDS
from evocrawl.core.errors import StateError

_FORMATS = {"html": ".html", "md": ".md", "json": ".json"}

_EPILOG = """\
examples:
  evocrawl report coral.sqlite
  evocrawl report coral.sqlite --out coral.md
  evocrawl report coral.sqlite reefs.sqlite --out both.html

The report has a summary, curves, the best pages, the family tree of the agents, hosts, costs,
settings, and the command that makes the crawl again. With two crawls it shows them side by side,
with the pages that only one of them found.

The HTML file is complete in itself: it has no script and loads nothing from the network."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "report",
        help=COMMANDS["report"],
        description="Write a report of a stored crawl as HTML, Markdown or JSON.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=report)
    command.add_argument(
        "stores", metavar="STORE", nargs="+", help="SQLite file of a crawl, or redis://… URL"
    )
    command.add_argument(
        "--out", metavar="FILE", default="report.html",
        help="file to write, or - for standard output (default: report.html)",
    )  # fmt: skip
    command.add_argument(
        "--format", choices=tuple(_FORMATS), help="default: by the ending of FILE, else html"
    )
    command.add_argument(
        "--pages", metavar="N", type=int, default=500, help="best pages to list (default: 500)"
    )
    command.add_argument("--learnt", metavar="FILE", default="",
                         help="link model with which the crawls began")  # fmt: skip
    command.add_argument("--force", action="store_true", help="overwrite an existing file")


def report(asked: argparse.Namespace) -> int:
    """Write the report."""
    if len(asked.stores) > 2:
        raise StateError(f"report compares two crawls at most, and {len(asked.stores)} were given")
    if asked.pages < 1:
        raise StateError(f"--pages is {asked.pages}; allowed: a number from 1")
    from evocrawl.cli.export import files_of
    from evocrawl.monitor.report.content import comparison, content
    from evocrawl.monitor.stored_record import stored_record
    from evocrawl.store.export.target import Target

    kept = tuple(path for store in asked.stores for path in files_of(store))
    target = Target(asked.out, kept, force=asked.force)
    crawls = [stored_record(store, learnt=asked.learnt) for store in asked.stores]
    found = (
        content(crawls[0], asked.pages)
        if len(crawls) == 1
        else comparison(crawls[0], crawls[1], asked.pages)
    )
    written = _written(found, asked.format or _format_of(asked.out), is_one=len(crawls) == 1)
    with target.open() as file:
        file.write(written)
    if asked.out != "-":
        print(f"report in {asked.out}", file=sys.stderr)
    return 0


def _format_of(out: str) -> str:
    return next((name for name, end in _FORMATS.items() if out.lower().endswith(end)), "html")


def _written(found: dict[str, Any], format_: str, *, is_one: bool) -> bytes:
    if format_ == "json":
        return (json.dumps(found, indent=2, allow_nan=False) + "\n").encode("ascii")
    if format_ == "md":
        from evocrawl.monitor.report.markdown import comparison_markdown, report_markdown

        return report_markdown(found) if is_one else comparison_markdown(found)
    from evocrawl.monitor.report.html import comparison_html, report_html

    return report_html(found) if is_one else comparison_html(found)
