"""The starting URLs of foragers, the pages that they hand on, and their splits and deletions."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from forager_paths import A, B, C, D, E, alone, lead, mind_of, state, steps
from tiny_webs import Web, link, make_population, visit

from evocrawl.core.config.config import Config
from evocrawl.core.events import Born, Paid
from evocrawl.core.model import Content, Cost, Dead, Fetched, Page
from evocrawl.population.assembly import assemble
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.species.agent import Agent
from evocrawl.species.foragers.mind import Mind
from evocrawl.species.foragers.species import KINDS, MAX_SCORE
from evocrawl.species.foragers.text_states import STATE_SIZE, TextStates


@pytest.mark.parametrize(("species", "is_same"), [("weblog", True), ("reinforcement", False)])
def test_weights_change_only_in_kinds_that_learn(species: str, is_same: bool) -> None:
    """The kind that only selects has fixed weights."""
    web = Web({A: [B, C], B: [A], C: [B]}, {B: 1.0})
    population = alone(species)
    population.species[0].sight.fleet.classify = lambda _: state(_0=0.5)  # type: ignore[attr-defined]
    population.place([link(A)])
    steps(population, web, 1)
    before = mind_of(population).weights.copy()
    steps(population, web, 12)
    assert np.array_equal(mind_of(population).weights, before) is is_same


def test_fixed_starting_urls_are_the_first_ten_visited() -> None:
    """The seeds and the next visits; later paths do not change them."""
    web = Web({f"http://a.test/{n}": [f"http://a.test/{n + 1}"] for n in range(30)})
    population = alone("reinforcement")
    population.place([link("http://a.test/0")])
    steps(population, web, 300)
    starts = mind_of(population).weblog.starts(100)
    assert [each.url for each in starts] == [f"http://a.test/{n}" for n in range(10)]


def test_every_seed_is_tried() -> None:
    """Also if there are more than the ten with which a weblog begins."""
    seeds = [f"http://a.test/{n}" for n in range(30)]
    population = alone()
    population.place(link(url) for url in seeds)
    assert set(steps(population, Web({url: [] for url in seeds}), 60)) >= set(seeds[10:])


def test_a_dead_starting_url_is_skipped_until_a_path_succeeds() -> None:
    """Without a starting URL the crawl ends."""
    web = Web({A: [], B: []}, failing={A: Dead("503", Cost())})
    population = alone()
    population.place([link(A), link(B)])
    order = steps(population, web, 30)
    assert {A, B} == set(order)
    assert (A, A) not in pairwise(order)
    population = alone()
    population.place([link(A)])
    assert steps(population, web, 1) == [A]
    assert population.choose(0.0) is None
    assert population.ended == "exhausted"


def watch(version: bytes, relevance: float = 1.0) -> Fetched:
    """Return a page A with one link and a text."""
    page = Page(A, link(A).fingerprint, relevance, relevance, (), version, Content("News", "Words"))
    return Fetched(page, Cost())


def test_each_version_of_a_page_is_handed_on_once() -> None:
    """It costs 0.05; the first to hand it on gets 1 and, for learning, 100, others −1."""
    population = make_population(
        "weblog", bounds=PopulationBounds(2, 2, 2), energy="linear", gain=1.0, cost=0.0
    )[0]
    population.lifecycle.fees = replace(population.lifecycle.fees, hand_on=0.05)
    population.place([link(A)])
    first, second = population.lifecycle.agents.values()
    paid = {first.id: [], second.id: []}  # type: ignore[var-annotated]
    for now_s in range(0, 3600, 60):
        chosen = population.choose(float(now_s))
        assert chosen is not None
        events = population.settle(chosen.id, watch(b"1"))
        paid[chosen.agent] += [each.energy for each in events if isinstance(each, Paid)]
    assert [row.count(0.05) for row in paid.values()] == [1, 1]
    assert (first.energy, second.energy) == pytest.approx((100.95, 99.95))


def test_pages_that_are_no_news_are_not_handed_on() -> None:
    """They have no cost."""
    population = alone()
    population.place([link(A)])
    for _ in range(5):
        chosen = population.choose(0.0)
        assert chosen is not None
        population.settle(chosen.id, watch(b"1", 0.0))
    (agent,) = population.lifecycle.agents.values()
    assert agent.energy == 100
    assert mind_of(population).sent == {}


@pytest.mark.parametrize("species", KINDS)
def test_a_forager_of_a_score_of_200_splits_in_two(species: str) -> None:
    """The child gets half of the weblog and, if they are learnt, the weights."""
    assembly = assemble(
        Config.read({}, {"species": species}), concurrency=1, host_limit=lambda _: (1, 0.0),
        timeout_s=10.0,
    )  # fmt: skip
    population = assembly.population
    population.place([link(A)])
    chosen = population.choose(0.0)
    assert chosen is not None
    parent = population.lifecycle.agents[chosen.agent]
    parent.energy = MAX_SCORE - 0.5
    mind = parent.mind
    assert isinstance(mind, Mind)
    for name in "pqrs":
        mind.weblog.add(lead(name))
    events = population.settle(chosen.id, watch(b"1"))
    (born,) = (event for event in events if isinstance(event, Born))
    child = population.lifecycle.agents[born.agent]
    assert isinstance(child.mind, Mind)
    assert parent.energy == child.energy == pytest.approx((MAX_SCORE - 0.5 + 1 - 0.05) / 2)
    selects, learns = KINDS[species]
    sizes = (3, 2) if selects else (5, 5)
    assert (len(mind.weblog), len(child.mind.weblog)) == sizes
    assert np.array_equal(mind.weights, child.mind.weights) is learns


def test_foragers_are_deleted_down_to_two() -> None:
    """The last two stay alive below zero."""
    population = make_population(
        "weblog", bounds=PopulationBounds(3, 2, 16), energy="linear", gain=1.0, cost=60.0
    )[0]
    population.place([link(A)])
    web = Web({A: []})
    for now_s in range(0, 3600, 60):
        chosen = population.choose(float(now_s))
        assert chosen is not None
        visit(population, web, chosen)
    assert len(population) == 2
    assert max(agent.energy for agent in population.lifecycle.agents.values()) < 0
    assert population.lifecycle.agents.keys() == {2, 3}


def test_the_economy_is_that_of_the_reinforcing_agent() -> None:
    """Scores, bounds and what counts as relevant."""
    config = Config.read({}, {"species": "weblog"})
    assert (config.gain, config.cost, config.dead_cost, config.hand_on_cost) == (
        1.0,
        0.0,
        0.0,
        0.05,
    )
    assert (config.agents, config.lower_bound, config.upper_bound) == (2, 2, 16)
    assert (config.relevance, config.rewards, config.energy) == ("recency", "changed", "linear")


def test_foragers_live_together_with_other_species() -> None:
    """Leads of other species have no data of foragers; all visits settle."""
    web = Web({A: [B, C], B: [D], C: [E], D: [A], E: []}, {B: 1.0, D: 1.0})
    population, ledger = make_population("weblog+energy+best_first", budget=60)
    population.place([link(A)])
    while (chosen := population.choose(0.0)) is not None:
        visit(population, web, chosen)
    assert population.ended in ("budget", "exhausted")
    assert ledger.visits.opened == ledger.visits.settled > 5
    kinds = {type(agent.mind) for agent in population.lifecycle.agents.values()}
    assert kinds <= {Mind, type(None)}


def test_similar_texts_have_similar_states() -> None:
    """A state is 50 numbers in [−1, 1], and does not depend on earlier pages."""
    classify = TextStates()

    def of(text: str, states: TextStates = classify) -> np.ndarray:
        return states(Page(A, b"", 0.0, 0.0, content=Content("", text)))

    coral = of("coral bleaching happens when warm water makes corals expel their algae")
    other = of("when the warm water makes corals expel algae, coral bleaching happens")
    train = of("the railway committee approved a budget for seventeen stations yesterday")
    assert coral @ other > coral @ train
    assert coral.shape == (STATE_SIZE,)
    assert np.abs(coral).max() <= 1
    assert np.array_equal(train, of("the railway committee approved a budget for seventeen "
                                    "stations yesterday", TextStates()))  # fmt: skip
    assert not of("").any()
    assert of("\ud800\x00 日本語 ٣" * 5000).any()


def test_a_clone_does_not_continue_the_path_of_its_parent() -> None:
    """It begins its own path, without planned visits."""
    population = alone()
    population.place([link(A)])
    steps(population, Web({A: [B, C], B: [], C: []}), 2)
    (parent,) = population.lifecycle.agents.values()
    child = Agent(9, 100.0, b"", np.random.default_rng(1))
    parent.species.breeding.inherit(parent, child)
    assert isinstance(child.mind, Mind)
    assert (child.mind.step, child.mind.errands, child.mind.path) == (None, [], {})
