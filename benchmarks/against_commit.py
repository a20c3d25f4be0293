"""Compares CPU and memory of a live crawl with those of another commit, on the same pages.

    git worktree add /tmp/other COMMIT
    cd /tmp/other && uv venv && uv pip install -e .
    python benchmarks/against_commit.py /tmp/other [--pairs 10] [--arguments relevance=tfidf]

Each pair crawls the named sites of the documentation web once with each checkout, breadth-first to
the end, so that both read the same pages. The checkout that comes first alternates from pair to
pair. Each checkout runs with the Python of its own `.venv`; a first crawl of each, which does not
count, compiles its modules. `--arguments` and `--other-arguments` are spider arguments of this
checkout and of the other one, for options that only one of them has.

CPU seconds (user and system, all processes of the crawl) are given apart: until the page number
FIRST_PAGES ("start"), and for each page after it, the end of the crawl included. A shared machine
disturbs both crawls of a pair alike: compare the medians of the ratios.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from live import SETTINGS, serve  # noqa: E402

NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"

FIRST_PAGES = 10
"""Pages until which the cost counts as that of the start: imports, models, the first reading."""

CLOCK = f'''
import os
from scrapy import signals


class CpuClock:
    """Prints the CPU seconds of this process at page {FIRST_PAGES} and the pages at the end."""

    def __init__(self):
        self.pages = 0

    @classmethod
    def from_crawler(cls, crawler):
        clock = cls()
        crawler.signals.connect(clock.count, signals.item_scraped)
        crawler.signals.connect(clock.end, signals.spider_closed)
        return clock

    def count(self):
        self.pages += 1
        if self.pages == {FIRST_PAGES}:
            print("start", sum(os.times()[:4]), flush=True)

    def end(self):
        print("pages", self.pages, flush=True)
'''


@dataclass(frozen=True)
class Cost:
    """What a crawl cost: CPU of the start (s), CPU of a page (ms), largest resident set (MB)."""

    start_s: float
    page_ms: float
    rss_mb: float


def crawl(checkout: Path, arguments: list[str], proxy: str, folder: Path) -> tuple[int, Cost]:
    """Run one crawl with the code of `checkout`; return its pages and its cost.

    `folder` has the module `cpu_clock` and keeps compiled modules.
    """
    environment = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    settings = SETTINGS | {"EXTENSIONS": '{"cpu_clock.CpuClock": 0}', "EVOCRAWL_PROGRESS_S": 0}
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [f"{checkout / '.venv/bin/python'}", "-m", "scrapy", "crawl", "evospider"]
            + [part for argument in arguments for part in ("-a", argument)]
            + [f"-s{name}={value}" for name, value in settings.items()],
            cwd=checkout,
            env={
                **environment,
                "http_proxy": proxy,
                "PYTHONPATH": str(folder),
                "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
            },
            stdout=said,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        marks = dict(re.findall(r"^(start|pages) (\S+)$", said.read(), re.MULTILINE))
    if process.returncode or len(marks) != 2:
        sys.exit(f"the crawl of {checkout} did not end well (exit {process.returncode})")
    start_s, pages = float(marks["start"]), int(marks["pages"])
    rest_s = usage.ru_utime + usage.ru_stime - start_s
    cost = Cost(start_s, 1000 * rest_s / (pages - FIRST_PAGES), usage.ru_maxrss / 1024)
    return pages, cost


def compare(
    checkouts: dict[Path, list[str]], pairs: int, proxy: str, folder: Path
) -> list[tuple[Cost, Cost]]:
    """Return the costs of `pairs` pairs of crawls, those of the first checkout first."""
    costs = []
    for checkout, arguments in checkouts.items():
        crawl(checkout, arguments, proxy, folder)
    for number in range(pairs):
        pair = {}
        for checkout in sorted(checkouts, reverse=bool(number % 2)):
            pages, pair[checkout] = crawl(checkout, checkouts[checkout], proxy, folder)
            cost = pair[checkout]
            print(f"{checkout!s:24} {pages:5} pages  start {cost.start_s:5.2f} s  "
                  f"page {cost.page_ms:7.2f} ms  {cost.rss_mb:5.0f} MB", flush=True)  # fmt: skip
        ours, theirs = (pair[checkout] for checkout in checkouts)
        costs.append((ours, theirs))
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", type=Path, help="folder of the other checkout, with its .venv")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument(
        "--hosts", nargs="+", default=["flask.palletsprojects.com", "werkzeug.palletsprojects.com"]
    )
    parser.add_argument(
        "--seeds",
        default="http://flask.palletsprojects.com/en/2.2.x/ "
        "http://werkzeug.palletsprojects.com/en/2.2.x/",
    )
    parser.add_argument("--query", default="full-text search")
    parser.add_argument("--species", default="breadth_first")
    parser.add_argument("--arguments", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--other-arguments", nargs="*", default=[], metavar="NAME=VALUE")
    given = parser.parse_args()
    common = [f"query={given.query}", f"species={given.species}", f"seeds={given.seeds}",
              f"allowed_domains={' '.join(given.hosts)}"]  # fmt: skip
    checkouts = {
        ROOT: ["max_requests=0", *common, *given.arguments],
        given.other.resolve(): [*common, *given.other_arguments],
    }
    server, proxy = serve(given.hosts)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cpu_clock.py").write_text(CLOCK)
        costs = compare(checkouts, given.pairs, proxy, Path(folder))
    server.communicate("")
    for field in fields(Cost):
        ratios = [getattr(ours, field.name) / getattr(theirs, field.name) for ours, theirs in costs]
        print(f"{field.name}: this/other, paired: median {statistics.median(ratios):.3f} "
              f"(min {min(ratios):.3f}, max {max(ratios):.3f})")  # fmt: skip


if __name__ == "__main__":
    main()
