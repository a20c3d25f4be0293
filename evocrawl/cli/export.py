"""``evocrawl export``: the pages of a crawl that keeps its state, as a file."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evocrawl.errors import StateError
from evocrawl.report.page_files import WRITERS
from evocrawl.simulation.stored import write_world
from evocrawl.store.archive import Archive
from evocrawl.store.shared.archive import SharedArchive
from evocrawl.store.shared.layout import is_shared

_FORMATS = (*WRITERS, "warc", "world")

_EPILOG = """\
examples:
  evocrawl export crawl.sqlite --out pages.jsonl
  evocrawl export jobs/birds/evocrawl.sqlite --format parquet --out birds.parquet
  evocrawl export "redis://db.example:6379/0?crawl=birds" --format csv --out birds.csv
  evocrawl export crawl.sqlite --format world --out birds-world.jsonl.gz
  evocrawl sim birds-world.jsonl.gz --query "bird species" --out replayed

formats:
  jsonl     one object a line, with links
  csv       for spreadsheets: no cell is taken for a formula
  parquet   for data frames; pip install 'evocrawl[parquet]'
  warc      the answers as they came; the crawl needs store_bodies=true;
            pip install 'evocrawl[warc]'
  world     for evocrawl sim: the same pages under any other policy

A page is in the file once, however often the crawl was stopped or killed. A crawl that runs may
be exported too: the file has the pages of that moment."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "export",
        help="write the pages of a stored crawl to a file",
        description="Write the pages that a crawl with a store or a JOBDIR has fetched.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=export)
    command.add_argument(
        "store", metavar="STORE", help="the crawl's SQLite file, or the redis://… of its workers"
    )
    command.add_argument("--format", choices=_FORMATS, default="jsonl", help="see below (jsonl)")
    command.add_argument("--out", metavar="FILE", type=Path, required=True,
                         help="the file to write")  # fmt: skip


def export(asked: argparse.Namespace) -> None:
    """Write the file; say on stderr what is in it."""
    with _opened(asked.store) as archive:
        count = len(archive)
        if asked.format == "world":
            write_world(archive, asked.out)
        elif asked.format == "warc":
            count = _warc(archive, asked.out)
        else:
            _pages(archive, asked.format, asked.out)
    print(f"{count} pages in {asked.out}", file=sys.stderr)


def _opened(store: str) -> Archive | SharedArchive:
    return SharedArchive(store) if is_shared(store) else Archive(store)


def _pages(archive: Archive | SharedArchive, format_: str, out: Path) -> None:
    try:
        WRITERS[format_](archive.pages(), out)
    except ImportError as error:
        raise StateError(f"{format_} needs pip install 'evocrawl[parquet]' ({error})") from error


def _warc(archive: Archive | SharedArchive, out: Path) -> int:
    if next(archive.answers(), None) is None:
        raise StateError(f"{archive.path}: no answers are kept; crawl with store_bodies=true")
    try:
        from evocrawl.report.warc import write_warc
    except ImportError as error:
        raise StateError(f"WARC needs pip install 'evocrawl[warc]' ({error})") from error
    return write_warc(archive.answers(), out, f"evocrawl/{version('evocrawl')}")
