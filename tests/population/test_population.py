"""The population on tiny webs: how agents choose, eat, pay, clone and die."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check
from tiny_webs import Web, crawl, link, make_population, random_web, visit

from evocrawl.core.config.presets import Rewards
from evocrawl.core.errors import SettleError
from evocrawl.core.events import Born, Cloned, Event, Fed, Laid, Paid, VisitOpened, VisitSettled
from evocrawl.core.model import Cost, Dead, Dropped, Fetched, Page, Refused
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.population.species_view import ROOT

A, B, C, D, E, F = (f"http://{letter}.test/" for letter in "abcdef")
TREE = Web(
    {
        A: [(B, "0.9"), (C, "0.1")],
        B: [(D, "0.2"), (E, "0.8")],
        C: [(F, "0.9")],
        D: [],
        E: [],
        F: [],
    },
    {A: 0.5, B: 0.4, C: 0.7, F: 0.9},
)
ONE_AGENT = PopulationBounds(1, 1, 1)


def urls(events: list[Event]) -> list[str]:
    """Return the URLs of the opened visits."""
    return [event.visit.lead.url for event in events if isinstance(event, VisitOpened)]


def settled_by(population: Population, outcome: Dead | Refused | Dropped) -> list[Event]:
    """Open one visit and settle it by `outcome`."""
    chosen = population.choose(0.0)
    assert chosen is not None
    return population.settle(chosen.id, outcome)


def test_breadth_first_goes_level_by_level() -> None:
    """Links are followed in the order in which they were found."""
    population, _ = make_population("breadth_first")
    assert crawl(population, TREE, [A]) == [A, B, C, D, E, F]


def test_best_first_follows_links_of_the_most_relevant_page() -> None:
    """C (0.7) was found beside B, so its link F comes before those of B (0.4)."""
    population, _ = make_population("best_first")
    assert crawl(population, TREE, [A]) == [A, B, C, F, D, E]


def test_an_agent_follows_the_links_whose_words_match() -> None:
    """Without boldness, links with matching words are followed first."""
    web = Web({A: [(C, ""), (B, "0.9")], B: [(D, ""), (E, "0.8")], C: [], D: [], E: []})
    for seed in range(5):
        population, _ = make_population(
            bounds=ONE_AGENT, seed=seed, boldness=0.0, wander_share=0.0, cost=0.1
        )
        assert crawl(population, web, [A])[:3] == [A, B, E]


def test_a_dead_end_is_left_for_a_page_with_open_links() -> None:
    """At no cost, and the event has the reason."""
    web = Web({A: [B, C], B: [], C: []})
    population, ledger = make_population(bounds=ONE_AGENT, wander_share=0.0)
    assert sorted(crawl(population, web, [A])) == [A, B, C]
    assert ledger.moves["dead end"] == 1
    assert population.ended == "exhausted"


def test_the_first_visit_leaves_energy_and_the_visitor_eats_it() -> None:
    """With the linear model: ρ·r − C, and depth and parent are kept."""
    population, _ = make_population(
        bounds=PopulationBounds(1, 0, 9), energy="linear", gain=1.0, cost=0.25
    )
    population.place([link(A)])
    chosen = population.choose(3.0)
    assert chosen is not None
    assert (chosen.lead.source, chosen.lead.depth, chosen.started_at_s) == (ROOT, 0, 3.0)
    page = link(A).fingerprint
    assert population.settle(chosen.id, TREE.answer(A, population.price)) == [
        Laid(page, 0.5, 0.25),
        Fed(1, page, 0.25),
        VisitSettled(chosen, "fetched", "", 0.5, True),
        Born(2, 1, 0.625, "energy"),
        Cloned(1, (2,), 0.625),
    ]
    following = population.choose(3.0)
    assert following is not None
    assert (following.lead.source, following.lead.depth) == (page, 1)


@pytest.mark.parametrize(
    ("outcome", "paid"),
    [
        (Dead("404", Cost(seconds=5.0)), [("latency", 0.5), ("dead", 0.5)]),
        (Refused(Cost(seconds=5.0)), [("refusal", 1.0)]),
        (Dropped("filtered"), []),
    ],
)
def test_visits_without_a_page_have_their_costs(
    outcome: Dead | Refused | Dropped, paid: list[tuple[str, float]]
) -> None:
    """A dead link costs time and a visit, a refusal its own fee, a dropped visit nothing."""
    population, ledger = make_population(bounds=ONE_AGENT, latency=1.0)
    population.place([link(A)])
    events = settled_by(population, outcome)
    assert [(e.reason, e.energy) for e in events if isinstance(e, Paid)] == paid
    assert [e.outcome for e in events if isinstance(e, VisitSettled)] == [
        type(outcome).__name__.lower()
    ]
    assert ledger.pages == 0
    check(population, ledger)


def test_an_agent_counts_its_settled_visits() -> None:
    """Those under way are counted apart."""
    population, _ = make_population(bounds=ONE_AGENT, wander_share=0.0)
    population.place([link(A), link(B), link(C)])
    agent = next(iter(population.lifecycle.agents.values()))
    for number in range(3):
        assert (agent.visits, agent.in_flight) == (number, 0)
        chosen = population.choose(0.0)
        assert chosen is not None
        assert (agent.visits, agent.in_flight) == (number, 1)
        population.settle(chosen.id, Dropped("filtered"))
    assert (agent.visits, agent.in_flight) == (3, 0)


@pytest.mark.parametrize(
    ("rewards", "laid"),
    [("first", [b"1"]), ("changed", [b"1", b"2"]), ("always", [b"1", b"1", b"2", b"2"])],
)
def test_a_known_page_pays_again_as_the_option_allows(rewards: Rewards, laid: list[bytes]) -> None:
    """Never, if its content has changed, or always; the page's energy is in an event."""
    population, ledger = make_population(bounds=ONE_AGENT, rewards=rewards)
    population.place([link(B), link(C), link(D), link(E)])
    paid = list[bytes]()
    for version in (b"1", b"1", b"2", b"2"):
        chosen = population.choose(0.0)
        assert chosen is not None
        page = Page(A, link(A).fingerprint, 0.5, population.price(0.5), (), version)
        events = population.settle(chosen.id, Fetched(page, Cost()))
        paid += [version for each in events if isinstance(each, Laid)]
    assert paid == laid
    check(population, ledger)


