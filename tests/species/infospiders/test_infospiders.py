"""InfoSpiders: their choices, learning, inheritance and payments."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
import pytest
from crawled import to, url_of

from evocrawl.core.config.config import Config
from evocrawl.core.events import Born, Died, Event, Moved, Paid
from evocrawl.core.fees import Fees
from evocrawl.core.model import Content, Cost, Dead, Fetched, Lead, Link, Page, Refused, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.assembly import Assembly, assemble
from evocrawl.relevance.lexicon import Lexicon
from evocrawl.species import Species, SpeciesContext
from evocrawl.species.agent import Agent
from evocrawl.species.infospiders.keyword_net import Net
from evocrawl.species.infospiders.species import (
    Mind,
    Traits,
    budget_fees,
    characteristic_term,
    infospiders,
)

LEXICON = Lexicon("coral")
Pages = dict[str, tuple[float, Sequence[Link]]]


def living(traits: Traits | None = None, **options: object) -> tuple[Assembly, list[Event]]:
    """Return a population of the species with these traits, and its events."""

    def make(have: SpeciesContext) -> Species:
        lexicon = have.lexicon()
        return infospiders(have.base, have.open_links(), lexicon, contest=4, traits=traits)

    config = Config.read({}, {"query": "coral", "species": "infospiders", **options})
    assembly = assemble(
        config, concurrency=9, host_limit=lambda _: (9, 0.0), timeout_s=10.0, makers=(make,)
    )
    events: list[Event] = []
    assembly.population.on_event.append(events.append)
    return assembly, events


def crawl(
    assembly: Assembly,
    pages: Pages,
    seeds: Sequence[str],
    *,
    texts: dict[str, str] | None = None,
    seconds: float = 0.0,
) -> list[str]:
    """Crawl to the end, one visit after the other; the model gives the energy of a page."""
    population = assembly.population
    population.place([to(name) for name in seeds])
    names = {url_of(name): name for name in pages}
    order = list[str]()
    while (visit := population.choose(0.0)) is not None:
        assembly.budget.spend(visit.id)
        url = visit.lead.url
        order.append(names.get(url, url))
        if url not in names:
            population.settle(visit.id, Dead("404", Cost(seconds)))
            continue
        relevance, links = pages[names[url]]
        energy = population.price(relevance)
        content = Content(text=(texts or {}).get(names[url], ""))
        page = Page(url, fingerprint(url), relevance, energy, tuple(links), content=content)
        population.settle(visit.id, Fetched(page, Cost(seconds)))
    return order


def made(traits: Traits, query: str = "coral") -> tuple[Species, Agent, Assembly]:
    """Return the species in a population, with an agent without a page."""
    assembly, _ = living(traits, query=query)
    species = assembly.population.species[0]
    return species, Agent(1, 0.1, b"", np.random.default_rng(1)), assembly


def lead(name: str, near: str = "") -> Lead:
    """Return a link with words near it."""
    return Lead(url_of(name), fingerprint(url_of(name)), "a.test", b"p", 1, 0.0, features=near)


def reached(relevance: float, text: str = "") -> Fetched:
    """Return the outcome of a visit that fetched a page."""
    page = Page(url_of("p"), fingerprint(url_of("p")), relevance, 0.0, content=Content(text=text))
    return Fetched(page, Cost())


def test_one_founder_begins_at_each_seed_with_half_of_theta() -> None:
    """With any configured number of agents."""
    assembly, events = living(agents=7)
    crawl(assembly, {name: (0.0, []) for name in "abc"}, list("abc"))
    born = [event for event in events if isinstance(event, Born)]
    assert [event.energy for event in born] == [Traits().theta / 2] * 3
    visitors = {record.agent for record in map(assembly.base.get, assembly.base) if record}
    assert len(visitors) == 3


def test_links_are_drawn_by_the_softmax_of_their_estimates() -> None:
    """P ∝ exp(β·λ)."""
    species, agent, _ = made(Traits(greed=2.0))
    agent.mind = Mind(Net({"coral": 0.7}))
    leads = [lead("x", "coral"), lead("y", "stone"), lead("z", "stone\ncoral")]
    weights = [math.exp(2 * math.tanh(w)) for w in (0.7, 0.0, 0.35)]
    draws = Counter(species.choice.draw(agent, leads).url for _ in range(4000))
    for each, weight in zip(leads, weights, strict=True):
        assert draws[each.url] / 4000 == pytest.approx(weight / sum(weights), abs=0.03)


@pytest.mark.parametrize("greed", [0.0, 1e3, 1e6])
def test_a_link_is_drawn_for_any_greed(greed: float) -> None:
    """If β is large, the best link is followed."""
    species, agent, _ = made(Traits(greed=greed, mutation=0.0))
    leads = [lead("x", "stone"), lead("y", "coral")]
    assert species.choice.draw(agent, leads) in leads
    if greed:
        assert species.choice.draw(agent, leads) is leads[1]


def test_links_of_another_species_have_equal_estimates() -> None:
    """Such links have no words."""
    species, agent, _ = made(Traits(greed=100.0))
    leads = [replace(lead(name), features=0.5) for name in "xyz"]
    drawn = {species.choice.draw(agent, leads).url for _ in range(60)}
    assert len(drawn) == 3


def test_the_target_of_learning_is_the_page_with_its_best_link() -> None:
    """sim + μ · max λ over the page's links."""
    traits = Traits(rate=0.1, discount=0.5, mutation=0.0, trust=0.5)
    species, agent, _ = made(traits)
    outcome = reached(0.3)
    links = [replace(lead("l", "coral"), source=outcome.page.fingerprint)]
    species.sight.found(links)
    expected = Net({"coral": 0.5})
    expected.learn("coral", 0.3 + 0.5 * math.tanh(0.5), 0.1)
    species.learning.learn(agent, Visit(1, 1, lead("p", "coral"), 0.0), outcome)
    assert isinstance(agent.mind, Mind)
    assert agent.mind.net == expected


