"""``evocrawl workers``: lists the workers of a shared crawl, or lets one of them leave."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evocrawl.cli.names import COMMANDS
from evocrawl.core.errors import StateError
from evocrawl.core.sanitize import one_line
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.keys import is_shared
from evocrawl.store.cluster.redis.worker_list import LiveWorker, WorkerList

_EPILOG = """\
examples:
  evocrawl workers "redis://db.example:6379/0?crawl=coral"
  evocrawl workers "redis://db.example:6379/0?crawl=coral" --json
  evocrawl workers "redis://db.example:6379/0?crawl=coral" --drain 3

columns:
  worker      its number in this crawl
  process     its machine and process number
  state       busy; hungry (could fetch from more hosts); idle; draining (is about to leave)
  pages       pages that it has fetched
  under way   visits under way
  unsent      results that Redis does not have yet
  hosts       hosts that it leases (of these with open links)
  lag         for how long an event in its inbox (a link, an agent) has been unread
  heartbeat   time since its last sign of life

--drain lets a worker finish what is under way, give back its hosts and its unused budget, and end
with exit code 0. Its agents and their energy are lost, the other workers take its hosts over."""

_COLUMNS = (
    "worker", "process", "state", "pages", "under way", "unsent", "hosts", "lag", "heartbeat",
)  # fmt: skip


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "workers",
        help=COMMANDS["workers"],
        description="List the live workers of a crawl in Redis, or let one of them leave.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=workers)
    command.add_argument("store", metavar="STORE", help="redis://… URL of the crawl")
    command.add_argument("--json", action="store_true", help="print JSON, with the names of hosts")
    command.add_argument("--drain", metavar="NAME", default="",
                         help="worker that has to leave: its number or its process")  # fmt: skip


def workers(asked: argparse.Namespace) -> int:
    """Print the workers, or let one of them leave."""
    if not is_shared(asked.store):
        raise StateError(
            "only a crawl in Redis has several workers: write its URL, redis://HOST[:PORT][/DB]"
        )
    archive = SharedArchive(asked.store)
    try:
        crew = WorkerList(archive)
        found = [crew.drain(asked.drain)] if asked.drain else crew.workers()
    finally:
        archive.close()
    if asked.json:
        print(json.dumps([asdict(each) for each in found], indent=2))
    elif asked.drain:
        print(f"worker {found[0].name} finishes what is under way, and leaves")
    else:
        print("\n".join(_table(found)) if found else "no worker is alive")
    return 0


def _table(found: Sequence[LiveWorker]) -> list[str]:
    """Return the lines of a table of workers; each is safe for a terminal."""
    rows = [_COLUMNS, *map(_row, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _row(worker: LiveWorker) -> tuple[str, ...]:
    return (
        worker.name, one_line(worker.process, 80), worker.state, str(worker.pages),
        str(worker.under_way), str(worker.unsent), f"{len(worker.hosts)} ({worker.open_hosts})",
        f"{worker.lag_s:.1f} s", f"{worker.heartbeat_s:.1f} s",
    )  # fmt: skip
