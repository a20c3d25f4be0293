"""Measures generated graphs: exponents, clustering, distances.

====================  =======================================================================
measure               definition and estimator
====================  =======================================================================
exponent              −γ of P(k) ∝ k^−γ for k in [k_min, k_max], by maximum likelihood over whole
                      numbers (Clauset, Shalizi & Newman 2009, §3.1, truncated at the largest k)
clustering            of the undirected graph: mean over pages of the share of pairs of
                      neighbours that are linked; 0 below two neighbours (Watts & Strogatz 1998)
path length           mean number of links on a shortest path, over connected pairs of pages
                      from a sample of pages
largest path          the longest of these paths: a lower bound of the diameter
====================  =======================================================================

The foragers paper gives a "diameter" of 7.2893. A diameter is a whole number, so the paper
must mean the mean path length (as in Albert, Jeong & Barabási 1999, who use the same word).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from evocrawl.simulation.worlds.made_up.webgraph import Graph, Integers

_STEEPEST = 6.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Measures of one graph; a measure without data is 0, never NaN."""

    pages: int
    links: int
    out_exponent: float
    in_exponent: float
    clustering: float
    path_length: float
    largest_path: int
    reached: float
    """Share of the pairs of the sample that are connected."""


def measure_graph(
    graph: Graph, rng: Generator, *, in_least: int = 1, nodes: int = 10_000, sources: int = 40
) -> Shape:
    """Measure `graph`, clustering on `nodes` sampled pages and paths from `sources` of them.

    `in_least` is the k_min of the in-degrees; the k_min of the out-degrees is 1. Paths begin at
    pages with links. Takes O(nodes · neighbours² + sources · links).
    """
    lengths, reached = _paths(graph, sources, rng)
    return Shape(
        len(graph),
        len(graph.targets),
        -exponent_of(graph.out_degrees(), 1),
        -exponent_of(graph.in_degrees(), in_least),
        clustering_of(graph, nodes, rng),
        float(np.average(np.arange(len(lengths)), weights=lengths)) if lengths.any() else 0.0,
        max(len(lengths) - 1, 0),
        reached,
    )


def exponent_of(degrees: Integers, least: int) -> float:
    """Return γ of the degrees of at least `least`, in [0, 6]; 0 if all are equal.

    The likelihood is concave in γ, so a ternary search finds its maximum.
    """
    tail = degrees[degrees >= least]
    if not len(tail) or tail.min() == tail.max():
        return 0.0
    logs = np.log(np.arange(least, tail.max() + 1, dtype=np.float64))
    mean = float(np.log(tail).mean())

    def likelihood(gamma: float) -> float:
        return -gamma * mean - float(np.log(np.exp(-gamma * logs).sum()))

    low, high = 0.0, _STEEPEST
    while high - low > 1e-6:
        third = (high - low) / 3
        if likelihood(low + third) < likelihood(high - third):
            low += third
        else:
            high -= third
    return (low + high) / 2


def clustering_of(graph: Graph, nodes: int, rng: Generator) -> float:
    """Return the clustering coefficient over `nodes` random pages, or over all pages."""
    if not len(graph):
        return 0.0
    both = graph.undirected()
    sample = rng.choice(len(graph), size=min(nodes, len(graph)), replace=False)
    member = np.zeros(len(graph), dtype=bool)
    shares = []
    for page in sample:
        around = both.out(page)
        if len(around) < 2:
            shares.append(0.0)
            continue
        member[around] = True
        linked = np.count_nonzero(member[both.out_of_all(around)])
        member[around] = False
        shares.append(linked / (len(around) * (len(around) - 1)))
    return float(np.mean(shares))


def _paths(graph: Graph, sources: int, rng: Generator) -> tuple[Integers, float]:
    """Return the number of paths of each length from sampled pages, and the connected share."""
    linking = np.flatnonzero(graph.out_degrees())
    if not len(linking):
        return np.zeros(0, dtype=np.int64), 0.0
    starts = rng.choice(linking, size=min(sources, len(linking)), replace=False)
    rounds = [_ring_sizes(graph, int(page)) for page in starts]
    lengths = np.zeros(max(map(len, rounds)), dtype=np.int64)
    for sizes in rounds:
        lengths[: len(sizes)] += sizes
    lengths[0] = 0
    return lengths, float(lengths.sum() / (len(starts) * max(len(graph) - 1, 1)))


def _ring_sizes(graph: Graph, start: int) -> list[int]:
    """Return the numbers of pages that are 0, 1, 2 … links away from `start`."""
    seen = np.zeros(len(graph), dtype=bool)
    seen[start] = True
    ring = np.array([start])
    sizes = []
    while len(ring):
        sizes.append(len(ring))
        found = np.zeros(len(graph), dtype=bool)
        found[targets_of(graph, ring)] = True
        ring = np.flatnonzero(found & ~seen)
        seen |= found
    return sizes


def targets_of(graph: Graph, pages: Integers) -> Integers:
    """Return the targets of all links of `pages`, in the order of the pages."""
    counts = graph.starts[pages + 1] - graph.starts[pages]
    ends = np.cumsum(counts)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    targets: Integers = graph.targets[np.repeat(graph.starts[pages], counts) + within]
    return targets
