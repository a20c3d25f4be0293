"""The same degrees, links drawn at random: what a small world is compared with."""

from __future__ import annotations

from numpy.random import Generator

from evocrawl.simulation.webgraph import Graph, simple


def rewired(graph: Graph, rng: Generator) -> Graph:
    """Return `graph` with its links' ends paired anew.

    "We applied two different random permutations to the origin and to the endpoint of the links,
    keeping the edge distribution unchanged" (Palotai, Farkas & Lőrincz, §4.1); one permutation
    of one side comes to the same. Links to the page itself and repeated ones are drawn again.
    Every page keeps its number of links, and of links to it, but for the few links that cannot be
    placed in a tiny or very dense graph.
    """
    return simple(len(graph), graph.sources().astype(int), rng.permutation(graph.targets), rng)
