"""A crawl is rebuilt from its journal after any events, cut anywhere."""

from __future__ import annotations

import copy
import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from journeys import HOST_LIMIT, Journey, ListJournal, new_population, state_of
from tiny_webs import link, random_web

from evocrawl.core.errors import StateError
from evocrawl.core.events import Event
from evocrawl.core.model import Cost, Dead, Dropped, Fetched, Page
from evocrawl.population.population import Population
from evocrawl.species import SPECIES
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import (
    Chosen,
    GivenBack,
    Limited,
    Op,
    RunStarted,
    VisitSettled,
)
from evocrawl.store.journal.replay import ReplayedState, replay, resume
from evocrawl.store.journal.sqlite_journal import SqliteJournal

EVERY_SPECIES = [*sorted(SPECIES), "energy+best_first"]


def again(
    species: str, seed: int, ops: list[Op]
) -> tuple[JournaledPopulation, ReplayedState, list[Event]]:
    """A population to which `ops` were done again, and the events that it emits."""
    population, limits, events = new_population(species, seed)
    journaled = JournaledPopulation(population, limits, ListJournal())
    return journaled, replay(ops, journaled), events


def travelled(species: str, seed: int, acts: int) -> tuple[Journey, list[Op]]:
    """A crawl, and its journal."""
    journal = ListJournal()
    journey = Journey(species, seed, journal)
    for _ in range(acts):
        journey.act()
    return journey, journal.kept


@pytest.mark.parametrize("species", EVERY_SPECIES)
def test_the_population_is_what_it_was(species: str) -> None:
    """Agents, their streams, pages, claims and events; and it goes on as the other does."""
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
def test_a_journal_cut_anywhere_gives_the_state_of_that_moment(
    species: str, seed: int, acts: int, data: st.DataObject
) -> None:
    """R2, C3: a kill leaves a part of the journal, from its beginning on."""
    journey, ops = travelled(species, seed, acts)
    cut = data.draw(st.integers(0, len(ops)))
    if any(isinstance(op, GivenBack) for op in ops[cut : cut + 1]):
        cut += 1  # a link is opened again in the commit that ends its visit
    journaled, _, events = again(species, seed, ops[:cut])
    assert events == journey.events[: len(events)]
    replay(ops[cut:], journaled)
    assert state_of(journaled.population) == state_of(journey.population)


def test_another_process_makes_the_same_of_it(tmp_path: Path) -> None:
    """From the file, where sets have another order."""
    reported = {}
    for species in EVERY_SPECIES:
        journal = SqliteJournal(tmp_path / species, {})
        journey = Journey(species, 5, journal)
        for _ in range(150):
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
    """A digest of its state, equal in every process."""
    state = state_of(population)
    state["claimed"] = sorted(state["claimed"])
    return blake2b(repr(state).encode()).hexdigest()


def test_a_choice_that_differs_is_refused() -> None:
    """Another version of a species or a library would go on as another crawl."""
    _, ops = travelled("best_first", 1, 60)
    place = next(i for i, op in enumerate(ops) if isinstance(op, Chosen) and op.visit == 3)
    ops[place] = Chosen(ops[place].now_s, (), 3, b"elsewhere")  # type: ignore[union-attr]
    with pytest.raises(StateError, match=f"entry {place + 1} .*another version"):
        again("best_first", 1, ops)


def test_a_settled_visit_that_is_not_under_way_is_refused() -> None:
    """The journal contradicts itself."""
    with pytest.raises(StateError, match="settles visit 7"):
        again("best_first", 1, [VisitSettled(7, Dropped(""))])


def test_what_hosts_allow_is_noted_where_it_changes() -> None:
    """Within one choice it does not; an answer as before is no news."""
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


def test_links_cut_short_by_the_budget_are_given_back() -> None:
    """With the species that followed them, be the agent alive or not; and so once more."""
    journal = ListJournal()
    population, limits, _ = new_population("best_first", 0)
    journaled = JournaledPopulation(population, limits, journal)
    journaled.begin(RunStarted(9, 2, HOST_LIMIT))
    journaled.place([link("http://a.test/"), link("http://b.test/")])
    for outcome in (Dropped("over budget"), Dead("over budget", Cost())):
        visit = journaled.choose(1.0)
        assert visit is not None
        journaled.settle(visit.id, outcome)
    assert journaled.choose(1.0) is None
    repeated, past, _ = again("best_first", 0, journal.kept)
    assert sorted(past.cut_short) == [1, 2]
    for number, (lead, species) in past.cut_short.items():
        repeated.give_back(number, lead, species)
        journaled.give_back(number, lead, population.species[0])
    assert repeated.choose(2.0) == journaled.choose(2.0) is not None
    twice, past, _ = again("best_first", 0, journal.kept)
    assert past.cut_short == {}
    assert state_of(twice.population) == state_of(repeated.population)


