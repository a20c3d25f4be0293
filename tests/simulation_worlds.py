"""A world in memory: a few pages, dead links, refusals and redirects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evocrawl.core.model import Cost, Dead, Fingerprint, Link, Refused
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.worlds.base import Arrived, Document, Follows


@dataclass
class SmallWorld:
    """`links` by URL; `texts` default to nothing; `labels` by topic; every fetch takes `takes_s`.

    `moved` maps URLs to where they redirect, `refused` are forbidden.
    """

    links: Mapping[str, Sequence[str]]
    texts: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Collection[str]] = field(default_factory=dict)
    moved: Mapping[str, str] = field(default_factory=dict)
    refused: Collection[str] = ()
    takes_s: Mapping[str, float] = field(default_factory=dict)
    name: str = "small"
    fetched: list[tuple[str, float]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.links)

    def fetch(
        self, url: str, now_s: float, follows: Follows = lambda _: True
    ) -> Arrived | Dead | Refused:
        self.fetched.append((url, now_s))
        seconds = self.takes_s.get(url, 1.0)
        if url in self.refused:
            return Refused(Cost(0.0, 0.0, 0, 1))
        target = self.moved.get(url, url)
        if target != url and not follows(target):
            return Dead("not followed", Cost(seconds / 2, seconds / 2, 0, 1))
        cost = Cost(seconds, seconds / 2, 100, 2 if target != url else 1)
        return Arrived(self._document(target), cost) if target in self.links else Dead("404", cost)

    def documents(self) -> Iterable[Document]:
        return map(self._document, self.links)

    def topics(self) -> Collection[str]:
        return self.labels.keys()

    def about(self, topic: str) -> Collection[Fingerprint]:
        return frozenset(map(fingerprint, self.labels[topic]))

    def search(self, query: str, k: int) -> list[str]:
        """Return the pages that mention the query most often."""
        return sorted(self.links, key=lambda url: -self.texts.get(url, "").count(query))[:k]

    def _document(self, url: str) -> Document:
        links = tuple(
            Link(target, fingerprint(target), anchor=target.rsplit("/", 1)[1], position=number)
            for number, target in enumerate(self.links[url])
        )
        return Document(url, fingerprint(url), url, self.texts.get(url, ""), "en", links)


def url(name: object, host: int = 0) -> str:
    return f"http://h{host}.test/{name}"


def random_world(seed: int, pages: int = 60, hosts: int = 3) -> SmallWorld:
    """Return pages about corals and others, with every kind of failure."""
    rng = np.random.default_rng(seed)
    urls = [url(number, number % hosts) for number in range(pages)]
    links = {
        each: [urls[int(target)] for target in rng.integers(pages, size=int(rng.integers(1, 7)))]
        for each in urls
    }
    coral = {each for each in urls if rng.random() < 0.3}
    texts = {
        each: "coral reef bleaching " * int(rng.integers(1, 4)) + f"page {each}"
        if each in coral
        else f"stone road river {each}"
        for each in urls
    }
    trouble = {each: rng.random() for each in urls[1:]}
    gone = [each for each in trouble if trouble[each] < 0.1]
    for each in gone:
        del links[each]
    return SmallWorld(
        links,
        texts,
        {"Nature.Corals": sorted(coral & links.keys())},
        {each: urls[int(rng.integers(pages))] for each in trouble if 0.1 < trouble[each] < 0.2},
        [each for each in trouble if 0.2 < trouble[each] < 0.25],
        {each: float(rng.random()) * 3 for each in urls},
    )
