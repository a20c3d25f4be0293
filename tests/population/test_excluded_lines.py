"""A user ends an agent and its descendants while the crawl runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_crawls import StoredCrawl

from evocrawl.core.events import Event, VisitOpened
from evocrawl.monitor.crawl_record import CrawlRecord
from evocrawl.monitor.stored_crawl import RebuiltPopulation
from evocrawl.monitor.views import exclusions_of, line_of
from evocrawl.species import SPECIES
from evocrawl.species.reasons import traits_of
from evocrawl.store.archive import Archive

LIVE_SPECIES = [each for each in SPECIES if each != "oracle"]
WITH_MINDS = {"evo", "infospiders", "weblog", "weblog_reinforcement"}


class Watched:
    """A crawl with the record of its agents, and the agents of the visits that were opened."""

    def __init__(self, path: Path, species: str, budget: int = 30) -> None:
        self.crawl = StoredCrawl(path, species, budget=budget)
        self.population = self.crawl.population
        self.opened: list[int] = []
        self.population.on_event.append(self._note)

    def _note(self, event: Event) -> None:
        if isinstance(event, VisitOpened):
            self.opened.append(event.visit.agent)

    def living(self, record: CrawlRecord, agent: int) -> list[int]:
        alive = self.population.lifecycle.agents
        return [each for each in line_of(record.agents, agent) if each in alive]


def watched(path: Path, species: str) -> tuple[Watched, CrawlRecord]:
    """Begin a crawl whose record has every agent."""
    one = Watched(path, species)
    record = CrawlRecord(one.population, one.crawl.assembly.ledger)
    for agent in one.population.lifecycle.agents.values():
        record._agent(agent.id).parent = agent.parent
    return one, record


def check_energy(one: Watched) -> None:
    """The ledger has the energy of the agents alive."""
    alive = one.population.lifecycle.agents.values()
    total = sum(each.energy for each in alive)
    assert one.crawl.assembly.ledger.energy.of_agents == pytest.approx(total)
    assert one.crawl.assembly.ledger.population == len(alive)


@pytest.mark.parametrize("species", LIVE_SPECIES)
def test_no_agent_of_an_excluded_line_visits_a_page_again(species: str, tmp_path: Path) -> None:
    """The crawl continues with others, the energies add up, and a replay makes the same crawl."""
    one, record = watched(tmp_path / "s", species)
    one.crawl.run(12)
    agent = one.opened[-1]
    line = one.living(record, agent)
    if not line:  # it has died of its last visit
        agent = next(iter(one.population.lifecycle.agents))
        line = one.living(record, agent)
    one.crawl.journaled.exclude_line(agent, line)
    assert not set(line) & set(one.population.lifecycle.agents)
    assert len(one.population) >= max(one.population.lifecycle.bounds.lower, 1)
    check_energy(one)
    before = len(one.opened)
    one.crawl.run()
    assert len(one.opened) > before
    assert not set(one.opened[before:]) & set(line)
    check_energy(one)
    one.crawl.close()
    assert exclusions_of(one.population) == [f"agent {agent} and its line"]

    with Archive(tmp_path / "s") as archive:
        again = RebuiltPopulation(archive.about())
        assert again.replay(archive.ops()) == ""
    assert exclusions_of(again.population) == exclusions_of(one.population)
    energies = {each.id: each.energy for each in one.population.lifecycle.agents.values()}
    assert {each.id: each.energy for each in again.population.lifecycle.agents.values()} == energies


@pytest.mark.parametrize("species", LIVE_SPECIES)
def test_a_visit_under_way_is_finished_first(species: str, tmp_path: Path) -> None:
    """Its page is settled; then the agent ends, without a clone."""
    one, record = watched(tmp_path / "s", species)
    one.crawl.run(5)
    one.crawl.now_s += 1.0
    visit = one.crawl.journaled.choose(one.crawl.now_s)
    assert visit is not None
    one.crawl.journaled.spend(visit.id)
    one.crawl.journaled.exclude_line(visit.agent, one.living(record, visit.agent))
    assert visit.agent in one.population.lifecycle.agents
    pages = one.crawl.assembly.ledger.visits.settled
    one.crawl.settle(visit)
    assert one.crawl.assembly.ledger.visits.settled == pages + 1
    assert visit.agent not in one.population.lifecycle.agents
    assert not one.population.lifecycle.excluded
    check_energy(one)
    before = len(one.opened)
    one.crawl.run()
    assert len(one.opened) > before
    assert visit.agent not in one.opened[before:]
    one.crawl.close()


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 40), max_size=6), st.sampled_from(["evo", "infospiders", "energy"]))
def test_any_agents_may_be_excluded_at_any_time(
    tmp_path_factory: pytest.TempPathFactory, agents: list[int], species: str
) -> None:
    """Also unknown and dead ones, and those of a line that is excluded already."""
    one, record = watched(tmp_path_factory.mktemp("line") / "s", species)
    for agent in agents:
        one.crawl.run(3)
        one.crawl.journaled.exclude_line(agent, one.living(record, agent))
        check_energy(one)
        assert len(one.population) >= 1
    one.crawl.run()
    assert not one.population.lifecycle.excluded
    one.crawl.close()


@pytest.mark.parametrize("species", LIVE_SPECIES)
def test_the_traits_of_agents_are_numbers_with_names(species: str, tmp_path: Path) -> None:
    """Species with minds name their parts; reading them changes nothing."""
    one, _ = watched(tmp_path / "s", species)
    one.crawl.run(20)
    agents = [*one.population.lifecycle.agents.values()]
    states = [str(each.rng.bit_generator.state) for each in agents]
    found = [traits_of(each, each.species.choice) for each in agents]
    assert [str(each.rng.bit_generator.state) for each in agents] == states
    if species in WITH_MINDS:
        assert any(found)
    elif species not in {"biocrawler", "reinforcement"}:  # rules and weblogs come with good pages
        assert not any(found)
    for traits in found:
        text = json.dumps([[each.name, each.value, each.average] for each in traits])
        assert "NaN" not in text
    one.crawl.close()
    if species == "evo":
        names = [each.name for traits in found for each in traits[:1]]
        assert set(names) == {"temperature"}
