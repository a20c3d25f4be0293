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
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from app_sites import QUERY, SITES, Web  # noqa: E402
from process_usage import GROUPS, Sampler  # noqa: E402

from evocrawl.simulation.server.proxy import LoopbackProxy  # noqa: E402

START = "http://app.test/"


def crawl(
    web: Web,
    mode: str,
    budget: int,
    every: int,
    folder: Path,
    options: dict[str, object],
    executable: str = "",
) -> Iterator[tuple[dict[str, Any], Sampler]]:
    """Crawl in a process of its own; yield each line of `Watch`, and last the stats."""
    watched, stats = folder / "watch.jsonl", folder / "stats.json"
    settings = {
        "EXTENSIONS": json.dumps({"benchmarks.crawl_watch.Watch": 1}),
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
    if executable:
        settings["PLAYWRIGHT_LAUNCH_OPTIONS"] = json.dumps({"executable_path": executable})
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
                *_, (row, used) = crawl(
                    web, mode, budget, 10**9, Path(folder), options, given.executable
                )
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
        every, budget = given.every or max(given.pages // 10, 1), 5 * given.pages
        for row, sampler in crawl(
            web, "auto", budget, every, Path(folder), options, given.executable
        ):
            if "stats" in row:
                break
            mean = sampler.mean_mb()
            names = ("targets", "contexts", "known_pages", "known_contexts", "objects", "tasks",
                     "files")  # fmt: skip
            print(
                f"| {row['pages']} | {row['texts']} | {row['seconds']:.0f} | "
                + " | ".join(str(row.get(name, "")) for name in names)
                + "".join(f" | {mean[name]:.0f}" for name in GROUPS) + " |",
                flush=True,
            )  # fmt: skip
    stats = row["stats"]
    shown = ("pages", "requests", "browser/pages", "browser/failed", "browser/restarts",
             "browser/not_worth", "visits/unsettled", "stop_reason")  # fmt: skip
    print("\n" + ", ".join(f"{name}: {stats.get(f'evocrawl/{name}', 0)}" for name in shown))
    print(*stats["errors"][:10], sep="\n", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, help="articles of a site: 200, with --leaks 1000")
    parser.add_argument("--sites", nargs="+", default=list(SITES), choices=SITES)
    parser.add_argument("--modes", nargs="+", default=["never", "auto", "always"])
    parser.add_argument("--browser-pages", type=int, default=2)
    parser.add_argument("--timeout-s", type=float, default=20.0, help="of a page in the browser")
    parser.add_argument("--executable", default="", help="path of the Chromium to use")
    parser.add_argument("--every", type=int, help="with --leaks, pages of a row: a tenth of all")
    parser.add_argument("--leaks", action="store_true")
    given = parser.parse_args()
    given.pages = given.pages or (1000 if given.leaks else 200)
    (leaks if given.leaks else compare)(given)


if __name__ == "__main__":
    main()