def test_a_redirect_to_a_known_page_leaves_no_energy() -> None:
    """The second visitor pays for the visit, and the page's links are not added twice."""
    web = Web({A: [B, C], C: [D], D: []}, {C: 1.0}, moved={B: C})
    for seed in range(8):
        population, ledger = make_population(bounds=ONE_AGENT, seed=seed, wander_share=0.0)
        order = crawl(population, web, [A])
        assert order.count(C) <= 1
        assert sorted({*order, C}) == sorted([A, B, C, D])
        assert ledger.pages == 3
        check(population, ledger)


def test_energy_waits_on_the_page_while_the_population_is_full() -> None:
    """Algorithm 2: the agent pays C and leaves the energy on the page."""
    population, _ = make_population(bounds=ONE_AGENT, energy="linear", gain=4.0, cost=0.5)
    population.place([link(A)])
    chosen = population.choose(0.0)
    assert chosen is not None
    events = population.settle(chosen.id, TREE.answer(A, population.price))
    assert Paid(1, 0.5, "visit") in events
    assert not any(isinstance(event, Fed) for event in events)
    assert population.environment.base.energy() == 1.5


def test_without_energy_anywhere_a_founder_begins_again() -> None:
    """It begins at the seeds and takes the place of the dying agent."""
    population, ledger = make_population(bounds=ONE_AGENT, cost=1.5, wander_share=0.0)
    web = Web({A: [B], B: [C], C: []})
    assert sorted(crawl(population, web, [A])) == [A, B, C]
    assert (len(population), ledger.deaths, ledger.founders) == (1, 3, 4)
    check(population, ledger)


def test_algorithm_1_dies_out_where_nothing_is_relevant() -> None:
    """B047: without bounds no agent is rescued."""
    population, ledger = make_population(
        bounds=PopulationBounds(founders=2), energy="linear", gain=1.0, cost=0.6
    )
    web = Web({A: [B, C, D, E, F], **{url: [] for url in (B, C, D, E, F)}})
    assert len(crawl(population, web, [A])) == 4
    assert population.ended == "extinct"
    assert (ledger.deaths, len(population)) == (2, 0)


