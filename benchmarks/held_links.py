"""Measures what it costs to hold back the waiting links of a trap when it is recognised.

    python benchmarks/held_links.py [--species best_first evo] [--links 37000] [--patience 50 0]
    PYTHONPATH=/tmp/other python benchmarks/held_links.py    # the same for another checkout

A bare population knows lists of links into a trap, which name the query, and a list of 2 000 links
to good pages, which do not. So the links into the trap come first when the first pages behind them
show what it is: *copies* are pages of one text on one host; a *maze* is one folder whose pages have
new texts, each with 30 links to new pages of the folder. Each row is a process of its own.

`held` is the number of waiting links that were held back at their turn, with the processor time of
the choices that did so; `cut` counts the choices that ended without a visit, since they had held
back as many links as the patience allows (by default that of a live crawl; 0: no limit). Of these
choices the 99th percentile and the longest are shown, of other choices and settlements the longest.
Two checkouts that choose and hold back the same links in the same order have the same `choices`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from time import process_time

import memory
import numpy as np

from evocrawl.core.events import Event, HeldBack
from evocrawl.core.model import Content, Cost, Fetched, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.selection import PATIENCE

_LIST, _GOOD, _DEEPER = 300, 2_000, 30
_COPY = "the same words for every address of this server " * 8
_HEAD = (
    "| species | trap | patience | held | cut | µs a held link | in all, s | 99 %, ms "
    "| longest, ms | others, ms | choices |"
)


class TrapWeb:
    """Lists of links into a trap and to good pages; its texts are those of `memory.py`."""

    def __init__(self, kind: str, links: int) -> None:
        self._web = memory.Web()
        self._is_maze = kind == "maze"
        self._inside = 0
        self._links = links

    def lists(self) -> Iterator[Page]:
        """Yield lists of links into the trap, then one of links to good pages."""
        for number in range(-(-self._links // _LIST)):
            yield self._page(f"http://list{number}.test/", 0.9, [*self._deeper(_LIST)])
        good = [self._link(f"http://good{number}.test/", "") for number in range(_GOOD)]
        yield self._page("http://good.test/", 0.5, good)

    def page(self, url: str, price: float) -> Page:
        """Return a page of the trap, or a good one, which has no links."""
        if "//trap" not in url:
            return self._page(url, 0.5, [], price=price)
        if self._is_maze:
            return self._page(url, 0.9, self._deeper(_DEEPER), price=price)
        return self._page(url, 0.9, [], _COPY, price=price)

    def _page(
        self, url: str, relevance: float, links: list[Link], text: str = "", price: float = 0.0
    ) -> Page:
        content = Content(self._web.words(4), text or self._web.words(100))
        return Page(url, fingerprint(url), relevance, price, tuple(links), content=content)

    def _deeper(self, count: int) -> list[Link]:
        """Return links to pages of the trap that no page has linked to."""
        first = self._inside
        self._inside += count
        names = [f"{memory._WORDS[each % 5000]}/{each}" for each in range(first, self._inside)]
        return [self._link(f"http://trap.test/in/{name}", "coral reef") for name in names]

    def _link(self, url: str, anchor: str) -> Link:
        anchor = f"{anchor} {self._web.phrase()}"
        return Link(url, fingerprint(url), anchor, self._web.phrase(), tag_path="ul/li")


class Trapped:
    """A crawl into a trap, and what its steps took."""

    def __init__(self, species: str, kind: str, links: int, patience: int) -> None:
        self.web = TrapWeb(kind, links)
        self.population = memory.assembly_of(species).population
        self.population.selector.patience = patience or None
        self.held = self.cut = 0
        self.choices = sha256()
        self.holding_s, self.others_s = list[float](), list[float]()
        self.population.on_event.append(self._note)
        for page in self.web.lists():
            self.population.show(page, 0)

    def go_on(self, visits: int) -> None:
        """Crawl until there were so many visits."""
        population, at_settlement = self.population, 0
        while visits:
            before, began_s = self.held, process_time()
            visit = population.choose(0.0)
            times = self.holding_s if self.held > before else self.others_s
            times.append(process_time() - began_s)
            if visit is None:
                self.cut += 1
                continue
            visits -= 1
            self.choices.update(visit.lead.fingerprint)
            page = self.web.page(visit.lead.url, population.price(0.5))
            before, began_s = self.held, process_time()
            population.settle(visit.id, Fetched(page, Cost()))
            self.others_s.append(process_time() - began_s)
            at_settlement += self.held - before
        self.held -= at_settlement

    def _note(self, event: Event) -> None:
        if isinstance(event, HeldBack):
            self.held += 1
            self.choices.update(event.lead.fingerprint)


def measure(species: str, kind: str, links: int, patience: int, visits: int) -> str:
    crawl = Trapped(species, kind, links, patience)
    crawl.go_on(visits)
    in_all_s = sum(crawl.holding_s)
    return (
        f"| {species} | {kind} | {patience} | {crawl.held} | {crawl.cut} "
        f"| {1e6 * in_all_s / max(crawl.held, 1):.0f} | {in_all_s:.2f} "
        f"| {1e3 * np.percentile(crawl.holding_s or [0.0], 99):.0f} "
        f"| {1e3 * max(crawl.holding_s, default=0.0):.0f} | {1e3 * max(crawl.others_s):.0f} "
        f"| {crawl.choices.hexdigest()[:8]} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--species", nargs="+", default=["best_first", "evo"])
    parser.add_argument("--traps", nargs="+", default=["copies", "maze"])
    parser.add_argument("--links", type=int, default=37_000)
    parser.add_argument("--patience", type=int, nargs="+", default=[PATIENCE, 0])
    parser.add_argument("--visits", type=int, default=300)
    parser.add_argument("--here", action="store_true", help="run in this process")
    given = parser.parse_args()
    if given.here:
        print(
            measure(given.species[0], given.traps[0], given.links, given.patience[0], given.visits),
            flush=True,
        )
        return
    print(_HEAD, "| --- | --- |" + " ---: |" * 8 + " --- |", sep="\n", flush=True)
    for species in given.species:
        for kind in given.traps:
            for patience in given.patience:
                line = ["--species", species, "--traps", kind, "--links", str(given.links),
                        "--patience", str(patience), "--visits", str(given.visits)]  # fmt: skip
                subprocess.run([sys.executable, __file__, "--here", *line], check=True)


if __name__ == "__main__":
    main()
