"""Compares crawls with and without a browser: pages with text, requests, time and memory.

    python benchmarks/browser.py [--pages 200] [--sites plain mix app] [--modes never auto always]
    python benchmarks/browser.py --leaks [--pages 1000] [--browser-pages 4] [--timeout-s 20]

A server on loopback has a start page and lists of 20 articles each. On the site "plain" the HTML of
each page has its text; on "mix" each second article is the shell of an app, which gets text and
links by a script and `fetch`; on "app" all pages are shells. Each site is crawled to its end by
`evospider` with each value of `browser`, one crawl after the other, each in a process of its own.

The processor time of Chromium includes that of its processes that have ended; Playwright's driver
(Node.js) counts with it. Processes are looked at four times a second. Memory is the proportional
set size (PSS: a part of memory that several processes share counts once), at its peak.

`--leaks` crawls the app with `browser=auto`. One page in 25 is awkward as well: its script opens a
window, shows a dialog, begins a worker, a timer or a socket, keeps much memory, or never ends. Each
row is a tenth of the crawl: pages and contexts that Chromium has open just then (by the DevTools
protocol) and that Playwright's client knows, all of the client's objects, tasks of the event loop,
open files, and the mean memory in that tenth. The last row is the end of the crawl.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, not_found  # noqa: E402

QUERY = "coral bleaching"
START = "http://app.test/"
IN_A_LIST = 20
EVERY_S = 0.25
SITES: dict[str, Callable[[str], bool]] = {
    "plain": lambda _: False,
    "mix": lambda path: path.startswith("/articles/") and int(path.rpartition("/")[2]) % 2 == 1,
    "app": lambda _: True,
}
"""By the name of a site: which paths have shells."""
_WORDS = ["coral", "reef", "bleaching", "sea", "warm", *(f"word{number}" for number in range(500))]
_SHELL = """<!doctype html><html lang=en><head><title>Reefs</title>
<script src=/app.js defer></script></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>
</body></html>"""
_APP = """
(async () => {
  const answer = await fetch('/api' + location.pathname);
  const {title, html, script} = await answer.json();
  document.title = title;
  document.getElementById('root').innerHTML = html;
  new Function(script)();
})();
"""
AWKWARD = {
    "window": "window.open('/articles/0'); window.open('about:blank');",
    "dialog": "setTimeout(() => alert('Cookies?'), 50); onbeforeunload = () => 'Stay?';",
    "worker": "new Worker(URL.createObjectURL(new Blob(['setInterval(() => 1, 10)'])));",
    "timer": "setInterval(() => fetch('/api/articles/0'), 300);",
    "socket": "new WebSocket('ws://app.test/s'); new EventSource('/s');"
    "document.body.append(document.createElement('iframe'));",
    "memory": "window.kept = new Uint8Array(80e6).fill(1);"
    "for (let n = 0; n < 3e4; n++) document.body.append(document.createElement('i'));",
    "endless": "for (;;) {}",
}
_EVERY_AWKWARD = 25
_GROUPS = ("crawl", "driver", "Chromium")


class Web:
    """The pages of a site by path; shells and data of the app are made of the same parts."""

    def __init__(self, pages: int, is_shell: Callable[[str], bool], *, awkward: bool) -> None:
        self._pages = pages
        self._is_shell = is_shell
        self._awkward = awkward

    def answer(self, request: Request) -> Response:
        path = request.path
        if path == "/app.js":
            return Response(200, _APP.encode(), {"content-type": "text/javascript"})
        is_data = path.startswith("/api/")
        page = self._page(path.removeprefix("/api"))
        if page is None:
            return not_found(request)
        title, html, script = page
        if is_data:
            body = json.dumps({"title": title, "html": html, "script": script})
            return Response(200, body.encode(), {"content-type": "application/json"})
        if not self._is_shell(path):
            body = f"<html lang=en><title>{title}</title><body>{html}</body></html>"
            return Response(200, body.encode())
        return Response(200, _SHELL.encode())

    def _page(self, path: str) -> tuple[str, str, str] | None:
        """Return title, HTML and a further script of a page; None if there is no such page."""
        folder, _, name = path[1:].rpartition("/")
        lists = -(-self._pages // IN_A_LIST)
        if path == "/":
            return f"All about {QUERY}", _html(0, [f"/lists/{each}" for each in range(lists)]), ""
        number = int(name) if name.isdecimal() else -1
        if folder == "lists" and 0 <= number < lists:
            first = number * IN_A_LIST
            within = range(first, min(first + IN_A_LIST, self._pages))
            return f"List {number}", _html(-number, [f"/articles/{each}" for each in within]), ""
        if folder == "articles" and 0 <= number < self._pages:
            return f"Reef {number}", _html(number + 1, ["/"]), self._script(number)
        return None

    def _script(self, number: int) -> str:
        if not self._awkward or number % _EVERY_AWKWARD != _EVERY_AWKWARD - 1:
            return ""
        return list(AWKWARD.values())[number // _EVERY_AWKWARD % len(AWKWARD)]


def _html(number: int, links: list[str]) -> str:
    """Return a paragraph of about a hundred words, and links."""
    chance = random.Random(number)
    words = [f"the {QUERY} of the {' '.join(chance.choices(_WORDS, k=5))}" for _ in range(12)]
    anchors = "".join(f'<li><a href="{each}">{QUERY}: {each}</a></li>' for each in links)
    text = f"The {QUERY} of reef {number}: {', '.join(words)}."
    return f"<h1>About {QUERY}</h1><p>{text}</p><ul>{anchors}</ul>"


class Watch:
    """Extension: writes a line of JSON for each `WATCH_EVERY` pages, and one at the end."""

    def __init__(self, crawler: Any) -> None:
        from scrapy import signals

        self._crawler = crawler
        self._every = crawler.settings.getint("WATCH_EVERY")
        self._file = Path(crawler.settings["WATCH_FILE"])
        self._pages = self._texts = 0
        self._writing: set[asyncio.Task[None]] = set()
        crawler.signals.connect(self._scraped, signals.item_scraped)
        crawler.signals.connect(self._write, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        return cls(crawler)

    def _scraped(self, item: Any) -> None:
        self._pages += 1
        self._texts += bool(item.text)
        if self._pages % self._every == 0:
            task = asyncio.ensure_future(self._write())
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    async def _write(self) -> None:
        line = {
            "pages": self._pages,
            "texts": self._texts,
            "tasks": len(asyncio.all_tasks()),
            "files": len(os.listdir("/proc/self/fd")),
            "modules": sorted({each.partition(".")[0] for each in sys.modules}),
            **await self._of_browser(),
        }
        with self._file.open("a") as file:
            file.write(json.dumps(line) + "\n")

    async def _of_browser(self) -> dict[str, int]:
        """Return how many pages, contexts and objects the browser and its client have."""
        from evocrawl.middlewares.browser import BrowserMiddleware

        middleware = self._crawler.get_downloader_middleware(BrowserMiddleware)
        handler = middleware and middleware._renderer._handler
        browser = getattr(handler, "browser", None)
        if browser is None:
            return {}
        session = await browser.new_browser_cdp_session()
        targets = (await session.send("Target.getTargets"))["targetInfos"]
        contexts = (await session.send("Target.getBrowserContexts"))["browserContextIds"]
        await session.detach()
        return {
            "targets": sum(each["type"] == "page" for each in targets),
            "contexts": len(contexts),
            "known_pages": sum(len(each.pages) for each in browser.contexts),
            "known_contexts": len(browser.contexts),
            "objects": len(browser._impl_obj._connection._objects),
        }


class Sampler(threading.Thread):
    """Looks at the processes of a crawl: seconds of processor time, and bytes of memory."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._root = psutil.Process(pid)
        self._ended = threading.Event()
        self.cpu_s = dict.fromkeys(_GROUPS, 0.0)
        self.peak_bytes = dict.fromkeys(_GROUPS, 0)
        self._summed = dict.fromkeys(_GROUPS, 0)
        self._samples = 0

    def run(self) -> None:
        while not self._ended.wait(EVERY_S):
            with suppress(psutil.Error):
                self._look()

    def end(self) -> None:
        self._ended.set()
        self.join()

    def mean_mb(self) -> dict[str, float]:
        """Return the mean memory since the last call, in MB."""
        means = {name: self._summed[name] / max(self._samples, 1) / 1e6 for name in _GROUPS}
        self._summed, self._samples = dict.fromkeys(_GROUPS, 0), 0
        return means

    def _look(self) -> None:
        cpu_s, memory = dict.fromkeys(_GROUPS, 0.0), dict.fromkeys(_GROUPS, 0)
        for process in (self._root, *self._root.children(recursive=True)):
            with suppress(psutil.Error, OSError):
                group = self._group(process)
                times = process.cpu_times()
                used_s = times.user + times.system
                if group == "Chromium":  # those of its processes that have ended, too
                    used_s += times.children_user + times.children_system
                bytes_ = _pss_bytes(process.pid)
                cpu_s[group] += used_s
                memory[group] += bytes_
        for name in _GROUPS:
            self.cpu_s[name] = max(self.cpu_s[name], cpu_s[name])
            self.peak_bytes[name] = max(self.peak_bytes[name], memory[name])
            self._summed[name] += memory[name]
        self._samples += 1

    def _group(self, process: psutil.Process) -> str:
        line = process.cmdline()
        if process == self._root or not line:
            return "crawl"
        if "run-driver" in line:
            return "driver"
        return "Chromium" if "chrom" in line[0] else "crawl"


