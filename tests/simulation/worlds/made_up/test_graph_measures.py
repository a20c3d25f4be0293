"""The estimators give the known values of small graphs."""

from __future__ import annotations

import numpy as np
import pytest

from evocrawl.simulation.worlds.made_up.graph_measures import (
    clustering_of,
    exponent_of,
    measure_graph,
)
from evocrawl.simulation.worlds.made_up.webgraph import Graph, from_links, power_law, rewired


def graph(pages: int, *links: tuple[int, int]) -> Graph:
    ends = np.array(links, dtype=np.int64).reshape(-1, 2)
    return from_links(pages, ends[:, 0], ends[:, 1])


RNG = np.random.default_rng(0)


def test_a_graph_keeps_its_links_by_page() -> None:
    """In the order in which they were given."""
    web = graph(3, (2, 0), (0, 2), (0, 1))
    assert [web.out(page).tolist() for page in range(3)] == [[2, 1], [], [0]]
    assert web.in_degrees().tolist() == [1, 1, 1]
    assert [web.undirected().out(page).tolist() for page in range(3)] == [[1, 2], [0], [0]]


def test_clustering_of_known_graphs() -> None:
    """A triangle with a tail: (1 + 1 + 1/3 + 0) / 4; a star has none."""
    triangle = graph(4, (0, 1), (1, 2), (2, 0), (2, 3), (1, 0))
    assert clustering_of(triangle, 9, RNG) == pytest.approx((1 + 1 + 1 / 3) / 4)
    assert clustering_of(graph(4, (0, 1), (0, 2), (0, 3)), 9, RNG) == 0.0
    assert clustering_of(graph(0), 9, RNG) == 0.0


def test_paths_follow_the_links() -> None:
    """A ring of five, one way: 1, 2, 3 and 4 links."""
    shape = measure_graph(graph(5, *((page, (page + 1) % 5) for page in range(5))), RNG)
    assert (shape.path_length, shape.largest_path, shape.reached) == (2.5, 4, 1.0)
    chain = measure_graph(graph(3, (0, 1), (0, 2)), RNG)
    assert (chain.path_length, chain.largest_path, chain.reached) == (1.0, 1, 1.0)


def test_a_graph_without_links_measures_nothing() -> None:
    """The values are 0, not NaN."""
    shape = measure_graph(graph(3), RNG)
    assert (shape.links, shape.clustering, shape.path_length, shape.out_exponent) == (0, 0, 0, 0)


@pytest.mark.parametrize(("gamma", "least"), [(1.3, 1), (2.57, 2), (3.5, 1)])
def test_exponents_are_estimated_from_draws(gamma: float, least: int) -> None:
    """20 000 draws give the exponent to a few hundredths."""
    draws = power_law(gamma, least, 200, 20_000, np.random.default_rng(1))
    assert draws.min() == least
    assert exponent_of(draws, least) == pytest.approx(gamma, abs=0.05)


def test_degrees_that_do_not_differ_have_no_exponent() -> None:
    """Nor has an empty list."""
    assert exponent_of(np.array([3, 3, 3]), 1) == 0.0
    assert exponent_of(np.array([], dtype=np.int64), 1) == 0.0


def test_rewiring_draws_links_to_itself_again() -> None:
    """Every page of a two-page circle can only link to the other one."""
    web = graph(2, (0, 1), (1, 0))
    for seed in range(10):
        again = rewired(web, np.random.default_rng(seed))
        assert [again.out(page).tolist() for page in range(2)] in ([[1], [0]], [[], []])
