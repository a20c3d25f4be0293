"""Foragers: paths, weblog, TD(0), and splitting."""

from __future__ import annotations

import numpy as np
import pytest
from forager_paths import A, B, C, D, alone, lead, mind_of, state, steps
from tiny_webs import Web, link

from evocrawl.species.foragers.mind import Frontier, Mind, Weblog
from evocrawl.species.foragers.species import KINDS
from evocrawl.species.foragers.text_states import STATE_SIZE


@pytest.mark.parametrize("species", KINDS)
def test_a_step_fetches_a_page_and_all_the_pages_it_links_to(species: str) -> None:
    """Then the path continues with one of these, which is fetched again with its own links."""
    web = Web({A: [B, C], B: [D], C: [D], D: [A]})
    population = alone(species)
    population.place([link(A)])
    order = steps(population, web, 5)
    assert order[:3] == [A, B, C]
    assert order[3] in (B, C)
    assert order[4] == D


def test_a_path_does_not_return_to_its_steps() -> None:
    """Pages of the path are fetched as links, but are no steps; at its end a new path begins."""
    web = Web({A: [B], B: [A]})
    population = alone()
    population.place([link(A)])
    assert steps(population, web, 4) == [A, B, B, A]
    assert [each.url for each in mind_of(population).path.values()] == [A]
    steps(population, web, 1)
    assert mind_of(population).path == {}


def test_a_path_ends_after_a_hundred_steps() -> None:
    """Also if the web is larger."""
    web = Web({f"http://a.test/{n}": [f"http://a.test/{n + 1}"] for n in range(150)})
    population = alone("reinforcement")
    population.place([link("http://a.test/0")])
    order = steps(population, web, 201)
    assert order[198:200] == ["http://a.test/99", "http://a.test/100"]
    assert int(order[200].rpartition("/")[2]) < 10


def test_the_next_step_is_the_page_of_the_highest_value() -> None:
    """Value is weights · state; the best leaves the frontier, the others stay."""
    frontier = Frontier()
    for name, value in (("a", 0.1), ("b", 0.9), ("c", -0.5), ("d", 0.5)):
        frontier.put(lead(name), state(_0=value))
    frontier.put(lead("a"), state(_0=0.7))
    weights = np.zeros(STATE_SIZE)
    weights[0] = 2.0
    order = [frontier.pop_best(weights) for _ in range(5)]
    assert [each and each.host[0] for each in order] == ["b", "a", "d", "c", None]
    assert len(frontier) == 0


def test_the_weblog_values_a_url_by_what_came_after_it() -> None:
    """New URLs get the sum of rewards from there on, known ones move 0.3 of the way."""
    weblog = Weblog()
    weblog.add(lead("a"))
    weblog.update([lead("a"), lead("b"), lead("c")], [10.0, -1.0, 100.0])
    values = {each.host[0]: weblog.values[each.fingerprint] for each in weblog.starts()}
    assert values == pytest.approx({"c": 100.0, "b": 99.0, "a": 0.3 * 109.0})
    assert [*values] == ["c", "b", "a"]


def test_the_weblog_keeps_the_best_hundred() -> None:
    """Paths begin at the ten best."""
    weblog = Weblog()
    weblog.update([lead(f"p{n}") for n in range(120)], [1.0] * 120)
    assert len(weblog) == 100
    assert [each.host for each in weblog.starts()] == [f"p{n}.test" for n in range(10)]


def test_a_split_halves_the_weblog() -> None:
    """At random, in order of value; both keep a single URL."""
    weblog = Weblog()
    weblog.update([lead(f"p{n}") for n in range(21)], [1.0] * 21)
    before = [*weblog.leads]
    other = weblog.halved(np.random.default_rng(1))
    assert (len(weblog), len(other)) == (11, 10)
    assert sorted([*weblog.leads, *other.leads]) == sorted(before)
    assert [*other.leads] == [each for each in before if each in other.leads]
    single = Weblog()
    single.add(lead("a"))
    assert [*single.halved(np.random.default_rng(1)).leads] == [*single.leads]


def test_weights_are_corrected_by_the_error_of_the_value() -> None:
    """δ = r + γ value(n+1) − value(n), weights += α δ state(n)."""
    mind = Mind(np.zeros(STATE_SIZE))
    mind.weights[:2] = (1.0, 2.0)
    mind.before, mind.profit = state(_0=0.5), 100.0
    mind.begin(lead("a"))
    mind.state = state(_1=1.0)
    mind.finish(learns=True)
    assert mind.weights[0] == pytest.approx(1.0 + 0.1 * (100 + 0.9 * 2.0 - 0.5) * 0.5)
    assert mind.weights[1] == 2.0
    assert (mind.profits, mind.profit) == ([100.0], 0.0)


def test_weights_stay_finite_for_any_rewards() -> None:
    """A step that would overshoot is shortened."""
    mind, rng = Mind(np.ones(STATE_SIZE)), np.random.default_rng(1)
    for number in range(2_000):
        mind.begin(lead(f"p{number}"))
        mind.state = np.sign(rng.normal(size=STATE_SIZE)).astype(np.float32)
        mind.profit = 1e5
        mind.finish(learns=True)
    assert np.isfinite(mind.weights).all()


def test_a_forager_that_learns_prefers_rewarded_pages() -> None:
    """Of two kinds of text, one has rewards."""
    mind, rng = Mind(np.zeros(STATE_SIZE)), np.random.default_rng(1)
    good, bad = state(_0=0.9, _1=0.2), state(_0=-0.2, _1=0.9)
    for number in range(200):
        mind.begin(lead(f"p{number}"))
        pays = rng.random() < 0.5
        # The reward belongs to the state before the step.
        mind.profit = 100.0 if mind.before is not None and mind.before[0] > 0.5 else -1.0
        mind.state = good if pays else bad
        mind.finish(learns=True)
    assert mind.weights @ good > mind.weights @ bad