def test_doors_that_open_while_a_visit_is_chosen_open_after_it() -> None:
    """The gate may learn something at the very moment it is asked."""
    journal = ListJournal()
    population, limits, _ = new_population("best_first", 0)
    journaled = JournaledPopulation(population, limits, journal)

    def gate(url: str) -> str | None:
        journaled.opened(url)
        return url

    journaled.guard(gate)
    journaled.place([link("http://a.test/")])
    assert journaled.choose(1.0) is None
    assert journaled.choose(1.0) is not None
    assert [type(op).__name__ for op in journal.kept[:3]] == ["Placed", "Chosen", "OriginOpened"]


@pytest.mark.parametrize(("then", "now"), [(16, 1), (1, 16)])
def test_links_wait_for_as_many_origins_as_in_the_run_that_is_replayed(then: int, now: int) -> None:
    """`evocrawl explain` replays one visit at a time, and a later run may have more or fewer."""
    journal = ListJournal()
    population, limits, _ = new_population("best_first", 0)
    journaled = JournaledPopulation(population, limits, journal)
    journal.append(run := RunStarted(100, then, HOST_LIMIT))
    journaled.obey(run)
    journaled.guard(lambda url: url)
    journaled.place([link("http://a.test/"), link("http://b.test/")])
    assert journaled.choose(1.0) is None
    assert len(population.admission) == (2 if then > 1 else 1)

    population, limits, _ = new_population("best_first", 0)
    population.max_unsettled = now
    again = JournaledPopulation(population, limits, ListJournal())
    replay(journal.kept, again)
    assert [*population.admission] == [*journaled.population.admission]


class Failing:
    """A way of learning that fails at the second visit."""

    def __init__(self) -> None:
        self.learnt = 0

    def learn(self, *_: object) -> None:
        self.learnt += 1
        if self.learnt == 2:
            raise ZeroDivisionError


def failing(population: Population) -> None:
    """Let the population's species fail."""
    for each in population.lifecycle.species:
        object.__setattr__(each, "learning", Failing())


def test_a_species_that_failed_fails_again(caplog: pytest.LogCaptureFixture) -> None:
    """Half-way at the same place, so that the rest is the same too."""
    journal = ListJournal()
    journey = Journey("best_first", 3, journal)
    failing(journey.population)
    failures = 0
    for _ in range(100):
        try:
            journey.act()
        except ZeroDivisionError:
            failures += 1
    population, limits, _ = new_population("best_first", 3)
    failing(population)
    replay(copy.copy(journal.kept), JournaledPopulation(population, limits, ListJournal()))
    assert failures == 1
    assert "failed at entry" in caplog.text
    assert state_of(population) == state_of(journey.population)


def test_a_run_that_goes_on_holds_no_redirect_against_its_visits() -> None:
    """A visit begins anew, and its redirect leads to an address that no other visit has claimed."""
    journal = ListJournal()
    population, limits, _ = new_population("best_first", 0)
    journaled = JournaledPopulation(population, limits, journal)
    journaled.begin(RunStarted(9, 2, HOST_LIMIT))
    journaled.place([link("http://a.test/")])
    visit = journaled.choose(1.0)
    assert visit is not None
    target = link("http://b.test/").fingerprint
    journaled.claims_of(visit.id).claim(target)
    population, limits, _ = new_population("best_first", 0)
    repeated = JournaledPopulation(population, limits, journal)
    past = resume(journal, repeated, RunStarted(None, 3, HOST_LIMIT))
    assert (past.runs, past.now_s) == (1, 1.0)
    assert [*population.unsettled] == [visit.id]
    assert not repeated.is_claimed(target)
    assert population.environment.budget.limit is None
    assert population.max_unsettled == 3


