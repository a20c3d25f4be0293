"""``evocrawl export``: writes the pages of a stored crawl to a file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evocrawl.cli.names import COMMANDS
from evocrawl.core.errors import SettingError, StateError
from evocrawl.monitor.stored_crawl import AnyArchive, open_store
from evocrawl.store.cluster.redis.keys import is_shared
from evocrawl.store.export.answered import PageFilter, all_pages, changed_since, with_answers
from evocrawl.store.export.datasheet import write_datasheet
from evocrawl.store.export.datatrove import write_datatrove
from evocrawl.store.export.markdown_folder import write_folder, write_stream
from evocrawl.store.export.page_files import WRITERS
from evocrawl.store.export.page_rights import PageRights
from evocrawl.store.export.target import Target
from evocrawl.store.export.world import write_world
from evocrawl.store.stored_page import StoredPage

_FORMATS = (*WRITERS, "markdown", "datatrove", "croissant", "warc", "world")
_ENDINGS = ("", "-wal", "-shm", "-journal", "-lock", "-lock-journal")
_DAMAGED = 1


_EPILOG = """\
examples:
  evocrawl export crawl.sqlite --out pages.jsonl
  evocrawl export jobs/birds/evocrawl.sqlite --format parquet --out birds.parquet
  evocrawl export "redis://db.example:6379/0?crawl=birds" --format csv --out birds.csv
  evocrawl export crawl.sqlite --format world --out birds-world.jsonl.gz
  evocrawl export crawl.sqlite --format markdown --out pages/
  evocrawl export tuesday.sqlite --since monday.sqlite --out news.jsonl
  evocrawl export crawl.sqlite --format croissant --data pages.jsonl --out datasheet.json
  evocrawl sim birds-world.jsonl.gz --query "bird species" --out replayed

formats:
  jsonl     one object a line, with links
  csv       for spreadsheets: no cell can run as a formula
  parquet   for data frames; pip install 'evocrawl[parquet]'
  markdown  a folder with a file for each page, or - for one text: the main text with headings,
            lists, tables, programs and links; store_bodies=true keeps what it is made of (else
            it is plain text); pip install 'evocrawl[markdown]'
  datatrove JSON lines with text, id and metadata, as datatrove reads them
  croissant a data sheet (JSON-LD): what, when, from where, licences and opt-outs that pages
            name (store_bodies=true) or servers (opt_out_files=true), near-duplicates;
            --data names the jsonl file that it describes
  warc      the responses as received; the crawl needs store_bodies=true;
            pip install 'evocrawl[warc]'
  world     for evocrawl sim: crawl the same pages with any species

The file has each page once, even if the crawl was stopped or killed. You can export a running
crawl: the file has the pages fetched so far.

The command never overwrites the files of the crawl, and other files only with --force. It names
each page that it cannot read and leaves it out; the exit code is then 1."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "export",
        help=COMMANDS["export"],
        description="Write the pages that a crawl with a store or a JOBDIR has fetched.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=export)
    command.add_argument(
        "store", metavar="STORE", help="SQLite file of the crawl, or redis://… URL of its workers"
    )
    command.add_argument(
        "--format",
        choices=_FORMATS,
        default="jsonl",
        help="file format, see below (default: jsonl)",
    )
    command.add_argument("--out", metavar="FILE", required=True,
                         help="file to write, or - for standard output")  # fmt: skip
    command.add_argument(
        "--since", metavar="STORE",
        help="export only the pages that are new or changed since this earlier crawl",
    )  # fmt: skip
    command.add_argument("--data", metavar="FILE",
                         help="JSON lines file of the pages, for the data sheet")  # fmt: skip
    command.add_argument("--force", action="store_true", help="overwrite an existing file")


def export(asked: argparse.Namespace) -> int:
    """Write the file and report its size on stderr; return 1 if an entry was unreadable, else 0."""
    _check(asked)
    is_folder = asked.format == "markdown" and asked.out != "-"
    target = None if is_folder else Target(asked.out, files_of(asked.store), force=asked.force)
    with ExitStack() as opened:
        archive = open_store(asked.store)
        opened.enter_context(archive)
        wanted: PageFilter = all_pages
        if asked.since:
            earlier = open_store(asked.since)
            opened.enter_context(earlier)
            wanted = changed_since(earlier)
        count = _write(archive, wanted, asked, target)
        unread = archive.unread
    print(f"{count} pages in {asked.out}", file=sys.stderr)
    if unread:
        print(f"evocrawl: {unread} entries could not be read, see above", file=sys.stderr)
    return _DAMAGED if unread else 0


def _check(asked: argparse.Namespace) -> None:
    """Raise SettingError for arguments that contradict each other."""
    if asked.since and asked.format in ("world", "warc"):
        raise SettingError("--format", asked.format, "another format with --since")
    if asked.data and asked.format != "croissant":
        raise SettingError("--data", asked.data, "a file with --format croissant only")


def _write(
    archive: AnyArchive, wanted: PageFilter, asked: argparse.Namespace, target: Target | None
) -> int:
    pages = (page for page in archive.pages() if wanted(page))
    if target is None:
        return write_folder(with_answers(archive, pages), asked.out, force=asked.force)
    match asked.format:
        case "world":
            return _world(archive, target)
        case "warc":
            return _warc(archive, target)
        case "markdown":
            with target.open() as file:
                return write_stream(with_answers(archive, pages), file)
        case "datatrove":
            with target.open() as file:
                return write_datatrove(with_answers(archive, pages), PageRights(archive), file)
        case "croissant":
            data = Path(asked.data) if asked.data else None
            with target.open() as file:
                answered = with_answers(archive, pages)
                rights = PageRights(archive)
                return write_datasheet(answered, archive.about(), rights, file, data)
        case _:
            return _pages(pages, asked.format, target)


def files_of(store: str) -> tuple[Path, ...]:
    """Return the files that a crawl may use, whether they exist or not."""
    if is_shared(store):
        return ()
    real = Path(os.path.realpath(store))
    return tuple(real.with_name(f"{real.name}{ending}") for ending in _ENDINGS)


def _pages(pages: Iterator[StoredPage], format_: str, target: Target) -> int:
    count = 0

    def counted() -> Iterator[StoredPage]:
        nonlocal count
        for page in pages:
            count += 1
            yield page

    try:
        with target.open() as file:
            WRITERS[format_](counted(), file)
    except ImportError as error:
        raise StateError(f"{format_} needs pip install 'evocrawl[parquet]' ({error})") from error
    return count


def _world(archive: AnyArchive, target: Target) -> int:
    with target.open() as file:
        write_world(archive, file, target.path.name)
    return len(archive)


def _warc(archive: AnyArchive, target: Target) -> int:
    if next(archive.answers(), None) is None:
        raise StateError(
            f"{archive.path}: the crawl stored no responses; crawl with store_bodies=true"
        )
    try:
        from evocrawl.store.export.warc import write_warc
    except ImportError as error:
        raise StateError(f"WARC needs pip install 'evocrawl[warc]' ({error})") from error
    software = f"evocrawl/{version('evocrawl')}"
    with target.open() as file:
        return write_warc(archive.answers(), file, target.path.name, software)