def test_algorithm_1_explodes_where_everything_is_relevant() -> None:
    """Figure 2 of the paper: too large a gain."""
    population, ledger = make_population(
        bounds=PopulationBounds(founders=1), energy="linear", gain=30.0, cost=0.5
    )
    crawl(population, Web({A: [B], B: [C], C: []}, dict.fromkeys((A, B, C), 1.0)), [A])
    assert ledger.largest_population > 60
    check(population, ledger)


def test_a_second_settle_is_an_error_and_changes_nothing() -> None:
    """Each visit is settled exactly once."""
    population, ledger = make_population()
    population.place([link(A)])
    chosen = population.choose(0.0)
    assert chosen is not None
    visit(population, TREE, chosen)
    with pytest.raises(SettleError, match=str(chosen.id)):
        population.settle(chosen.id, Dropped("again"))
    with pytest.raises(SettleError, match="99"):
        population.settle(99, Dropped("never opened"))
    assert ledger.visits.settled == 1
    check(population, ledger)


@pytest.mark.parametrize("species", ["energy", "best_first"])
def test_a_crawl_ends_at_its_budget(species: str) -> None:
    """It makes no further request, and `ended` is "budget"."""
    population, ledger = make_population(species, budget=3)
    assert len(crawl(population, TREE, [A])) == 3
    assert population.ended == "budget"
    assert population.environment.budget.spent == ledger.visits.settled == 3


def test_a_dropped_visit_gives_its_request_back() -> None:
    """The budget counts requests that are sent."""
    population, _ = make_population(bounds=ONE_AGENT, budget=1)
    population.place([link(A), link(B)])
    settled_by(population, Dropped("filtered"))
    assert population.ended is None
    assert population.choose(0.0) is not None


def test_a_population_without_seeds_has_not_ended() -> None:
    """Seeds may still be placed; until then there is no agent to choose a link."""
    population, _ = make_population()
    assert population.choose(0.0) is None
    assert (population.ended, population.is_unborn, len(population)) == (None, True, 0)
    population.place([])
    assert population.is_unborn


def test_seeds_are_placed_once() -> None:
    """A seed that is given twice, also with another spelling, is visited once."""
    population, _ = make_population("breadth_first")
    population.place([link(A), link("HTTP://A.test")])
    population.place([link(A)])
    assert crawl(population, Web({A: []}), [A]) == [A]
    population.place([link(A)])
    assert population.choose(0.0) is None


def test_seeds_placed_later_wake_a_crawl_that_was_exhausted() -> None:
    """Start requests are placed one by one."""
    for species in ("energy", "breadth_first"):
        population, _ = make_population(species)
        assert crawl(population, Web({A: []}), [A]) == [A]
        assert population.ended == "exhausted"
        assert crawl(population, Web({B: []}), [B]) == [B]


@pytest.mark.parametrize("cap", [1, 4])
def test_the_same_seed_gives_the_same_events(cap: int) -> None:
    """Another seed gives other events."""
    web = random_web(np.random.default_rng(3), 50)
    histories = []
    for seed in (1, 1, 2):
        population, _ = make_population(seed=seed, max_unsettled=cap)
        events: list[Event] = []
        population.on_event.append(events.append)
        crawl(population, web, [*web.links][:1])
        histories.append(events)
    assert histories[0] == histories[1] != histories[2]


def test_settle_returns_the_events_that_listeners_get() -> None:
    """In the same order, except visits opened, which are events of `choose`."""
    population, _ = make_population()
    heard: list[Event] = []
    population.on_event.append(heard.append)
    population.place([link(A)])
    returned: list[Event] = []
    for _ in range(6):
        chosen = population.choose(0.0)
        assert chosen is not None
        before = len(heard)
        returned = population.settle(chosen.id, TREE.answer(chosen.lead.url, population.price))
        assert returned == heard[before:]
    assert len(urls(heard)) == 6