def test_a_dead_link_has_the_target_zero_and_a_forbidden_one_none() -> None:
    """The estimate falls after the first and stays after the second."""
    species, agent, _ = made(Traits(mutation=0.0))
    visit = Visit(1, 1, lead("p", "coral"), 0.0)
    species.learning.learn(agent, visit, Refused(Cost()))
    assert isinstance(agent.mind, Mind)
    assert agent.mind.net == Net({"coral": 0.5})
    species.learning.learn(agent, visit, Dead("404", Cost()))
    assert agent.mind.net.weights["coral"] < 0.5


def test_one_child_is_born_above_theta_and_energy_is_halved() -> None:
    """Not at θ; an agent dies only below 0."""
    species, agent, _ = made(Traits(theta=2.0))
    states = [(2.0, 0, False), (2.1, 1, False), (9.0, 1, False), (0.0, 0, False), (-0.1, 0, True)]
    for energy, clones, doomed in states:
        agent.energy = energy
        assert (species.breeding.clones(agent), species.breeding.is_doomed(agent)) == (
            clones,
            doomed,
        )
    assembly, events = living(Traits(theta=0.4))
    crawl(assembly, {"a": (0.5, [])}, ["a"])
    child = [event for event in events if isinstance(event, Born)][-1]
    assert child.parent is not None
    assert child.energy == pytest.approx((0.2 + 0.5) / 2)


def test_a_child_gets_the_most_characteristic_frequent_term_of_its_birth_page() -> None:
    """Its weight lies near 0, the others are the parent's and a little more."""
    species, agent, _ = made(Traits(mutation=0.1))
    text = "polyp polyp polyp and and and and water water water water zooxanthella 1998 1998 1998"
    species.learning.learn(agent, Visit(1, 1, lead("p"), 0.0), reached(0.9, text))
    agent.page = fingerprint(url_of("p"))
    assert isinstance(agent.mind, Mind)
    agent.mind.net.weights["coral"] = 3.0
    child = Agent(2, 1.0, agent.page, np.random.default_rng(2), 1)
    species.breeding.inherit(agent, child)
    assert isinstance(child.mind, Mind)
    assert [*child.mind.net.weights] == ["coral", "polyp"]
    assert 0 < abs(child.mind.net.weights["coral"] - 3.0) < 1
    assert 0 < abs(child.mind.net.weights["polyp"]) < 1
    assert agent.mind.net.weights == {"coral": 3.0}


