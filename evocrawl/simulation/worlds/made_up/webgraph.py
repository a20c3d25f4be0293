"""Directed graphs with power-law degrees and as much clustering as is asked for.

Degrees come first, links after: every page gets a number of outgoing and of incoming ends drawn
from truncated power laws, and ends are then paired (the configuration model: Newman, Strogatz &
Watts 2001). To get a small world, pages lie on a ring (of topics) and a share of the pairs is made
between neighbours, the others at random: Watts & Strogatz' mixture of order and chance, with the
degrees of a scale-free web. Both kinds of pairing leave the degrees as drawn.
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
"""Standard deviation of a page's place, in stretches."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Links of page i: ``targets[starts[i]:starts[i + 1]]``; shapes (links,), (pages + 1,)."""

    starts: Integers
    targets: Integers

    def __len__(self) -> int:
        return len(self.starts) - 1

    def out(self, page: int) -> Integers:
        """Return the pages that `page` links to."""
        return self.targets[self.starts[page] : self.starts[page + 1]]

    def out_degrees(self) -> Integers:
        """Return the number of links on each page."""
        return np.diff(self.starts)

    def in_degrees(self) -> Integers:
        """Return the number of links to each page."""
        return np.bincount(self.targets, minlength=len(self)).astype(np.int64)

    def sources(self) -> Integers:
        """Return the page of each link, beside `targets`."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.out_degrees())

    def undirected(self) -> Graph:
        """Return the graph in which every link goes both ways, each pair once."""
        ends = self.sources(), self.targets
        both = np.concatenate(ends), np.concatenate(ends[::-1])
        keys = np.unique(both[0].astype(np.int64) * len(self) + both[1])
        return from_links(len(self), keys // len(self), keys % len(self))


def from_links(pages: int, sources: Integers, targets: Integers) -> Graph:
    """Return the graph of these links; those of one page keep their order."""
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
    """Draw out- and in-degrees of equal sums.

    Every page has at least `in_least` links to it, unless `out_most` allows too few. A law as
    flat as k^−1.3 has so large a mean that not all pages can have outgoing links: pages get theirs
    one after the other, until the sums are equal, and the rest have none (as articles that were
    found and never opened).
    """
    incoming = power_law(in_exponent, in_least, max(pages // 20, in_least), pages, rng)
    drawn = power_law(out_exponent, 1, min(out_most, max(pages // 4, 1)), pages, rng)
    total = incoming.sum()
    before = np.cumsum(drawn) - drawn
    outgoing = np.clip(total - before, 0, drawn)
    short = int(total - outgoing.sum())
    if short > 0:  # so few links a page that some links to pages have to go
        ends = rng.permutation(np.repeat(np.arange(pages), incoming))[short:]
        incoming = np.bincount(ends, minlength=pages)
    return rng.permutation(outgoing), incoming


def wire(
    outgoing: Integers, incoming: Integers, near: float, width: float, rng: Generator
) -> Graph:
    """Pair the ends of links of pages that lie on a ring in the order of their numbers.

    The ring is cut into stretches of `width` pages, with blurred borders; in each, a share `near`
    of the ends that can be paired with each other is, and all the rest with any. So no stretch
    with many links to it shifts its neighbours' links along the ring.
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
    """Return as many ends of each stretch as its quota, by stretch, and then all others."""
    order = np.argsort(stretch, kind="stable")
    counts = np.bincount(stretch, minlength=len(quota))
    within = np.arange(len(ends)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = within < np.repeat(quota, counts)
    # What is left comes in the order it was shuffled in, or it would be paired nearby as well.
    return np.concatenate((ends[order[chosen]], ends[np.sort(order[~chosen])]))


def simple(pages: int, sources: Integers, targets: Integers, rng: Generator) -> Graph:
    """Return the graph without links to itself and without repeated links.

    Such links exchange their targets with others drawn at random, which leaves all degrees as
    they are; what is still wrong after 20 rounds (in tiny or very dense graphs) is left out.
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
    """The numbers of the links that lead to their own page or that are there before."""
    keys = sources * pages + targets
    order = np.argsort(keys, kind="stable")
    again = np.zeros(len(keys), dtype=bool)
    again[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return np.flatnonzero(again | (sources == targets))


def rewired(graph: Graph, rng: Generator) -> Graph:
    """Return `graph` with its links' ends paired anew.

    "We applied two different random permutations to the origin and to the endpoint of the links,
    keeping the edge distribution unchanged" (Palotai, Farkas & Lőrincz, §4.1); one permutation
    of one side comes to the same. Links to the page itself and repeated ones are drawn again.
    Every page keeps its number of links, and of links to it, but for the few links that cannot be
    placed in a tiny or very dense graph.
    """
    return simple(len(graph), graph.sources().astype(int), rng.permutation(graph.targets), rng)