def test_a_link_is_open_again_if_its_callback_had_not_ended() -> None:
    """Its redirect may lead to the same page again; the resumed journal can be resumed again."""
    for species in EVERY_SPECIES:
        journal = ListJournal()
        population, limits, _ = new_population(species, 0)
        journaled = JournaledPopulation(population, limits, journal)
        run = RunStarted(99, 4, HOST_LIMIT)
        journaled.begin(run)
        journaled.place([link(url) for url in ("http://a.test/", "http://b.test/")])
        target = link("http://c.test/").fingerprint
        page = Page("http://c.test/", target, 0.5, 1.0)
        visits = {}
        for visit in filter(None, (journaled.choose(1.0 + now_s) for now_s in range(20))):
            if visit.lead.url in visits:  # the species revisits pages
                journaled.settle(visit.id, Fetched(page, Cost()))
                continue
            visits[visit.lead.url] = visit
            journaled.callback_continues(visit.id)
            if visit.lead.url == "http://a.test/":
                journaled.claims_of(visit.id).claim(target)
                journaled.settle(visit.id, Fetched(page, Cost()))
            else:
                journaled.settle(visit.id, Fetched(replace(page, fingerprint=b"b"), Cost()))
                journaled.callback_ended(visit.id)
        population, limits, _ = new_population(species, 0)
        resumed = JournaledPopulation(population, limits, journal)
        past = resume(journal, resumed, run)
        lead = visits["http://a.test/"].lead
        assert past.repeated == 1
        assert past.first_visits == {lead.fingerprint: visits["http://a.test/"].id}
        assert not resumed.is_claimed(target)
        followed = []
        for again in filter(None, (resumed.choose(30.0 + now_s) for now_s in range(30))):
            followed.append(again.lead.url)
            resumed.settle(again.id, Fetched(page, Cost()))
        assert "http://a.test/" in followed, species
        population, limits, _ = new_population(species, 0)
        third = JournaledPopulation(population, limits, journal)
        past = resume(journal, third, run)
        assert (past.repeated, past.first_visits) == (0, {})
        assert state_of(population) == state_of(resumed.population)


def test_a_crawl_that_an_earlier_version_has_stored_goes_on(tmp_path: Path) -> None:
    """`recorded_crawl.sql` has every operation of the version before operations were classes."""
    database = sqlite3.connect(tmp_path / "s")
    database.executescript((Path(__file__).parent / "recorded_crawl.sql").read_text())
    database.close()
    journal = SqliteJournal(tmp_path / "s", {"query": "coral"})
    population, limits, _ = new_population("best_first", 5)
    journaled = JournaledPopulation(population, limits, journal)
    past = resume(journal, journaled, RunStarted(None, 6, HOST_LIMIT))
    assert (past.runs, past.pages, past.repeated) == (1, 7, 0)
    web = random_web(np.random.default_rng(1005), 30, 4)
    now_s = past.now_s
    while population.ended is None:
        now_s += 5
        visit = journaled.choose(now_s)
        if visit is not None:
            journaled.settle(visit.id, web.answer(visit.lead.url, population.price))
        for origin in population.closed_origins():
            journaled.opened(origin)
    assert population.ended == "exhausted"
    assert len(population.environment.base) >= 20
    journaled.close()


@pytest.mark.parametrize(("limit", "opened"), [(5, 0), (50, 2), (None, 2)])
def test_more_budget_opens_what_was_cut_short(limit: int | None, opened: int) -> None:
    """Without more, the links stay as they are, for a later run."""
    journal = ListJournal()
    population, limits, _ = new_population("best_first", 0)
    journaled = JournaledPopulation(population, limits, journal)
    journaled.begin(RunStarted(5, 2, HOST_LIMIT))
    journaled.place([link("http://a.test/"), link("http://b.test/")])
    for _ in range(2):
        visit = journaled.choose(1.0)
        assert visit is not None
        journaled.settle(visit.id, Dropped("over budget"))
    while journaled.spend(None):
        pass
    population, limits, _ = new_population("best_first", 0)
    repeated = JournaledPopulation(population, limits, journal)
    past = resume(journal, repeated, RunStarted(limit, 2, HOST_LIMIT))
    assert len(past.cut_short) == 2
    assert sum(repeated.choose(2.0) is not None for _ in range(3)) == opened
