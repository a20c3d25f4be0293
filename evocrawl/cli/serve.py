"""``evocrawl serve``: a world as HTTP on this machine, for live crawls and anyone's own spider."""

from __future__ import annotations

import argparse
import errno
import math
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from heapq import nlargest
from itertools import islice
from typing import Any

from evocrawl.cli.world_argument import NAMES, add_world, identified
from evocrawl.core.errors import SettingError
from evocrawl.simulation.server.proxy import LoopbackProxy
from evocrawl.simulation.server.world_server import AsServed, serve
from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.made_up.spec import query_of
from evocrawl.simulation.worlds.registry import open_world

PORT = 8888
_SHOWN_HOSTS, _SHOWN_PAGES, _LOOKED_AT = 5, 3, 300
_PAUSE_S = 0.5
_TAKEN = (errno.EADDRINUSE, errno.EACCES)

_EPILOG = f"""\
examples:
  in one terminal:
    evocrawl serve pages.jsonl.gz
  in another, in any Scrapy project (evocrawl's own or yours):
    http_proxy=http://127.0.0.1:{PORT} scrapy crawl SPIDER
  (Scrapy's HttpProxyMiddleware, on by default, reads the variable; no_proxy must not name a host)
  and for a look:
    curl -x http://127.0.0.1:{PORT} http://a.host.of.the.world/

  a web whose news come an hour a second, and whose answers take their time:
    evocrawl serve news:pages=5000,seed=3 --speed 3600 --waits

{NAMES}

The proxy listens on this machine alone and never asks the real web: hosts that are not of the
world answer 502. It speaks http; https addresses of the world are served, and linked to, as http.
Ctrl-C ends it with exit code 130, SIGTERM with 0."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "serve",
        help="serve a world over HTTP, for live crawls and your own spider",
        description="Serve a world behind a proxy on this machine until Ctrl-C. Whatever crawler\n"
        "is told to use the proxy sees that web, with its robots.txt, redirects and errors.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    add_world(command)
    command.add_argument("--port", metavar="N", type=_port, default=PORT,
                         help=f"where to listen; 0 takes a free port (default {PORT})")  # fmt: skip
    command.add_argument("--waits", action="store_true",
                         help="let answers take the seconds they take in the world")  # fmt: skip
    command.add_argument("--speed", metavar="X", type=_speed, default=1.0,
                         help="seconds of a changing world in one of ours (default 1)")  # fmt: skip


def run(asked: argparse.Namespace) -> None:
    """Serve until SIGTERM, or until KeyboardInterrupt is raised."""
    identified(asked.world)
    world = open_world(asked.world)
    began_s = time.monotonic()
    proxy = serve(
        world,
        asked.port,
        clock=lambda: (time.monotonic() - began_s) * asked.speed,
        waits=asked.waits,
    )
    with _terminable() as ended:
        try:
            with proxy:
                _welcome_and_wait(world, proxy, ended)
        except OSError as error:
            if error.errno in _TAKEN:
                allowed = "a port that is free and that you may use; --port 0 takes one"
                raise SettingError("--port", asked.port, allowed) from None
            raise


def welcome(world: AnsweringWorld, url: str) -> str:
    """Return what a user must know to crawl `world` through the proxy at `url`."""
    hosts = list(world.hosts())
    # From a page with few links a crawl may get nowhere.
    first = islice(AsServed(world).documents(), _LOOKED_AT)
    best = nlargest(_SHOWN_PAGES, first, key=lambda page: len(page.links))
    pages = [page.url for page in best]
    more = f" and {len(hosts) - _SHOWN_HOSTS} more" if len(hosts) > _SHOWN_HOSTS else ""
    lines = [
        f"{world.name}: {len(world)} pages, served through {url} until Ctrl-C",
        f"hosts: {', '.join(hosts[:_SHOWN_HOSTS])}{more}",
        "pages to begin with:",
        *(f"  {page}" for page in pages),
    ]
    topic = next(iter(world.topics()), "")
    query = query_of(world, topic) if topic else ""
    if query:
        lines.append(f'its words are made up; a query for {topic}: "{query}"')
    return "\n".join(
        [
            *lines,
            "",
            "a look at a page:",
            f"  curl -x {url} {pages[0] if pages else f'http://{hosts[0]}/'}",
            "a crawl by your spider, in its project (the variable is all that it needs):",
            f"  http_proxy={url} scrapy crawl SPIDER",
            "a focused crawl, anywhere, without the politeness that a stranger's server is owed:",
            f"  http_proxy={url} SCRAPY_SETTINGS_MODULE=evocrawl.adapter.settings \\",
            f'  scrapy crawl evospider -a query="{query or "…"}" -a max_requests=500 \\',
            f'      -a seeds="{" ".join(pages)}" \\',
            "      -s DOWNLOAD_DELAY=0 -s EVOCRAWL_ROBOTS_TRIES=1 -O found.jsonl",
        ]
    )


@contextmanager
def _terminable() -> Iterator[threading.Event]:
    """Turn SIGTERM into an event while the block lasts."""
    ended = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: ended.set())
    try:
        yield ended
    finally:
        signal.signal(signal.SIGTERM, before)


def _welcome_and_wait(world: AnsweringWorld, proxy: LoopbackProxy, ended: threading.Event) -> None:
    """Wait for the event; forget what was asked, for the proxy may run for days."""
    requests = 0
    try:
        print(welcome(world, proxy.url), flush=True)
        while not ended.wait(_PAUSE_S):
            requests += _forget(proxy)
    finally:
        print(f"{requests + _forget(proxy)} requests answered", file=sys.stderr)


def _forget(proxy: LoopbackProxy) -> int:
    count = len(proxy.log)
    del proxy.log[:count]
    return count


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is a whole number from 0 to 65535")
    return port


def _speed(text: str) -> float:
    speed = float(text)
    if not 0 <= speed < math.inf:
        raise argparse.ArgumentTypeError("a number from 0; 0 stops the world's time")
    return speed
