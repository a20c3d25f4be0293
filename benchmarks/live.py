"""Compares CPU and memory of a whole crawl with stock Scrapy on the same pages.

    python benchmarks/live.py [--runs 5] [--hosts docs.python.org docs.djangoproject.com]

The named sites of the documentation web are crawled to the end, in turn by evocrawl (breadth-first,
so that both visit every page) and by Scrapy's CrawlSpider with its LinkExtractor, the scheduler,
dupefilter and robots.txt middleware it comes with. Both obey robots.txt and write one line a page;
evocrawl also extracts the main text, scores it and lets a population choose. Figures are of the
whole process as the operating system accounts it: CPU seconds (user and system) for each page
scraped, and the largest resident set. The server runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

STOCK = """
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class StockSpider(CrawlSpider):
    name = "stock"
    rules = [Rule(LinkExtractor(), "parse_page", follow=True)]

    def __init__(self, seeds, domains, **kwargs):
        super().__init__(**kwargs)
        self.allowed_domains = domains.split()
        self.start_urls = seeds.split()

    def parse_page(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}

    parse_start_url = parse_page
"""

SETTINGS = {
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "ROBOTSTXT_OBEY": True,
    "LOG_LEVEL": "WARNING",
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
}


@dataclass(frozen=True)
class Figures:
    pages: int
    cpu_ms: float
    rss_mb: float


def crawl(command: list[str], proxy: str, cwd: Path) -> Figures:
    """Run one crawl and return its figures."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "pages.jsonl"
        settings = [f"-s{name}={value}" for name, value in SETTINGS.items()]
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapy", *command, *settings, "-O", str(out)],
            cwd=cwd,
            env={**os.environ, "http_proxy": proxy},
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        pages = sum(1 for line in out.read_text().splitlines() if json.loads(line))
    cpu_s = usage.ru_utime + usage.ru_stime
    return Figures(pages, 1000 * cpu_s / max(pages, 1), usage.ru_maxrss / 1024)


def serve(hosts: list[str]) -> tuple[subprocess.Popen[str], str]:
    """Serve the sites in a separate process; return the process and the address of the proxy."""
    code = (
        "import sys\n"
        "from demo.debian_web import open_web, proxy_for\n"
        f"web = open_web()\nwith proxy_for({{h: web[h] for h in {hosts!r}}}) as proxy:\n"
        "    print(proxy.url, flush=True)\n    sys.stdin.read()\n"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    return server, server.stdout.readline().strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--species", default="breadth_first")
    parser.add_argument("--hosts", nargs="+", default=["docs.python.org", "docs.djangoproject.com"])
    parser.add_argument(
        "--seeds", default="http://docs.python.org/3/ http://docs.djangoproject.com/en/3.2/"
    )
    given = parser.parse_args()
    server, proxy = serve(given.hosts)
    with tempfile.NamedTemporaryFile("w", suffix=".py") as stock:
        stock.write(STOCK)
        stock.flush()
        commands = {
            "evocrawl": [
                "crawl", "evospider", "-a", "query=full-text search", "-a", "max_requests=0",
                "-a", f"species={given.species}", "-a", f"seeds={given.seeds}",
                "-a", f"allowed_domains={' '.join(given.hosts)}",
                "-s", "EVOCRAWL_PROGRESS_S=0",
            ],
            "stock": ["runspider", stock.name, "-a", f"seeds={given.seeds}",
                      "-a", f"domains={' '.join(given.hosts)}"],
        }  # fmt: skip
        results: dict[str, list[Figures]] = {name: [] for name in commands}
        for _ in range(given.runs):
            for name, command in commands.items():
                # Outside the project, stock Scrapy does not load evocrawl.
                cwd = ROOT if name == "evocrawl" else Path(stock.name).parent
                figures = crawl(command, proxy, cwd)
                results[name].append(figures)
                print(f"{name:9} {figures.pages:6} pages {figures.cpu_ms:8.2f} ms CPU a page "
                      f"{figures.rss_mb:7.0f} MB", flush=True)  # fmt: skip
    server.communicate("")
    for what in ("cpu_ms", "rss_mb"):
        ratios = [
            getattr(ours, what) / getattr(theirs, what)
            for ours, theirs in zip(results["evocrawl"], results["stock"], strict=True)
        ]
        print(f"{what}: evocrawl/stock, paired: median {statistics.median(ratios):.2f} "
              f"(min {min(ratios):.2f}, max {max(ratios):.2f})")  # fmt: skip


if __name__ == "__main__":
    main()
