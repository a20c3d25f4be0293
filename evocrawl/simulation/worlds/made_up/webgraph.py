"""Generates directed graphs with power-law degrees and a requested clustering.

Degrees are drawn first: every page gets numbers of outgoing and incoming ends from truncated power
laws; then the ends are paired (the configuration model: Newman, Strogatz & Watts 2001). For a small
world, pages lie on a ring (of topics); a share of the pairs connects neighbours, the others are
random: the mixture of order and chance of Watts & Strogatz, with the degrees of a scale-free web.
Both kinds of pairing keep the degrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.integer[Any]]
_ROUNDS = 20
_BLUR = 0.5
"""Standard deviation of the position of a page, in stretches."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Links of page i: ``targets[starts[i]:starts[i + 1]]``; shapes (links,), (pages + 1,)."""

    starts: Integers
    targets: Integers

    def __len__(self) -> int:
        return len(self.starts) - 1

    def out(self, page: int) -> Integers:
        """Return the pages to which `page` links."""
        return self.targets[self.starts[page] : self.starts[page + 1]]

    def out_of_all(self, pages: Integers) -> Integers:
        """Return the targets of all links of these pages, page by page."""
        starts = self.starts[pages]
        counts = self.starts[pages + 1] - starts
        before = np.cumsum(counts) - counts
        places = np.repeat(starts - before, counts) + np.arange(counts.sum())
        found: Integers = self.targets[places]
        return found

    def out_degrees(self) -> Integers:
        """Return the number of links on each page."""
        return np.diff(self.starts)

    def in_degrees(self) -> Integers:
        """Return the number of links to each page."""
        return np.bincount(self.targets, minlength=len(self)).astype(np.int64)

    def sources(self) -> Integers:
        """Return the source page of each link, parallel to `targets`."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.out_degrees())

    def undirected(self) -> Graph:
        """Return the graph in which every link goes both ways; each pair occurs once."""
        ends = self.sources(), self.targets
        both = np.concatenate(ends), np.concatenate(ends[::-1])
        keys = np.unique(both[0].astype(np.int64) * len(self) + both[1])
        return from_links(len(self), keys // len(self), keys % len(self))


def from_links(pages: int, sources: Integers, targets: Integers) -> Graph:
    """Return the graph of these links; the links of a page keep their order."""
    order = np.argsort(sources, kind="stable")
    starts = np.zeros(pages + 1, dtype=np.int64)
    np.cumsum(np.bincount(sources, minlength=pages), out=starts[1:])
    return Graph(starts, targets[order].astype(np.int32))


def power_law(exponent: float, least: int, most: int, size: int, rng: Generator) -> Integers:
    """Draw `size` whole numbers k in [least, most] with P(k) ∝ k^−exponent."""
    values = np.arange(least, most + 1)
    chances = np.cumsum(values ** -float(exponent))
    drawn: Integers = values[np.searchsorted(chances, rng.random(size) * chances[-1])]
    return drawn


def balanced_degrees(
    pages: int,
    out_exponent: float,
    in_exponent: float,
    out_most: int,
    in_least: int,
    rng: Generator,
) -> tuple[Integers, Integers]:
    """Draw out- and in-degrees with equal sums.

    Every page gets at least `in_least` incoming links, if `out_most` allows that. A law as flat as
    k^−1.3 has so large a mean that not all pages can have outgoing links: pages get their links one
    after the other until the sums are equal; the others have none (such as articles that a crawl
    found but never opened).
    """
    incoming = power_law(in_exponent, in_least, max(pages // 20, in_least), pages, rng)
    drawn = power_law(out_exponent, 1, min(out_most, max(pages // 4, 1)), pages, rng)
    total = incoming.sum()
    before = np.cumsum(drawn) - drawn
    outgoing = np.clip(total - before, 0, drawn)
    short = int(total - outgoing.sum())
    if short > 0:  # too few outgoing links: drop some incoming ones
        ends = rng.permutation(np.repeat(np.arange(pages), incoming))[short:]
        incoming = np.bincount(ends, minlength=pages)
    return rng.permutation(outgoing), incoming


def wire(
    outgoing: Integers, incoming: Integers, near: float, width: float, rng: Generator
) -> Graph:
    """Pair the link ends of pages that lie on a ring in the order of their numbers.

    The ring is cut into stretches of `width` pages, with blurred borders. In each stretch, a share
    `near` of the ends that can be paired with each other is paired; all other ends are paired at
    random. So a stretch with many incoming links does not shift the links of its neighbours.
    """
    pages = len(outgoing)
    sources = rng.permutation(np.repeat(np.arange(pages), outgoing))
    targets = rng.permutation(np.repeat(np.arange(pages), incoming))
    stretches = max(round(pages / width), 1)
    sources_at = _stretch_of(sources, pages, stretches, rng)
    targets_at = _stretch_of(targets, pages, stretches, rng)
    room = np.minimum(
        np.bincount(sources_at, minlength=stretches), np.bincount(targets_at, minlength=stretches)
    )
    quota = np.floor(near * room + rng.random(stretches)).astype(np.int64).clip(max=room)
    sources = _quota_first(sources, sources_at, quota)
    targets = _quota_first(targets, targets_at, quota)
    return simple(pages, sources, targets, rng)


def _stretch_of(places: Integers, pages: int, stretches: int, rng: Generator) -> Integers:
    blurred = places * (stretches / pages) + rng.normal(0.0, _BLUR, len(places))
    return np.floor(blurred).astype(np.int64) % stretches


def _quota_first(ends: Integers, stretch: Integers, quota: Integers) -> Integers:
    """Return the quota of ends of each stretch, sorted by stretch, and then all other ends."""
    order = np.argsort(stretch, kind="stable")
    counts = np.bincount(stretch, minlength=len(quota))
    within = np.arange(len(ends)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = within < np.repeat(quota, counts)
    # The others keep their shuffled order, or they would be paired nearby too.
    return np.concatenate((ends[order[chosen]], ends[np.sort(order[~chosen])]))


def simple(pages: int, sources: Integers, targets: Integers, rng: Generator) -> Graph:
    """Return the graph without links of a page to itself and without repeated links.

    Such links exchange their targets with random other links, which keeps all degrees; links that
    are still wrong after 20 rounds (in tiny or very dense graphs) are dropped.
    """
    for _ in range(_ROUNDS):
        wrong = _wrong(pages, sources, targets)
        if not len(wrong):
            break
        others = rng.integers(len(targets), size=len(wrong))
        for one, other in zip(wrong, others, strict=True):
            targets[one], targets[other] = targets[other], targets[one]
    keep = np.ones(len(targets), dtype=bool)
    keep[_wrong(pages, sources, targets)] = False
    return from_links(pages, sources[keep], targets[keep])


def _wrong(pages: int, sources: Integers, targets: Integers) -> Integers:
    """Return the indices of links that lead to their own page or repeat an earlier link."""
    keys = sources * pages + targets
    order = np.argsort(keys, kind="stable")
    again = np.zeros(len(keys), dtype=bool)
    again[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return np.flatnonzero(again | (sources == targets))


def rewired(graph: Graph, rng: Generator) -> Graph:
    """Return `graph` with its link ends paired again at random.

    "We applied two different random permutations to the origin and to the endpoint of the links,
    keeping the edge distribution unchanged" (Palotai, Farkas & Lőrincz, §4.1); one permutation
    of one side is equivalent. Links of a page to itself and repeated links are drawn again. Every
    page keeps its numbers of outgoing and incoming links, except for the few links that cannot be
    placed in a tiny or very dense graph.
    """
    return simple(len(graph), graph.sources().astype(int), rng.permutation(graph.targets), rng)
