"""A crawl for a while with a journal, and its replay."""

from __future__ import annotations

from journeys import ListJournal, new_population

from evocrawl.core.events import Event
from evocrawl.species import SPECIES
from evocrawl.store.journal.facts import ReplayedState
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import (
    Op,
)
from evocrawl.store.journal.replay import replay

EVERY_SPECIES = [*sorted(SPECIES), "energy+best_first"]


def again(
    species: str, seed: int, ops: list[Op]
) -> tuple[JournaledPopulation, ReplayedState, list[Event]]:
    """Return a population on which `ops` were replayed, and the events that it emits."""
    population, limits, events = new_population(species, seed)
    journaled = JournaledPopulation(population, limits, ListJournal())
    return journaled, replay(ops, journaled), events
