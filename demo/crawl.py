"""The main job, ``make crawl``: crawl by topic, show the best pages and the numbers.

Without seeds, the demo serves the documentation web of `demo.debian_web` on this machine and crawls
it twice with the same budget and seeds: with the population, and breadth-first. With seeds it
crawls the live web with the polite settings of the project. Ctrl-C ends the crawl as in `scrapy
crawl` (a second Ctrl-C ends it at once); the demo still prints the summary.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from demo.debian_web import open_web, proxy_for
from demo.packages import PackageError
from demo.process import run
from demo.summary import Result, best_table, load, numbers_table
from demo.waiting import PERIOD_S, announced

ROOT = Path(__file__).resolve().parent.parent
QUERY = "full-text search"
SEEDS = (
    "http://docs.djangoproject.com/en/3.2/ http://docs.sqlalchemy.org/en/14/ "
    "http://docs.python.org/3/"
)
"""Three front pages: none is about the topic, and two of the hosts have no page about it."""

MAX_REQUESTS = 400
BASELINE = "breadth_first"
PAGES = "pages.jsonl"
LOOPBACK = {
    "DOWNLOAD_DELAY": "0",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "8",
    "AUTOTHROTTLE_ENABLED": "False",
    "RETRY_ENABLED": "False",
    "EVOCRAWL_ROBOTS_TRIES": "1",
    "EVOCRAWL_ALLOW_NETWORKS": "0.0.0.0/0 ::/0",
}
"""Settings for the local server, which needs no politeness.

A host that is not served is given up after its first robots.txt request without a response, since
further tries would delay visits by a minute. The crawl connects to the local proxy only; it does
not look up the names of the documentation web in DNS.
"""


@dataclass(frozen=True, slots=True)
class Job:
    """One crawl to run; `settings` are Scrapy settings, as for ``-s``."""

    query: str
    seeds: str
    max_requests: int
    species: str
    seed: int
    settings: Mapping[str, str]

    def command(self, folder: Path) -> list[str]:
        """Return the command that crawls and writes pages.jsonl and stats.json to `folder`."""
        command = [sys.executable, "-m", "demo.stoppable", "scrapy", "crawl", "evospider"]
        for name in ("query", "seeds", "max_requests", "species", "seed"):
            command += ["-a", f"{name}={getattr(self, name)}"]
        settings = {
            "LOG_LEVEL": "WARNING",
            "EVOCRAWL_STATS_FILE": str(folder / "stats.json"),
            **({} if sys.stderr.isatty() else {"EVOCRAWL_PROGRESS_S": str(PERIOD_S)}),
            **self.settings,
        }
        for name, value in settings.items():
            command += ["-s", f"{name}={value}"]
        return [*command, "-O", str(folder / PAGES)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, the crawl's exit code, or 130 after Ctrl-C."""
    options = _parse(arguments)
    if options.seeds:
        return _crawl(options, {}, {}, compare=options.compare)
    try:
        web = open_web()
    except PackageError as error:
        print(error, file=sys.stderr)
        return 1
    options.seeds = SEEDS
    with proxy_for(web) as proxy:
        print(f"{len(web)} documentation sites served on this machine; query: {options.query}")
        return _crawl(options, LOOPBACK, _through(proxy.url), compare=True)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m demo.crawl", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--query", help=f"topic of the crawl (default: {QUERY})")
    parser.add_argument("--seeds", help="addresses on the live web, separated by spaces")
    parser.add_argument(
        "--max-requests", type=int, default=MAX_REQUESTS, help="budget of HTTP requests"
    )
    parser.add_argument("--species", default="evo", help="species of the crawl (default: evo)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random generator")
    parser.add_argument("--compare", action="store_true", help=f"{BASELINE} too, on the live web")
    options = parser.parse_args(arguments)
    if options.seeds and not options.query:
        parser.error("--seeds needs --query, the topic of the crawl")
    options.query = options.query or QUERY
    return options


def _through(proxy: str) -> dict[str, str]:
    """Return an environment in which all requests go to `proxy`, also those for https."""
    kept = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    return {**kept, "http_proxy": proxy, "https_proxy": proxy}


def _crawl(
    options: argparse.Namespace,
    settings: Mapping[str, str],
    environment: Mapping[str, str],
    *,
    compare: bool,
) -> int:
    folder = ROOT / "output" / f"{datetime.now():%Y-%m-%dT%H-%M-%S.%f}"
    all_species = [options.species, *([BASELINE] if compare else [])]
    results: list[Result] = []
    code = 0
    for species in dict.fromkeys(all_species):
        target = folder if species == options.species else folder / species
        target.mkdir(parents=True)
        print(f"crawl of {options.max_requests} requests by {species}", flush=True)
        job = Job(
            options.query, options.seeds, options.max_requests, species, options.seed, settings
        )
        with announced("starting Scrapy", (target / PAGES).exists):
            code = run(job.command(target), environment or os.environ, ROOT)
        results.append(load(species, target / PAGES, target / "stats.json"))
        if code:
            break
    _report(results, folder, topical=options.query == QUERY)
    return code


def _report(results: Sequence[Result], folder: Path, *, topical: bool) -> None:
    if results[0].pages:
        print(f"\nthe best pages of {results[0].name}\n{best_table(results[0])}")
    print(f"\n{numbers_table(results, topical=topical)}\n\nfiles: {folder}")


if __name__ == "__main__":
    raise SystemExit(main())
