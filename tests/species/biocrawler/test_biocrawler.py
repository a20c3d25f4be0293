"""BioCrawlers: the domain that they follow, and the rules that they learn."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from checks import check
from hypothesis import given
from hypothesis import strategies as st
from tiny_webs import Web, crawl, link, make_population, random_web, visit

from evocrawl.core.config.config import Config
from evocrawl.core.model import Cost, Dead, Dropped, Fetched, Lead, Outcome, Page, Visit
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.simulation.runner import run
from evocrawl.simulation.worlds.made_up.sites import Sites, SitesPlan
from evocrawl.species.agent import Agent
from evocrawl.species.biocrawler.rules import LEAST_STRENGTH, RuleManager
from evocrawl.species.biocrawler.species import EXCHANGE_EVERY, TAX, ByRules, RuleLearning, mind_of
from evocrawl.species.biocrawler.vision import Vision

PAGE = Page("http://a.test/", fingerprint("http://a.test/"), 0.0, 0.0)
CAME = Fetched(PAGE, Cost())


def lead(url: str) -> Lead:
    """Return a link on a page."""
    return Lead(url, fingerprint(url), host_of(url), b"page", 1, 0.0)


A, B = lead("http://a.test/"), lead("http://b.test/")
MANY_OF_B = [A, *(lead(f"http://b.test/{number}") for number in range(9))]


class Life:
    """A crawler that chooses and learns; the test sets the outcome of each visit."""

    def __init__(self, condition: int = 1) -> None:
        self.manager = RuleManager()
        vision = Vision(8, lambda agent: mind_of(agent).trail, lambda _: False)
        self.choice = ByRules(condition)
        self.learning = RuleLearning(vision, self.manager, EXCHANGE_EVERY)
        self.species = make_population("biocrawler")[0].species[0]
        self.agent = Agent(1, 50.0, b"page", np.random.default_rng(1))

    def follow(self, leads: list[Lead], gained: float, outcome: Outcome = CAME) -> Lead:
        """Make one visit."""
        chosen = self.choice.draw(self.agent, leads)
        self.agent.energy += gained
        self.agent.visits += 1
        self.learning.learn(self.agent, Visit(1, 1, chosen, 0.0), outcome)
        return chosen

    @property
    def rules(self) -> dict[tuple[tuple[str, ...], str], float]:
        """Return its rules."""
        return {(each.condition, each.target): each.strength for each in mind_of(self.agent).rules}


def test_the_domain_is_drawn_before_the_link() -> None:
    """Nine links to one domain have the same weight as one link to another."""
    life = Life()
    drawn = Counter(life.choice.draw(life.agent, MANY_OF_B).host for _ in range(600))
    assert 240 < drawn["a.test"] < 360
    links = Counter(life.choice.draw(life.agent, MANY_OF_B).url for _ in range(600))
    assert len(links) == 10


def test_only_food_makes_a_rule() -> None:
    """It begins with the least strength and the gained energy."""
    life = Life()
    life.follow([A], -1.0)
    life.follow([A], 14.0, Dropped("filtered"))
    assert life.rules == {}
    life.follow([A], 14.0)
    assert life.rules == {(("a.test",), "a.test"): LEAST_STRENGTH + 14.0}


def test_a_rule_is_followed_taxed_and_credited_until_it_is_too_weak() -> None:
    """Then a random draw decides again."""
    life = Life()
    life.follow([A], 14.0)
    strength = LEAST_STRENGTH + 14.0
    for gained in (14.0, 3.0, 14.0):
        assert life.follow(MANY_OF_B, gained) == A
        strength += gained - TAX
        assert life.rules == ({(("a.test",), "a.test"): strength} if strength >= 20 else {})
    assert life.follow([A], -5.0, Dead("404", Cost())) == A
    assert life.rules == {}
    assert {life.follow(MANY_OF_B, -1.0).host for _ in range(40)} == {"a.test", "b.test"}


def test_a_site_that_always_has_food_is_left_after_some_time() -> None:
    """The tax exceeds the gain from food, so no crawler follows one rule for ever."""
    life = Life()
    life.follow([A], 14.0)
    uses = 0
    while life.rules:
        life.follow([A, B], 14.0)
        uses += 1
    assert uses == 15


def test_a_condition_has_some_of_the_domains_in_sight() -> None:
    """Its target is always one of them."""
    leads = [lead(f"http://{name}.test/") for name in "abcdef"]
    for size in (1, 3, 6, 9):
        life = Life(size)
        chosen = life.follow(leads, 14.0)
        ((condition, target),) = life.rules
        assert target == chosen.host
        assert target in condition
        assert len(set(condition)) == min(size, 6)
        assert life.follow(leads, 0.0) == chosen


def test_crawlers_share_what_they_know() -> None:
    """Each after a number of visits; afterwards both know the rule."""
    one, other = Life(), Life()
    other.learning = one.learning
    one.agent.visits = other.agent.visits = EXCHANGE_EVERY - 2
    one.follow([A], 14.0)
    assert one.manager.rules == []
    one.follow([B], -1.0)
    assert other.rules == {}
    for _ in range(2):
        other.follow([B], -1.0)
    assert other.rules == one.rules != {}


def test_a_clone_knows_what_its_parent_knows() -> None:
    """The parent keeps its rules."""
    life = Life()
    life.follow([A], 14.0)
    mind_of(life.agent).trail.pages = [b"page"]
    child = Agent(2, 1.0, b"page", np.random.default_rng(2), 1)
    life.species.breeding.inherit(life.agent, child)
    rule = mind_of(child).rules.strongest({"a.test"})
    assert rule is not None
    rule.strength = 0.0
    assert life.rules == {(("a.test",), "a.test"): 34.0}
    assert mind_of(child).trail.pages == [b"page"]


def test_a_mind_travels_with_its_biocrawler() -> None:
    """With rules and visits; the rule that led to the other population gets its tax back."""
    life = Life(condition=2)
    life.agent.visits = EXCHANGE_EVERY - 3
    life.follow([A, B], 14.0)
    minds = life.species.minds
    assert minds is not None
    life.choice.draw(life.agent, [A, B])
    row = minds.pack(mind_of(life.agent))
    assert json.loads(json.dumps(row)) == list(row)
    there = Life()
    there.agent.mind = minds.unpack(row)
    assert there.rules == {key: was + TAX for key, was in life.rules.items()} != {}
    assert minds.pack(there.agent.mind) == row
    there.follow([A], -1.0)
    assert there.manager.rules == []
    there.follow([A], -1.0)
    assert len(there.manager.rules) == 1


def test_an_agent_without_a_mind_travels_with_an_empty_row() -> None:
    """It gets a mind on arrival."""
    minds = Life().species.minds
    assert minds is not None
    assert minds.pack(None) == ()
    assert minds.unpack(()) is None


NUMBERS = st.floats(-1e9, 1e9) | st.integers(-9, 300) | st.sampled_from(["a", "b", ""])


@given(st.lists(NUMBERS, min_size=1, max_size=12))
def test_an_invalid_row_of_a_mind_is_refused(row: list[Any]) -> None:
    """A row that is accepted has valid rules."""
    minds = Life().species.minds
    assert minds is not None
    try:
        mind = minds.unpack(tuple(row))
    except (ValueError, TypeError):
        return
    for rule in mind.rules:
        assert rule.target in rule.condition
        assert 0 <= rule.strength <= 1e6


@pytest.mark.parametrize("species", ["biocrawler", "biocrawler_dumb"])
def test_crawlers_visit_known_pages_until_the_budget_is_used_up(species: str) -> None:
    """No agent dies and none is born."""
    web = Web({"http://a.test/": ["http://b.test/"], "http://b.test/": ["http://a.test/"]})
    population, ledger = make_population(species, budget=50, bounds=PopulationBounds(1))
    order = crawl(population, web, ["http://a.test/"])
    assert len(order) == 50
    assert min(Counter(order)["http://a.test/"], Counter(order)["http://b.test/"]) > 10
    assert population.ended == "budget"
    assert (ledger.births, ledger.deaths) == (1, 0)


@pytest.mark.parametrize("mix", ["biocrawler+energy", "biocrawler+best_first"])
def test_biocrawlers_live_with_others(mix: str) -> None:
    """Under common bounds, where they clone and die."""
    for seed in range(5):
        web = random_web(np.random.default_rng(seed), 40)
        population, ledger = make_population(
            mix, seed=seed, budget=150, bounds=PopulationBounds(4, 2, 12), energy="linear", cost=0.2
        )
        population.place(link(url) for url in [*web.links][:3])
        while (chosen := population.choose(0.0)) is not None:
            visit(population, web, chosen)
        check(population, ledger)
        assert population.ended in ("budget", "exhausted")
        assert ledger.births > 4


def test_alone_they_live_on_semantic_content() -> None:
    """The economy of the paper: food 15, a move 1, traps and obstacles 5, without a query."""
    sites = Sites(SitesPlan(sites=20), np.random.default_rng(4))
    config = Config.read({}, {"species": "biocrawler", "agents": 2, "max_requests": 300})
    events = list[object]()
    done = run(sites, config, [sites.url(3)], on_event=[events.append])
    food = sum(sites.kind_of(step.url) == "semantic" for step in done.steps)
    kinds = Counter(step.outcome for step in done.steps)
    assert food == sum(step.relevance == 1.0 for step in done.steps) > 60
    spent = kinds["fetched"] + 5 * (kinds["dead"] + kinds["refused"])
    assert done.steps[-1].energy == pytest.approx(100 + 15 * food - spent)
    assert done.stop_reason == "budget"
