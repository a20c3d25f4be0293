"""A crawl continues from a snapshot exactly as from a replay of its whole journal."""

from __future__ import annotations

from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from journeys import Journey, new_population, state_of
from replayed import EVERY_SPECIES

from evocrawl.core.events import Event
from evocrawl.store.journal.facts import ReplayedState
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.replay import rebuild
from evocrawl.store.journal.sqlite_journal import SqliteJournal


def rebuilt(
    path: Path, species: str, seed: int
) -> tuple[JournaledPopulation, ReplayedState, list[Event]]:
    """Return the population of a stored crawl, its other facts, and the events since a snapshot."""
    journal = SqliteJournal(path, {})
    population, limits, events = new_population(species, seed)
    journaled = JournaledPopulation(population, limits, journal)
    past = rebuild(journal, journaled)
    journal.close()
    return journaled, past, events


def facts_of(past: ReplayedState) -> dict[str, Any]:
    """Return the facts, with species by name, since each population has its own objects."""
    plain = replace(past, cut_short={}, callbacks={})
    facts = {each.name: getattr(plain, each.name) for each in fields(plain)}
    facts["asked"] = {*past.asked}
    facts["cut_short"] = {visit: (lead, by.name) for visit, (lead, by) in past.cut_short.items()}
    facts["callbacks"] = {
        visit: (each.lead, each.species.name, each.targets)
        for visit, each in past.callbacks.items()
    }
    return facts


@pytest.mark.parametrize("species", EVERY_SPECIES)
def test_a_crawl_continues_from_a_snapshot_as_without_a_stop(species: str, tmp_path: Path) -> None:
    """Agents, streams, pages, claims and events are the same, also later ones."""
    check_continuation(species, 3, tmp_path / "state.sqlite")


@pytest.mark.parametrize("seed", range(6))
def test_a_long_crawl_continues_between_two_looks_at_the_links(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There, `evo` looks at its links after several pages, good or not; here after its first 20."""
    outdated = import_module("evocrawl.species.evo.outdated")
    monkeypatch.setattr(outdated, "_PAGES_FOR_EACH", 5)
    monkeypatch.setattr(outdated, "_LONG", 40)
    check_continuation("evo", seed, tmp_path / "state.sqlite")


def check_continuation(species: str, seed: int, path: Path) -> None:
    """Check that a crawl goes on from a snapshot and a part of the journal as without a stop."""
    journal = SqliteJournal(path, {})
    journey = Journey(species, seed, journal)
    for _ in range(150):
        journey.act()
    journey.journaled.take_snapshot()
    known = len(journey.events)
    for _ in range(60):
        journey.act()
    journey.journaled.commit()
    journal.close()
    journaled, past, events = rebuilt(path, species, seed)
    assert events == journey.events[known:]
    assert state_of(journaled.population) == state_of(journey.population)
    assert facts_of(past) == facts_of(journey.journaled.facts)
    for each in (journey.journaled, journaled):
        each.limits.is_replaying, each.population.admission.gate = True, lambda _: None
    going_on = [
        each.choose(1e6) for each in (journey.population, journaled.population) for _ in range(3)
    ]
    assert going_on[:3] == going_on[3:]


@pytest.mark.parametrize(
    ("every_visits", "is_taken"), [(200, True), (1_000_000, False), (0, False)]
)
def test_the_end_of_a_run_takes_a_snapshot_if_a_replay_would_be_long(
    every_visits: int, is_taken: bool, tmp_path: Path
) -> None:
    """Long beside the visits between two snapshots; not if there are to be none."""
    path = tmp_path / "state.sqlite"
    journey = Journey("best_first", 3, SqliteJournal(path, {}))
    for _ in range(150):
        journey.act()
    journey.journaled.snapshots.every_visits = every_visits
    assert 200 / 20 < journey.journaled.facts.settled < 200
    journey.journaled.close()
    journaled, past, events = rebuilt(path, "best_first", 3)
    assert events == ([] if is_taken else journey.events)
    assert state_of(journaled.population) == state_of(journey.population)
    assert facts_of(past) == facts_of(journey.journaled.facts)