def _pss_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return 1024 * int(line.split()[1])
    return 0


def crawl(
    web: Web, mode: str, budget: int, every: int, folder: Path, options: dict[str, object]
) -> Iterator[tuple[dict[str, Any], Sampler]]:
    """Crawl in a process of its own; yield each line of `Watch`, and last the stats."""
    watched, stats = folder / "watch.jsonl", folder / "stats.json"
    settings = {
        "EXTENSIONS": json.dumps({"benchmarks.browser.Watch": 1}),
        "WATCH_FILE": watched,
        "WATCH_EVERY": every,
        "EVOCRAWL_STATS_FILE": stats,
        "EVOCRAWL_PROGRESS_S": 0,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "LOG_LEVEL": "ERROR",
        "LOG_FILE": folder / "log",
    }
    options = {"query": QUERY, "seeds": START, "browser": mode, "max_requests": budget, **options}
    line = [sys.executable, "-m", "scrapy", "crawl", "evospider"]
    line += [f"-s{name}={value}" for name, value in settings.items()]
    line += [part for name in options for part in ("-a", f"{name}={options[name]}")]
    with LoopbackProxy({"app.test": web.answer}) as proxy:
        environment = {**os.environ, "http_proxy": proxy.url, "PYTHONPATH": str(ROOT)}
        began_s, shown = time.monotonic(), 0
        process = subprocess.Popen(line, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
        sampler = Sampler(process.pid)
        sampler.start()
        is_over = False
        while not is_over:
            is_over = process.poll() is not None
            lines = watched.read_text().splitlines() if watched.exists() else []
            for row in map(json.loads, lines[shown:]):
                yield {**row, "seconds": time.monotonic() - began_s}, sampler
            shown = len(lines)
            time.sleep(0.1)
        seconds = time.monotonic() - began_s
        sampler.end()
        requests = len(proxy.log)
    found = {**json.loads(stats.read_text()), "seconds": seconds, "asked": requests}
    found["errors"] = (folder / "log").read_text().splitlines()
    yield {**row, "stats": found}, sampler


def compare(given: argparse.Namespace) -> None:
    """Crawl each site in each mode."""
    print(
        "| site | `browser` | pages | with text | requests | opened in the browser | seconds "
        "| CPU, crawl, s | CPU, browser, s | memory, crawl, MB | memory, browser, MB |"
    )
    print("| --- | --- |" + " ---: |" * 9)
    for site in given.sites:
        for mode in given.modes:
            web = Web(given.pages, SITES[site], awkward=False)
            with tempfile.TemporaryDirectory() as folder:
                budget = 5 * given.pages
                options = {
                    "browser_pages": given.browser_pages,
                    "browser_timeout_s": given.timeout_s,
                }
                *_, (row, used) = crawl(web, mode, budget, 10**9, Path(folder), options)
            stats = row["stats"]
            peak, cpu_s = used.peak_bytes, used.cpu_s
            print(
                f"| {site} | `{mode}` | {row['pages']} | {row['texts']} | {stats['asked']} "
                f"| {stats.get('evocrawl/browser/pages', 0)} | {stats['seconds']:.1f} "
                f"| {cpu_s['crawl']:.1f} | {cpu_s['driver'] + cpu_s['Chromium']:.1f} "
                f"| {peak['crawl'] / 1e6:.0f} | {(peak['driver'] + peak['Chromium']) / 1e6:.0f} |",
                flush=True,
            )
            heavy = [each for each in ("playwright", "scrapy_playwright", "psutil")
                     if each in row["modules"]]  # fmt: skip
            print(f"{site} {mode}: loaded: {heavy}", *stats["errors"], sep="\n", file=sys.stderr)


def leaks(given: argparse.Namespace) -> None:
    """Crawl the app, and print what is open after each tenth."""
    print(
        "| pages | with text | seconds | open pages | contexts | pages, client | contexts, client "
        "| objects, client | tasks | files | crawl, MB | driver, MB | Chromium, MB |"
    )
    print("|" + " ---: |" * 13)
    web = Web(given.pages, SITES["app"], awkward=True)
    options = {
        "browser_pages": given.browser_pages,
        "browser_timeout_s": given.timeout_s,
        "browser_share": 1,
    }
    with tempfile.TemporaryDirectory() as folder:
        every, budget = max(given.pages // 10, 1), 5 * given.pages
        for row, sampler in crawl(web, "auto", budget, every, Path(folder), options):
            if "stats" in row:
                break
            mean = sampler.mean_mb()
            names = ("targets", "contexts", "known_pages", "known_contexts", "objects", "tasks",
                     "files")  # fmt: skip
            print(
                f"| {row['pages']} | {row['texts']} | {row['seconds']:.0f} | "
                + " | ".join(str(row.get(name, "")) for name in names)
                + "".join(f" | {mean[name]:.0f}" for name in _GROUPS) + " |",
                flush=True,
            )  # fmt: skip
    stats = row["stats"]
    names = ("pages", "requests", "browser/pages", "browser/failed", "browser/restarts",
             "browser/not_worth", "visits/unsettled", "stop_reason")  # fmt: skip
    print("\n" + ", ".join(f"{name}: {stats.get(f'evocrawl/{name}', 0)}" for name in names))
    print(*stats["errors"][:10], sep="\n", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, help="articles of a site: 200, with --leaks 1000")
    parser.add_argument("--sites", nargs="+", default=list(SITES), choices=SITES)
    parser.add_argument("--modes", nargs="+", default=["never", "auto", "always"])
    parser.add_argument("--browser-pages", type=int, default=2)
    parser.add_argument("--timeout-s", type=float, default=20.0, help="of a page in the browser")
    parser.add_argument("--leaks", action="store_true")
    given = parser.parse_args()
    given.pages = given.pages or (1000 if given.leaks else 200)
    (leaks if given.leaks else compare)(given)


if __name__ == "__main__":
    main()
