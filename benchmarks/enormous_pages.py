"""Measures the choices of `evo` after a page of very many links, or very many pages at once.

    python benchmarks/enormous_pages.py [--links 39000 390000] [--known 30000] [--visits 200]
    PYTHONPATH=/tmp/other python benchmarks/enormous_pages.py    # the same for another checkout

A bare population crawls generated pages of 30 links (see `memory.py`). Then it meets so many new
links in one step: on one page to one other host (`one page`), on one page to a host for each 200
(`its hosts`), or on pages of 300 links that are shown one after the other, as those of other
workers are (`pages`). All pages behind these links have no relevance; `followed` of the next visits
led to them. Times are processor times: of the step that brings the links, and of the choices
after it: the first, the longest, and the 99th percentile. Each row is a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace
from time import process_time

import memory
import numpy as np

from evocrawl.core.model import Cost, Fetched, Link, Page
from evocrawl.core.urls.identity import fingerprint

KINDS = ("one page", "its hosts", "pages")
_OF_PAGE, _PER_HOST = 300, 200
_HEAD = (
    "| links | in | the step, s | first choice, ms | longest, ms | 99 %, ms | all, s | followed |"
)


class Met:
    """A crawl that meets very many links, and what its choices took."""

    def __init__(self, known: int) -> None:
        self.web = memory.Web()
        assembly = memory.assembly_of("evo")
        self.population = assembly.population
        self.population.place(self.web.seeds())
        memory.crawl(self.web, assembly, known)
        self.choosing_s = list[float]()
        self.followed = 0

    def meet(self, kind: str, count: int) -> float:
        """Let the crawl meet so many links; return the seconds of that step."""
        links = [self._link(number, kind) for number in range(count)]
        parts = [links[at : at + _OF_PAGE] for at in range(0, count, _OF_PAGE)]
        pages = [
            replace(self.web.page(f"http://list.test/{number}", 0.0, 5), links=tuple(part))
            for number, part in enumerate([links] if kind != "pages" else parts)
        ]
        began_s = process_time()
        for page in pages:
            self.population.show(page, 0)
        return process_time() - began_s

    def visit(self) -> None:
        """Follow one link."""
        began_s = process_time()
        visit = self.population.choose(0.0)
        self.choosing_s.append(process_time() - began_s)
        assert visit is not None
        page = self._page(visit.lead.url)
        self.population.settle(visit.id, Fetched(page, Cost()))

    def _page(self, url: str) -> Page:
        if "//junk" in url:
            self.followed += 1
            return replace(self.web.page(url, 0.0, 5), relevance=0.0, links=())
        return self.web.page(url, self.population.price(self.web.rng.random() ** 4))

    def _link(self, number: int, kind: str) -> Link:
        host = "junk.test" if kind == "one page" else f"junk{number // _PER_HOST}.test"
        url = f"http://{host}/{memory._WORDS[number % 5000]}/{number}"
        return Link(url, fingerprint(url), self.web.phrase(), self.web.phrase(), tag_path="ul/li")


def measure(links: int, kind: str, known: int, visits: int) -> str:
    met = Met(known)
    step_s = met.meet(kind, links)
    for _ in range(visits):
        met.visit()
    times = 1e3 * np.array(met.choosing_s)
    return (
        f"| {links} | {kind} | {step_s:.2f} | {times[0]:.0f} | {times.max():.0f} "
        f"| {np.percentile(times, 99):.0f} | {times.sum() / 1e3:.2f} | {met.followed} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=int, nargs="+", default=[0, 300, 39_000])
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--known", type=int, default=30_000)
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--here", action="store_true", help="run in this process")
    given = parser.parse_args()
    if given.here:
        print(measure(given.links[0], given.kinds[0], given.known, given.visits), flush=True)
        return
    print(_HEAD, "| ---: | --- |" + " ---: |" * 6, sep="\n", flush=True)
    for links in given.links:
        for kind in given.kinds:
            line = ["--links", str(links), "--kinds", kind, "--known", str(given.known),
                    "--visits", str(given.visits)]  # fmt: skip
            subprocess.run([sys.executable, __file__, "--here", *line], check=True)


if __name__ == "__main__":
    main()
