"""Measures the memory of a known URL, and the time to choose and settle, as a crawl grows.

    python benchmarks/memory.py [--species best_first energy evo] [--known 100000 1000000]
                                [--laid-links 30]

A bare population gets generated pages of 30 links, 24 of them to new addresses, the others to known
ones, on one host for each 200 addresses, with words out of 20 000 phrases. The known addresses are
those fetched and those that wait. All pages but the last 3 000, and before them one of ten and one
after each 800 links, are added to page base and frontier (or the open links of each page) without a
choice, as `settle` adds them; the model of evo reads every page. With `--laid-links 300` those
pages have so many links, four of five of them to new addresses, so that ten million addresses take
minutes and not hours. Memory is the growth of the process (resident set) since its first hundred
pages, in all, and for each URL that became known in the second half of the crawl, when most tables
and caches of a fixed size are full.
Times are the processor time of `choose` and `settle`, over the last pages: mean, median, and the
longest of them. Each row is a process of its own.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np

from evocrawl.core.config.config import Config
from evocrawl.core.model import Content, Cost, Fetched, Lead, Link, Page
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.frontier import PageRecord
from evocrawl.population.assembly import Assembly, assemble

_LINKS = 30
_NEW = 24
_PER_HOST = 200
_FIRST, _LAST = 100, 1500
_SETTLED = 3000
_LAID, _SHOWN = 10, 800
_PHRASES = 20_000
_WORDS = ["coral", "reef", *(f"word{number}" for number in range(5000))]
_HEAD = (
    "| species | known URLs | waiting | MB in all | bytes a known URL | a further URL "
    "| choose, µs | median | settle, µs | median | longest, ms |"
)


class Web:
    """A web that grows during the crawl: its pages are generated on request."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.known = self.laid = 0
        self._phrases = [self.words(5) for _ in range(_PHRASES)]

    def url(self, number: int) -> str:
        folder, word = number % 10, _WORDS[number % len(_WORDS)]
        return f"http://h{number // _PER_HOST}.test/topic-{folder}/{word}-{number}"

    def words(self, count: int) -> str:
        places = self.rng.zipf(1.4, count) % len(_WORDS)
        return " ".join([_WORDS[place] for place in places.tolist()])

    def phrase(self) -> str:
        return self._phrases[int(self.rng.integers(_PHRASES))]

    def link(self, number: int) -> Link:
        url = self.url(number)
        return Link(url, fingerprint(url), self.phrase(), self.phrase(), tag_path="ul/li")

    def seeds(self) -> list[Link]:
        self.known = 10
        return [self.link(number) for number in range(10)]

    def page(self, url: str, price: float, links_of_page: int = 0) -> Page:
        new, count = (links_of_page * 4 // 5, links_of_page) if links_of_page else (_NEW, _LINKS)
        fresh = range(self.known, self.known + new)
        old = self.rng.integers(self.known, size=count - new).tolist()
        self.known += new
        links = tuple([self.link(number) for number in (*fresh, *old)])
        content = Content(self.words(4), self.words(100))
        relevance = float(self.rng.random() ** 4)
        return Page(url, fingerprint(url), relevance, price, links, content=content)


def assembly_of(species: str) -> Assembly:
    options = {"SPECIES": species, "QUERY": "coral reef", "MAX_REQUESTS": 0}
    config = Config.read({f"EVOCRAWL_{name}": value for name, value in options.items()})
    return assemble(config, concurrency=1, host_limit=lambda _: (1, 0.0), timeout_s=180.0)


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def lay(
    web: Web,
    assembly: Assembly,
    upto: int,
    links: int = 0,
    note: Callable[[Page], None] = lambda _: None,
) -> None:
    """Add pages of so many links; only one page in ten is visited. `note` gets the others.

    One is also visited after each 800 links, which the choices of evo can score.
    """
    shown = 0
    species, base = assembly.population.species[0], assembly.base
    appraise = getattr(species.choice, "appraise", None)
    while web.known < upto:
        page = web.page(web.url(web.laid), 0.0, links)
        web.laid += 1
        if base.is_claimed(page.fingerprint):
            continue
        base.add(page.fingerprint, PageRecord(page.url, page.relevance, 0.0, 1, 1))
        note(page)
        via = Lead(page.url, page.fingerprint, host_of(page.url), b"", 1, 0.0)
        found = []
        for each in page.links:
            if not base.is_claimed(each.fingerprint):
                score, features = appraise(each, page, via) if appraise else (page.relevance, None)
                found.append(
                    Lead(each.url, each.fingerprint, host_of(each.url), page.fingerprint, 2, score,
                         each.anchor, None, features)
                )  # fmt: skip
        species.sight.found(found)
        shown += len(found)
        if web.laid % _LAID == 0 or shown >= _SHOWN:
            crawl(web, assembly, web.known + 1)
            shown = 0


def crawl(web: Web, assembly: Assembly, upto: int) -> tuple[list[float], list[float]]:
    """Crawl; return the seconds of the last choices and settlements."""
    population = assembly.population
    chosen, settled = list[float](), list[float]()
    while web.known < upto:
        began = process_time()
        visit = population.choose(0.0)
        chosen.append(process_time() - began)
        if visit is None:
            raise RuntimeError(f"nothing to choose: {population.ended}")
        page = web.page(visit.lead.url, population.price(web.rng.random() ** 4))
        began = process_time()
        population.settle(visit.id, Fetched(page, Cost()))
        settled.append(process_time() - began)
    return chosen[-_LAST:], settled[-_LAST:]


def measure(species: str, known: int, laid_links: int) -> str:
    web, assembly = Web(), assembly_of(species)
    assembly.population.place(web.seeds())
    memory = list[int]()
    for upto in (_FIRST * _NEW, known // 2, known):
        if memory:
            lay(web, assembly, upto - _SETTLED * _NEW, laid_links)
        chosen, settled = crawl(web, assembly, upto)
        memory.append(resident())
    grown, further = memory[2] - memory[0], memory[2] - memory[1]
    return (
        f"| {species} | {web.known} | {web.known - len(assembly.base)} | {grown / 1e6:.0f} "
        f"| {grown / known:.0f} | {2 * further / known:.0f} "
        f"| {1e6 * np.mean(chosen):.0f} | {1e6 * np.median(chosen):.0f} "
        f"| {1e6 * np.mean(settled):.0f} | {1e6 * np.median(settled):.0f} "
        f"| {1e3 * max(*chosen, *settled):.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--species", nargs="+", default=["best_first", "energy", "evo"])
    parser.add_argument("--known", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--laid-links", type=int, default=_LINKS)
    parser.add_argument("--here", action="store_true", help="run in this process")
    given = parser.parse_args()
    if given.here:
        print(measure(given.species[0], given.known[0], given.laid_links), flush=True)
        return
    print(_HEAD, "| --- |" + " ---: |" * 10, sep="\n", flush=True)
    for species in given.species:
        for known in given.known:
            line = [sys.executable, __file__, "--here", "--species", species, "--known", str(known),
                    "--laid-links", str(given.laid_links)]  # fmt: skip
            subprocess.run(line, check=True)


if __name__ == "__main__":
    main()