def test_a_child_of_another_page_or_with_enough_terms_gets_no_new_term() -> None:
    """The text of earlier pages is not stored."""
    for traits, page in ((Traits(), b"elsewhere"), (Traits(keywords=1), b"")):
        species, agent, _ = made(traits)
        species.learning.learn(agent, Visit(1, 1, lead("p"), 0.0), reached(0.9, "polyp " * 9))
        agent.page = page or fingerprint(url_of("p"))
        child = Agent(2, 1.0, agent.page, np.random.default_rng(2), 1)
        species.breeding.inherit(agent, child)
        assert isinstance(child.mind, Mind)
        assert [*child.mind.net.weights] == ["coral"]


def test_a_text_without_a_frequent_new_term_has_no_characteristic_one() -> None:
    """Nor has an empty one."""
    for text in ("", "coral coral", "polyp once", "the the 12 12"):
        assert characteristic_term(LEXICON, text, {"coral": 1.0}) == ""


def test_an_agent_leaves_a_dead_end_by_its_back_link() -> None:
    """To the page it came from; from there it follows the other links."""
    assembly, events = living()
    pages: Pages = {"a": (0.0, [to("b"), to("c"), to("d")]), "b": (0.0, []), "c": (0.0, []),
                    "d": (0.0, [])}  # fmt: skip
    assert sorted(crawl(assembly, pages, ["a"])) == list("abcd")
    moves = [event for event in events if isinstance(event, Moved)]
    assert [(move.why, move.page) for move in moves] == [("back", fingerprint(url_of("a")))] * 2


def test_an_agent_goes_to_open_links_elsewhere_if_the_way_back_is_a_dead_end() -> None:
    """All links are followed."""
    assembly, events = living()
    pages: Pages = {
        "a": (0.0, [to("b"), to("e")]),
        "b": (0.0, [to("c")]),
        "c": (0.0, []),
        "e": (0.0, [to("f")]),
        "f": (0.0, []),
    }
    assert sorted(crawl(assembly, pages, ["a"])) == list("abcef")
    assert "dead end" in [event.why for event in events if isinstance(event, Moved)]
    assert assembly.population.ended == "exhausted"


def test_the_fee_for_time_makes_the_energy_last_for_the_budget() -> None:
    """c_t = #INIT_URLS · THETA / MAX_PAGES, all of it for a fetch of t_max."""
    fees = Fees(visit=0.0, refusal=0.0, dead=0.0)
    assert budget_fees(fees, 10, 1000, 0.25).latency == pytest.approx(0.0025)
    assert budget_fees(fees, 10, None, 0.25) == fees
    assert budget_fees(replace(fees, latency=0.7), 10, 1000, 0.25).latency == 0.7
    assembly, events = living(max_requests=100)
    crawl(assembly, {name: (0.0, []) for name in "ab"}, ["a", "b"], seconds=5.0)
    paid = [event.energy for event in events if isinstance(event, Paid)]
    assert paid == [pytest.approx(2 * Traits().theta / 100 / 2)] * 2


def test_agents_starve_on_a_slow_web_without_relevant_pages() -> None:
    """A founder's θ/2 pays for half the fetches of t_max that its share of the budget has."""
    assembly, events = living(max_requests=20)
    chain: Pages = {str(n): (0.0, [to(str(n + 1))]) for n in range(40)}
    assert len(crawl(assembly, chain, ["0"], seconds=10.0)) == 20 // 2 + 1
    assert assembly.population.ended == "extinct"
    assert any(isinstance(event, Died) for event in events)


def test_a_page_gives_its_relevance_once() -> None:
    """At its first visit; only founders get other energy."""
    assembly, _ = living(Traits(theta=10.0))
    crawl(assembly, {"a": (0.25, [to("b")]), "b": (0.5, [to("a")])}, ["a"])
    assert [agent.energy for agent in assembly.population.lifecycle.agents.values()] == [
        pytest.approx(5.75)
    ]


def test_a_mind_is_plain_data() -> None:
    """Numbers and strings by name: it can be stored as JSON."""
    assembly, _ = living()
    crawl(
        assembly, {"a": (0.5, [to("b", "coral")]), "b": (0.5, [])}, ["a"], texts={"b": "sea " * 9}
    )
    for agent in assembly.population.lifecycle.agents.values():
        assert isinstance(agent.mind, Mind)
        kept = json.loads(json.dumps(asdict(agent.mind)))
        assert Mind(Net(**kept["net"]), kept["back"]) == agent.mind
