"""Agents take turns, revisit pages, die with visits under way, and eat without bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from checks import check
from tiny_webs import NO_LIMIT, Web, link, make_population

from evocrawl.core.events import Died, Event, Paid
from evocrawl.core.fetch import Fetch
from evocrawl.core.model import Cost, Dead, Lead, Visit
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.population.turns import TimeSlices
from evocrawl.species import SPECIES, SpeciesContext
from evocrawl.species.agent import Agent
from evocrawl.species.base import Move, Species, View
from evocrawl.species.energy import EnergySharing
from evocrawl.species.parts import Best

A, B, C = (f"http://{letter}.test/" for letter in "abc")
WEB = Web({A: [A, B], B: [A, B], C: [A, B]}, {A: 1.0})


class Everything:
    """The agent sees every link ever found, followed or not."""

    def __init__(self) -> None:
        self.leads: dict[bytes, Lead] = {}

    def found(self, leads: Sequence[Lead]) -> None:
        self.leads |= {lead.fingerprint: lead for lead in leads}

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:  # noqa: ARG002
        free = [lead for lead in self.leads.values() if is_free(lead.host)]
        return View(
            free, frozenset({lead.host for lead in self.leads.values()} if not free else ())
        )

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002
        return None

    def freed(self, host: str) -> None:
        pass


class InOrder(Best):
    """Seeds and links are worth nothing: the first one is followed."""

    def score(self, link: object, page: object) -> float:  # noqa: ARG002
        return 0.0


@pytest.fixture
def populate(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Population]:
    """Make a population of wanderers with options of the species and of the population."""

    def make(species: dict[str, object], **options: object) -> Population:
        def maker(_: SpeciesContext) -> Species:
            fresh = Species("wanderer", Everything(), InOrder(), EnergySharing(), revisits=True)
            return replace(fresh, **species)  # type: ignore[arg-type]

        monkeypatch.setitem(SPECIES, "wanderer", maker)
        options.setdefault("bounds", PopulationBounds(3, 1, 3))
        population, ledger = make_population("wanderer", energy="linear", **options)  # type: ignore[arg-type]
        population.checked = lambda: check(population, ledger)  # type: ignore[attr-defined]
        return population

    return make


def settle(population: Population, visit: Visit) -> list[Event]:
    """Settle with the answer of the web, and check all invariants."""
    population.environment.budget.spend(visit.id)
    events = population.settle(visit.id, WEB.answer(visit.lead.url, population.price))
    population.checked()  # type: ignore[attr-defined]
    return events


def test_agents_take_turns_of_a_slice(populate: Callable[..., Population]) -> None:
    """An agent works until its time is over, then the next by number; then the first again."""
    population = populate({"slice_s": 10.0}, cost=0.0)
    population.place([link(A), link(B)])
    workers = []
    for now_s in range(0, 40, 5):
        visit = population.choose(float(now_s))
        assert visit is not None
        workers.append(visit.agent)
        settle(population, visit)
    assert workers == [1, 1, 2, 2, 3, 3, 1, 1]


def test_a_slice_passes_on_while_its_agent_waits_for_a_host(
    populate: Callable[..., Population],
) -> None:
    """It is asked again when the host is free and its turn comes."""
    population = populate({"slice_s": 10.0}, limit=lambda _: (1, 12.0), cost=0.0)
    population.place([link(A)])
    first = population.choose(0.0)
    assert first is not None
    settle(population, first)
    population.environment.hosts.hold("b.test", 12.0)
    assert population.choose(1.0) is None
    assert population.wakes_at() == 12.0
    second = population.choose(12.0)
    assert second is not None
    assert (first.agent, second.agent) == (1, 2)
    assert population.ended is None


def test_an_agent_with_visits_under_way_keeps_its_slice(
    populate: Callable[..., Population],
) -> None:
    """An agent that waits for its own visits is not idle."""
    population = populate(
        {"slice_s": 10.0, "single_flight": False}, max_unsettled=9, cost=0.0, limit=NO_LIMIT
    )
    population.place([link(A)])
    first = population.choose(0.0)
    assert first is not None
    assert population.choose(1.0) is None
    settle(population, first)
    second = population.choose(2.0)
    assert second is not None
    assert (first.agent, second.agent) == (1, 1)


def test_no_page_has_two_visits_at_once(populate: Callable[..., Population]) -> None:
    """Other agents wait for the page, and visit it afterwards."""
    population = populate({}, max_unsettled=9, cost=0.0)
    population.place([link(A)])
    first = population.choose(0.0)
    assert first is not None
    assert population.choose(0.0) is None
    population.settle(first.id, Dead("500", Cost()))
    again = population.choose(0.0)
    assert again is not None
    assert again.lead.fingerprint == first.lead.fingerprint


def test_an_origin_that_stays_closed_frees_agents_with_several_visits(
    populate: Callable[..., Population],
) -> None:
    """No agent is lost, and fetched pages stay claimed."""
    population = populate(
        {"single_flight": False}, max_unsettled=9, bounds=PopulationBounds(1, 1, 1)
    )
    population.place([link(A)])
    visit = population.choose(0.0)
    assert visit is not None
    settle(population, visit)
    population.admission.gate = lambda url: url if url == A else None
    later = population.choose(0.0)
    assert later is not None
    assert later.lead.url == B
    population.close_origin(A)
    assert population.environment.base.is_claimed(visit.lead.fingerprint)
    settle(population, later)
    again = population.choose(0.0)
    assert again is not None
    assert again.lead.url == B


def test_a_species_that_revisits_pages_follows_a_redirect_to_a_known_page(
    populate: Callable[..., Population],
) -> None:
    """A front page that redirects is visited again and again."""
    population = populate({})
    population.place([link(A)])
    visit = population.choose(0.0)
    assert visit is not None
    base = population.environment.base
    base.claim(link(B).fingerprint)
    fetch = Fetch(visit, A, link(A).fingerprint)
    assert not fetch.moves_to(B, base)
    fetch = Fetch(visit, A, link(A).fingerprint)
    fetch.goes_anywhere = population.goes_anywhere(visit)
    assert fetch.moves_to(B, base)


def test_a_dead_agent_is_removed_from_every_queue(
    populate: Callable[..., Population],
) -> None:
    """Also if it had several visits under way; other agents continue."""
    population = populate(
        {"single_flight": False, "slice_s": 1e9},
        max_unsettled=9,
        bounds=PopulationBounds(2, 1, 3),
        cost=9.0,
    )
    population.place([link(B)])
    first = population.choose(0.0)
    assert first is not None
    assert any(isinstance(event, Died) for event in settle(population, first))
    second = population.choose(0.0)
    assert second is not None
    assert (first.agent, second.agent) == (1, 2)


@pytest.mark.parametrize(("unbuffered", "held"), [(True, 8.5), (False, 0.5)])
def test_a_full_population_eats_if_energy_is_not_kept_on_pages(
    populate: Callable[..., Population], unbuffered: bool, held: float
) -> None:
    """With the buffer the page keeps energy without room, and the agent pays for the visit."""
    population = populate(
        {"unbuffered": unbuffered}, bounds=PopulationBounds(1, 1, 1), gain=8.0, cost=0.5
    )
    population.place([link(A)])
    visit = population.choose(0.0)
    assert visit is not None
    settle(population, visit)
    (agent,) = population.lifecycle.agents.values()
    assert agent.energy == pytest.approx(held)


@pytest.mark.parametrize(("unbuffered", "founders"), [(True, 1), (False, 2)])
def test_an_agent_without_energy_survives_at_the_lower_bound_without_a_buffer(
    populate: Callable[..., Population], unbuffered: bool, founders: int
) -> None:
    """It keeps its mind; with the buffer a founder would take its place."""
    population = populate({"unbuffered": unbuffered}, bounds=PopulationBounds(1, 1, 1), cost=9.0)
    population.place([link(B)])
    visit = population.choose(0.0)
    assert visit is not None
    settle(population, visit)
    assert [*population.lifecycle.agents] == [founders]


def test_a_species_decides_which_pages_are_handed_on(populate: Callable[..., Population]) -> None:
    """The agent pays for them; `pays` is True if their content was new."""
    seen = list[bool]()

    def only_new(agent: Agent, page: object, *, pays: bool) -> bool:  # noqa: ARG001
        seen.append(pays)
        return pays

    population = populate({"hands_on": only_new}, bounds=PopulationBounds(1, 1, 1), cost=0.0)
    population.lifecycle.fees = replace(population.lifecycle.fees, hand_on=0.25)
    population.place([link(A)])
    paid = []
    for _ in range(2):
        visit = population.choose(0.0)
        assert visit is not None
        paid += [e.energy for e in settle(population, visit) if isinstance(e, Paid)]
    assert seen == [True, False]
    assert paid.count(0.25) == 1


def test_a_slice_passes_on_when_its_agent_has_nothing_to_do() -> None:
    """Or when its time is over; of idle agents only, each has slices again."""
    slices, alive = TimeSlices(10.0), {1, 2, 3}
    assert slices.works(1, alive, 0.0)
    assert (slices.has_begun(), slices.has_begun()) == (True, False)
    assert not slices.works(2, alive, 9.9)
    assert slices.works(2, alive, 10.0)
    assert not slices.idles(1)
    assert slices.idles(2)
    assert not slices.idles(2)
    assert slices.works(3, alive, 10.0)
    assert slices.works(1, alive, 20.0)
    assert slices.works(3, alive, 30.0)
    slices.wake()
    assert slices.works(1, alive, 40.0)
    assert slices.works(2, alive, 50.0)
    assert slices.works(3, {1, 3}, 51.0)
    for agent in (3, 1):
        assert slices.idles(agent)
        slices.works(agent, {1, 3}, 51.0)
    assert slices.works(3, {1, 3}, 51.0)


def test_slices_of_no_length_are_for_all_agents_at_once() -> None:
    """No slice begins."""
    slices = TimeSlices(0.0)
    assert all(slices.works(agent, {1, 2}, 0.0) for agent in (1, 2))
    assert not slices.has_begun()
