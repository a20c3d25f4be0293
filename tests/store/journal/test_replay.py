"""A crawl is rebuilt from its journal after any events, also if the journal is cut."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from journeys import Journey, ListJournal, new_population, state_of
from replayed import EVERY_SPECIES, again

from evocrawl.core.errors import StateError
from evocrawl.core.model import Dropped
from evocrawl.population.population import Population
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import (
    Chosen,
    GivenBack,
    Limited,
    Op,
    VisitSettled,
)
from evocrawl.store.journal.replay import replay
from evocrawl.store.journal.sqlite_journal import SqliteJournal


def travelled(species: str, seed: int, acts: int) -> tuple[Journey, list[Op]]:
    """Return a crawl and its journal."""
    journal = ListJournal()
    journey = Journey(species, seed, journal)
    for _ in range(acts):
        journey.act()
    return journey, journal.kept


@pytest.mark.parametrize("species", EVERY_SPECIES)
def test_the_rebuilt_population_is_the_same(species: str) -> None:
    """Agents, their streams, pages, claims and events; both continue alike."""
    for seed in range(4):
        journey, ops = travelled(species, seed, 250)
        journaled, past, events = again(species, seed, ops)
        repeated = journaled.population
        assert events == journey.events
        assert state_of(repeated) == state_of(journey.population)
        assert past.runs == 1
        for each in (journey.journaled, journaled):
            # From here on both get the same limits of hosts and answers of the gate.
            each.limits.is_replaying, each.population.admission.gate = True, lambda _: None
        going_on = [each.choose(1e6) for each in (journey.population, repeated) for _ in range(3)]
        assert going_on[:3] == going_on[3:]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(EVERY_SPECIES), st.integers(0, 2**32), st.integers(0, 80), st.data())
def test_a_journal_that_is_cut_gives_the_state_at_that_entry(
    species: str, seed: int, acts: int, data: st.DataObject
) -> None:
    """R2, C3: a kill leaves the first part of the journal."""
    journey, ops = travelled(species, seed, acts)
    cut = data.draw(st.integers(0, len(ops)))
    if any(isinstance(op, GivenBack) for op in ops[cut : cut + 1]):
        cut += 1  # a link is opened again in the commit that ends its visit
    journaled, _, events = again(species, seed, ops[:cut])
    assert events == journey.events[: len(events)]
    replay(ops[cut:], journaled)
    assert state_of(journaled.population) == state_of(journey.population)


def test_another_process_rebuilds_the_same_population(tmp_path: Path) -> None:
    """From the file; sets have another order there."""
    reported = {}
    for species in EVERY_SPECIES:
        journal = SqliteJournal(tmp_path / species, {})
        journey = Journey(species, 5, journal)
        for _ in range(100):
            journey.act()
        journal.commit()
        journal.close()
        reported[species] = portrait(journey.population)
    code = (
        "import sys; from test_replay import *\n"
        "for name in EVERY_SPECIES:\n"
        "    ops = [*SqliteJournal(f'{sys.argv[1]}/{name}', {}).ops()]\n"
        "    print(name, portrait(again(name, 5, ops)[0].population))"
    )
    here, root = Path(__file__).parent, Path(__file__).parents[2]
    path = os.pathsep.join((str(here), str(root), os.environ.get("PYTHONPATH", "")))
    other = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": other},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    assert dict(line.split() for line in run.stdout.splitlines()) == reported


def portrait(population: Population) -> str:
    """Return a digest of its state, equal in every process."""
    state = state_of(population)
    state["claimed"] = sorted(state["claimed"])
    return blake2b(repr(state).encode()).hexdigest()


def test_a_choice_that_differs_is_refused() -> None:
    """Another version of a species or a library would continue another crawl."""
    _, ops = travelled("best_first", 1, 60)
    place = next(i for i, op in enumerate(ops) if isinstance(op, Chosen) and op.visit == 3)
    ops[place] = Chosen(ops[place].now_s, (), 3, b"elsewhere")  # type: ignore[union-attr]
    with pytest.raises(StateError, match=f"entry {place + 1} .*another version"):
        again("best_first", 1, ops)


def test_a_settled_visit_that_is_not_under_way_is_refused() -> None:
    """The journal contradicts itself."""
    with pytest.raises(StateError, match="settles visit 7"):
        again("best_first", 1, [VisitSettled(7, Dropped(""))])


def test_limits_of_hosts_are_recorded_when_they_change() -> None:
    """Within one choice they do not change; an equal limit is not recorded."""
    answers = iter([(3, 0.0), (3, 0.0), (1, 2.0)])
    population, limits, _ = new_population("best_first", 0)
    journal = ListJournal()
    JournaledPopulation(population, limits, journal)
    limits._ask = lambda _: next(answers)
    for _ in range(3):
        limits.step()
        limits("a")
        limits("a")
    assert journal.kept == [Limited("a", 3, 0.0), Limited("a", 1, 2.0)]
