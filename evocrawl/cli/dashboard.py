"""``evocrawl dashboard``: shows a stored crawl in a browser, while it runs or later."""

from __future__ import annotations

import argparse
from typing import Any

from evocrawl.core.errors import StateError

_EPILOG = """\
examples:
  evocrawl dashboard coral.sqlite
  evocrawl dashboard coral.sqlite --port 8081
  EVOCRAWL_DASHBOARD_TOKEN=… evocrawl dashboard coral.sqlite --address 192.168.1.5

The command prints an address for your browser. It only reads a file: to pause, stop or steer such
a crawl, start the crawl itself with -a dashboard=8080. A crawl in Redis is paused, stopped and
steered from here, too, while its workers run.

The server answers this machine only, unless --address names another address; then every request
needs the token, which is random unless the environment variable sets it."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "dashboard",
        help="show a stored crawl in a browser, while it runs or later",
        description="Serve a dashboard of a stored crawl until Ctrl-C.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=dashboard)
    command.add_argument(
        "store", metavar="STORE", help="SQLite file of the crawl, or redis://… URL of its workers"
    )
    command.add_argument("--port", type=int, default=8080,
                         help="port to listen at, 0 for any free one (default: 8080)")  # fmt: skip
    command.add_argument("--address", default="127.0.0.1",
                         help="address to listen at (default: 127.0.0.1)")  # fmt: skip
    command.add_argument("--learnt", metavar="FILE", default="",
                         help="link model with which the crawl began")  # fmt: skip


def dashboard(asked: argparse.Namespace) -> int:
    """Serve until the process is stopped."""
    if not 0 <= asked.port <= 65535:
        raise StateError(f"--port is {asked.port}; allowed: a number from 0 to 65535")
    from evocrawl.monitor.dashboard.serving import serve

    serve(
        asked.store, asked.address, asked.port, asked.learnt,
        lambda url: print(f"dashboard of {asked.store}: {url}", flush=True),
    )  # fmt: skip
    return 0
