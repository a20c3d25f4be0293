"""``evocrawl serve``: serves a world over HTTP on this machine, for live crawls of any spider."""

from __future__ import annotations

import argparse
import errno
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from heapq import nlargest
from itertools import islice
from typing import Any

from evocrawl.cli.arguments import number, whole_number
from evocrawl.cli.names import COMMANDS
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
  fetch one page:
    curl -x http://127.0.0.1:{PORT} http://a.host.of.the.world/

  a web of news in which an hour takes a second, and whose responses have their latency:
    evocrawl serve news:pages=5000,seed=3 --speed 3600 --waits

{NAMES}

The proxy listens on this machine only and never sends requests to the real web: requests to
hosts outside the world get a 502 response. The proxy speaks http; it serves https addresses of the
world as http, and changes links to them to http. Exit code: 130 after Ctrl-C, 0 after SIGTERM."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "serve",
        help=COMMANDS["serve"],
        description="Serve a world behind a proxy on this machine until Ctrl-C. Any crawler that\n"
        "uses the proxy sees the world, with its robots.txt, redirects and errors.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    add_world(command)
    command.add_argument("--port", metavar="N", type=whole_number(0, 65535), default=PORT,
                         help=f"port to listen on; 0: any free port (default: {PORT})")  # fmt: skip
    command.add_argument("--waits", action="store_true",
                         help="delay each response by its latency in the world")  # fmt: skip
    command.add_argument("--speed", metavar="X", default=1.0,
                         type=number(0, "; 0 stops the time of the world"),
                         help="seconds in the world for each real second (default: 1)")  # fmt: skip


def run(asked: argparse.Namespace) -> None:
    """Serve the world until SIGTERM or KeyboardInterrupt."""
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
                allowed = "a free port that you may use; --port 0 for any free port"
                raise SettingError("--port", asked.port, allowed) from None
            raise


def welcome(world: AnsweringWorld, url: str) -> str:
    """Return instructions for crawling `world` through the proxy at `url`."""
    hosts = list(world.hosts())
    # A crawl from a page with few links may end at once.
    first = islice(AsServed(world).documents(), _LOOKED_AT)
    best = nlargest(_SHOWN_PAGES, first, key=lambda page: len(page.links))
    pages = [page.url for page in best]
    more = f" and {len(hosts) - _SHOWN_HOSTS} more" if len(hosts) > _SHOWN_HOSTS else ""
    lines = [
        f"{world.name}: {len(world)} pages, served through {url} until Ctrl-C",
        f"hosts: {', '.join(hosts[:_SHOWN_HOSTS])}{more}",
        "pages to start from:",
        *(f"  {page}" for page in pages),
    ]
    topic = next(iter(world.topics()), "")
    query = query_of(world, topic) if topic else ""
    if query:
        lines.append(f'its words are synthetic; a query for {topic}: "{query}"')
    return "\n".join(
        [
            *lines,
            "",
            "to fetch a page:",
            f"  curl -x {url} {pages[0] if pages else f'http://{hosts[0]}/'}",
            "to crawl with your spider, in its project (it needs only this variable):",
            f"  http_proxy={url} scrapy crawl SPIDER",
            "to run a focused crawl, in any folder, without the delays that a real server needs:",
            f"  http_proxy={url} SCRAPY_SETTINGS_MODULE=evocrawl.adapter.settings \\",
            f'  scrapy crawl evospider -a query="{query or "…"}" -a max_requests=500 \\',
            f'      -a seeds="{" ".join(pages)}" \\',
            "      -s DOWNLOAD_DELAY=0 -s EVOCRAWL_ROBOTS_TRIES=1 -O found.jsonl",
        ]
    )


@contextmanager
def _terminable() -> Iterator[threading.Event]:
    """Set the returned event on SIGTERM while the block runs."""
    ended = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: ended.set())
    try:
        yield ended
    finally:
        signal.signal(signal.SIGTERM, before)


def _welcome_and_wait(world: AnsweringWorld, proxy: LoopbackProxy, ended: threading.Event) -> None:
    """Print the instructions and wait for `ended`; empty the log, as the proxy may run for days."""
    requests = 0
    try:
        print(welcome(world, proxy.url), flush=True)
        while not ended.wait(_PAUSE_S):
            requests += _empty_log(proxy)
    finally:
        print(f"{requests + _empty_log(proxy)} requests answered", file=sys.stderr)


def _empty_log(proxy: LoopbackProxy) -> int:
    count = len(proxy.log)
    del proxy.log[:count]
    return count
