"""Measures speed and memory of simulated crawls, and how the cost of a choice grows.

    python benchmarks/simulator.py --pages 4600 60000 1000000 --budget 20000
    python benchmarks/simulator.py --species energy --growth

The world is generated on request: page n has 20 links that depend on n, half of them to neighbours,
and a short text; a tenth of the pages is about the query. So the script measures the simulator, the
population and the page base, and not the storage of a world. Each row is a separate process with
its peak memory; "kB a request" is the growth after the imports. Times are processor times, so that
other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Collection, Iterable, Iterator
from itertools import islice

import numpy as np

from evocrawl.core.config.config import Config
from evocrawl.core.model import Cost, Dead, Fingerprint, Link, Refused
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.laboratory import peak_rss_bytes
from evocrawl.simulation.runner import run
from evocrawl.simulation.worlds.base import Arrived, Document, Follows
from evocrawl.species import SPECIES

LINKS = 20
WORDS = ("stone", "river", "road", "cloud", "house", "apple", "letter", "garden")


class EndlessWorld:
    """`size` pages on `size`/1000 hosts, none of them stored."""

    name = "endless"

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size

    def fetch(
        self,
        url: str,
        now_s: float,  # noqa: ARG002
        follows: Follows = lambda _: True,  # noqa: ARG002
    ) -> Arrived | Dead | Refused:
        return Arrived(self._document(int(url.rsplit("/", 1)[1])), Cost(0.1, 0.1, 2000, 1))

    def documents(self) -> Iterator[Document]:
        return map(self._document, range(self._size))

    def search(self, query: str, k: int) -> list[str]:  # noqa: ARG002 - there is one topic
        return [*islice(map(self._url, filter(_is_about, range(self._size))), k)]

    def topics(self) -> Collection[str]:
        return ("Corals",)

    def about(self, topic: str) -> Collection[Fingerprint]:
        if topic != "Corals":
            raise KeyError(topic)
        return frozenset(fingerprint(self._url(n)) for n in range(self._size) if _is_about(n))

    def _url(self, number: int) -> str:
        return f"http://h{number // 1000}.test/{number}"

    def _document(self, number: int) -> Document:
        rng = np.random.default_rng(number)
        near = (number + rng.integers(1, 50, LINKS // 2)) % self._size
        far = rng.integers(0, self._size, LINKS // 2)
        links = tuple(self._links(np.concatenate([near, far]).tolist()))
        text = " ".join(rng.choice(WORDS, 20))
        if _is_about(number):
            text += " coral bleaching" * 3
        url = self._url(number)
        return Document(url, fingerprint(url), f"page {number}", text, "en", links)

    def _links(self, targets: Iterable[int]) -> Iterator[Link]:
        for position, target in enumerate(targets):
            url = self._url(target)
            anchor = "coral reef" if _is_about(target) else WORDS[target % len(WORDS)]
            yield Link(url, fingerprint(url), anchor, "", position=position)


def _is_about(number: int) -> bool:
    return number * 2654435761 % 2**32 < 2**32 // 10


def measure(species: str, pages: int, budget: int) -> list[str]:
    """Run one crawl and return a row of the table."""
    world = EndlessWorld(pages)
    labels = world.about("Corals") if species == "oracle" else None
    before = peak_rss_bytes()
    config = Config.read(
        {}, {"query": "coral bleaching", "species": species, "max_requests": min(budget, pages)}
    )
    done = run(world, config, ["http://h0.test/0"], relevant=labels)
    per_request = {name: 1e6 * seconds / done.requests for name, seconds in done.cpu_s_by.items()}
    return [
        species,
        f"{pages:,}",
        f"{done.requests:,}",
        f"{done.requests / done.cpu_s:,.0f}",
        f"{per_request['choosing']:.0f}",
        f"{per_request['settling']:.0f}",
        f"{per_request['judging']:.0f}",
        f"{per_request['fetching']:.0f}",
        f"{(peak_rss_bytes() - before) / done.requests / 1024:.1f}",
        f"{peak_rss_bytes() / 2**20:.0f}",
    ]


HEAD = [
    "species", "pages of the world", "requests", "requests a CPU s", "choosing µs", "settling µs",
    "judging µs", "world µs", "kB a request", "peak MB",
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pages", type=int, nargs="+", default=[4600, 60_000, 1_000_000])
    parser.add_argument("--budget", type=int, default=20_000, help="most requests of a run")
    parser.add_argument("--species", nargs="+", default=list(SPECIES), choices=list(SPECIES))
    parser.add_argument("--growth", action="store_true",
                        help="the last size only, budgets doubling up to --budget")  # fmt: skip
    asked = parser.parse_args()
    kinds = [(pages, asked.budget) for pages in asked.pages]
    if asked.growth:
        kinds = [(asked.pages[-1], asked.budget >> halvings) for halvings in (4, 3, 2, 1, 0)]
    print("| " + " | ".join(HEAD) + " |\n" + "| --- " * len(HEAD) + "|")
    context = multiprocessing.get_context("spawn")
    for species in asked.species:
        for pages, budget in kinds:
            with context.Pool(1) as pool:
                row = pool.apply(measure, (species, pages, budget))
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
