"""A tree of pages on loopback, and crawls of it in separate processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, not_found

ROOT = Path(__file__).resolve().parent.parent

IN_FLIGHT = 16

SETTINGS = {
    "CONCURRENT_REQUESTS": IN_FLIGHT,
    "CONCURRENT_REQUESTS_PER_DOMAIN": IN_FLIGHT,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "EVOCRAWL_PROGRESS_S": 0,
}


def name_of(number: int, hosts: int) -> str:
    """Return the host of a page: one of `hosts`, or the only one."""
    return "tree.test" if hosts == 1 else f"tree{number % hosts}.test"


def tree(pages: int, hosts: int = 1) -> Callable[[Request], Response]:
    """Return a site: page n links to pages 2n + 1 and 2n + 2, in turn on `hosts` hosts."""

    def answer(request: Request) -> Response:
        number = request.path[1:]
        if not number.isdecimal() or int(number) >= pages:
            return not_found(request)
        links = [2 * int(number) + 1, 2 * int(number) + 2]
        anchors = "".join(
            f'<p><a href="http://{name_of(n, hosts)}/{n}">coral {n}</a>' for n in links if n < pages
        )
        return Response(200, f"<html><p>coral reef {number}{anchors}".encode())

    return answer


def sites(pages: int, hosts: int) -> dict[str, Callable[[Request], Response]]:
    """Return the whole web by host."""
    return {name_of(number, hosts): tree(pages, hosts) for number in range(hosts)}


def evocrawl(
    store: str, hosts: int = 1, options: Mapping[str, object] = MappingProxyType({})
) -> list[str]:
    """Return the command line of an evocrawl crawl with its state in `store`."""
    all_options = {
        "query": "coral reef", "seeds": f"http://{name_of(0, hosts)}/0", "max_requests": 0,
        "store": store, **options,
    }  # fmt: skip
    arguments = [part for name in all_options for part in ("-a", f"{name}={all_options[name]}")]
    return ["crawl", "evospider", *arguments]


def start(
    line: list[str],
    proxy: LoopbackProxy,
    directory: Path,
    python: str = sys.executable,
    settings: Mapping[str, object] = SETTINGS,
) -> subprocess.Popen[bytes]:
    """Start a crawl; a crawl of a spider file in `directory` does not use evocrawl."""
    line_of_settings = [part for name in settings for part in ("-s", f"{name}={settings[name]}")]
    environment = {**os.environ, "http_proxy": proxy.url, "PYTHONPATH": str(ROOT)}
    where = ROOT
    if line[0] == "runspider":
        where = directory
        del environment["PYTHONPATH"]
    command = [python, "-m", "scrapy", *line, *line_of_settings]
    return subprocess.Popen(
        command, cwd=where, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
