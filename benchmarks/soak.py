"""Measures memory, open files and event loop in a long crawl of generated, partly hostile pages.

Run: nice python benchmarks/soak.py [--pages 100000] [--hosts 400] [--hostile 0.05] [--species evo]
         [--words 400]

A server on loopback generates every page from its number: up to `--words` words, links to later
pages, and at random one of the kinds of `benchmarks/hostile.py`, a compressed bomb, a wrong type or
encoding, a redirect, an error, or a broken connection. evospider crawls it in a separate process,
with all components of a crawl. Each line is one twentieth of the crawl: distinct link targets so
far (they take part of the memory, and this count another 14 bytes each), milliseconds of CPU time
per page, memory, open files, and the longest block of the event loop in wall-clock time and in CPU
time of its thread; the two differ on a busy machine.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hostile import KINDS  # noqa: E402

from evocrawl.core.containers.keymap import KeySet  # noqa: E402
from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Reset, Response, redirect  # noqa: E402

HTML = {"Content-Type": "text/html"}
WORDS = ["coral", "reef", "bleaching", "sea", "warm"] + [f"word{n}" for n in range(2_000)]
KINDS_BY_NUMBER = list(KINDS.values())


class Watch:
    """Extension: writes a line of JSON for every `SOAK_EVERY` pages to `SOAK_FILE`."""

    def __init__(self, crawler: Any) -> None:
        from scrapy import signals

        from evocrawl.adapter.context import CrawlContext

        self._every = crawler.settings.getint("SOAK_EVERY")
        self._file = Path(crawler.settings["SOAK_FILE"])
        self._pages = 0
        self._begin = time.monotonic()
        self._worst = self._worst_cpu = 0.0
        self._stalls = 0
        self._known = KeySet()
        CrawlContext.of(crawler).fetches.on_settled.append(self._landed)
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._scraped, signals.item_scraped)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        return cls(crawler)

    def _opened(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._beat())

    async def _beat(self) -> None:
        last, last_cpu = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(0.005)
            now, now_cpu = time.perf_counter(), time.thread_time()
            self._worst = max(self._worst, now - last)
            self._worst_cpu = max(self._worst_cpu, now_cpu - last_cpu)
            self._stalls += now_cpu - last_cpu > 0.2
            last, last_cpu = now, now_cpu

    def _landed(self, fetch: Any, _: object) -> None:
        for link in fetch.links:
            self._known.add(link.fingerprint)

    def _scraped(self) -> None:
        self._pages += 1
        if self._pages % self._every:
            return
        status = Path("/proc/self/status").read_text()
        rss_kb = int(status.split("VmRSS:")[1].split()[0])
        line = {
            "pages": self._pages,
            "known": len(self._known),
            "cpu_s": time.process_time(),
            "seconds": time.monotonic() - self._begin,
            "rss_mb": rss_kb / 1024,
            "files": len(os.listdir("/proc/self/fd")),
            "stall_ms": self._worst * 1000,
            "stall_cpu_ms": self._worst_cpu * 1000,
            "stalls": self._stalls,
        }
        with self._file.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self._worst = self._worst_cpu = 0.0


class Web:
    """Pages by number; page n links to 2n + 1, 2n + 2 and three more."""

    def __init__(self, hosts: int, hostile: float, words: int) -> None:
        self._hosts = hosts
        self._hostile = hostile
        self._words = words

    def url(self, number: int) -> str:
        return f"http://h{number % self._hosts}.test/p/{number}"

    def sites(self) -> dict[str, Callable[[Request], Response]]:
        return {f"h{number}.test": self._answer for number in range(self._hosts)}

    def _answer(self, request: Request) -> Response:
        name = request.path.rpartition("/")[2]
        if not name.isdecimal():
            return Response(404, b"")
        number = int(name)
        chance = random.Random(number)
        usual = self._usual(number, chance)
        if number and chance.random() < self._hostile:
            return self._odd(number, usual, chance)
        return Response(200, usual, HTML)

    def _usual(self, number: int, chance: random.Random) -> bytes:
        targets = [
            2 * number + 1,
            2 * number + 2,
            *(chance.randrange(4 * number + 9) for _ in "xyz"),
        ]
        links = "".join(
            f"<li><a href='{self.url(target)}'>{' '.join(chance.choices(WORDS, k=4))}</a>"
            for target in targets
        )
        text = " ".join(chance.choices(WORDS, k=chance.randint(20, self._words)))
        return f"<title>Page {number}</title><p>{text}</p><ul>{links}</ul>".encode()

    def _odd(self, number: int, usual: bytes, chance: random.Random) -> Response:
        odd = chance.randrange(10)
        if odd < 5:
            grown = chance.choice(KINDS_BY_NUMBER)(int(10 ** chance.uniform(4, 6)))
            return Response(200, usual + grown, HTML)
        if odd == 5:
            bomb = gzip.compress(usual + b" " * 8_000_000, 1)
            return Response(200, bomb, {**HTML, "Content-Encoding": "gzip"})
        if odd == 6:
            kind = chance.choice(["image/png", "text/plain", "application/pdf", "application/xml"])
            return Response(
                200, chance.choice([usual, b"%PDF-1.7 " + usual]), {"Content-Type": kind}
            )
        if odd == 7:
            name = chance.choice(["hex", "punycode", "utf-16", "x", "shift_jis"])
            return Response(
                200,
                usual + chance.randbytes(60_000),
                {"Content-Type": f"text/html; charset={name}"},
            )
        if odd == 8:
            return redirect(self.url(chance.choice([number, number + 1, 0, 3 * number])))
        if chance.random() < 0.5:
            raise Reset
        return Response(chance.choice([403, 404, 500]), usual, HTML)


def crawl(pages: int, web: Web, species: str, proxy: str, folder: Path) -> dict[str, Any]:
    """Run the crawl, print its progress and return its stats."""
    progress, stats = folder / "watch.jsonl", folder / "stats.json"
    settings = {
        "SOAK_FILE": progress,
        "SOAK_EVERY": max(pages // 20, 1),
        "EXTENSIONS": json.dumps({"soak.Watch": 1}),
        "EVOCRAWL_STATS_FILE": stats,
        "EVOCRAWL_PROGRESS_S": 0,
        "EVOCRAWL_QUERY": "coral bleaching",
        "EVOCRAWL_MAX_REQUESTS": 2 * pages,
        "EVOCRAWL_SPECIES": species,
        "CLOSESPIDER_ITEMCOUNT": pages,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
        "RETRY_ENABLED": False,
        "LOG_LEVEL": "ERROR",
        "LOG_FILE": folder / "log",
    }
    line = [sys.executable, "-m", "scrapy", "crawl", "evospider", "-a", f"seeds={web.url(0)}"]
    environment = {**os.environ, "http_proxy": proxy, "PYTHONPATH": f"{ROOT}:{ROOT / 'benchmarks'}"}
    process = subprocess.Popen(
        [*line, *(f"-s{name}={value}" for name, value in settings.items())],
        cwd=ROOT, env=environment, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    print(
        "| pages | known URLs | pages/s | CPU, ms a page | memory, MB | open files "
        "| longest stall, ms | of CPU time, ms |"
    )
    print("|" + " ---: |" * 8)
    shown = 0
    while process.poll() is None or shown < _lines(progress):
        while shown < _lines(progress):
            _show(json.loads(progress.read_text().splitlines()[shown]))
            shown += 1
        time.sleep(0.5)
    errors = [line for line in (folder / "log").read_text().splitlines() if " ERROR: " in line]
    return {**json.loads(stats.read_text()), "errors": errors}


def _lines(path: Path) -> int:
    return path.read_text().count("\n") if path.exists() else 0


def _show(row: dict[str, float]) -> None:
    print(
        f"| {row['pages']} | {row['known']} | {row['pages'] / row['seconds']:.0f} | "
        f"{1000 * row['cpu_s'] / row['pages']:.1f} | {row['rss_mb']:.0f} | "
        f"{row['files']} | {row['stall_ms']:.0f} | {row['stall_cpu_ms']:.0f} |",
        flush=True,
    )


def main() -> None:
    """Serve, crawl and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=400)
    parser.add_argument("--hostile", type=float, default=0.05)
    parser.add_argument("--words", type=int, default=400)
    parser.add_argument("--species", default="evo")
    options = parser.parse_args()
    web = Web(options.hosts, options.hostile, options.words)
    with tempfile.TemporaryDirectory() as folder, LoopbackProxy(web.sites()) as proxy:
        stats = crawl(options.pages, web, options.species, proxy.url, Path(folder))
    names = ("pages", "requests", "pages/truncated", "pages/read_aside", "pages/unreadable",
             "visits/dead", "visits/dropped", "visits/unsettled", "stop_reason")  # fmt: skip
    print("\n" + ", ".join(f"{name}: {stats.get(f'evocrawl/{name}', 0)}" for name in names))
    print(f"errors in the log: {len(stats['errors'])}", *stats["errors"][:10], sep="\n")


if __name__ == "__main__":
    main()
