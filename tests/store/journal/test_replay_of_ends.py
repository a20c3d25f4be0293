"""Replays of crawls with failures, redirects, callbacks and budgets that ended early."""

from __future__ import annotations

import copy
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from journeys import HOST_LIMIT, Journey, ListJournal, new_population, state_of
from replayed import EVERY_SPECIES, again
from tiny_webs import link, random_web

from evocrawl.core.model import Cost, Dead, Dropped, Fetched, Page
from evocrawl.population.population import Population
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import (
    GivenBack,
    RunStarted,
    WentOn,
)
from evocrawl.store.journal.replay import replay, resume
from evocrawl.store.journal.sqlite_journal import SqliteJournal


def test_links_cut_short_by_the_budget_are_given_back() -> None:
    """With the species that followed them, for living and dead agents; also a second time."""
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


def test_origins_that_open_during_a_choice_open_after_it() -> None:
    """The gate may get rules at the moment when it is asked."""
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
    repeated = JournaledPopulation(population, limits, ListJournal())
    replay(journal.kept, repeated)
    assert [*population.admission] == [*journaled.population.admission]


class Failing:
    """Learning that fails at the second visit."""

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
    """At the same place, so that the rest is the same, too."""
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


def test_a_resumed_visit_may_follow_its_redirect_again() -> None:
    """The visit begins again, and the target of its redirect is not claimed."""
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
    """Its redirect may lead to the same page; the resumed journal can be resumed again."""
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
        for visit in filter(None, (resumed.choose(30.0 + now_s) for now_s in range(30))):
            followed.append(visit.lead.url)
            resumed.settle(visit.id, Fetched(page, Cost()))
        assert "http://a.test/" in followed, species
        population, limits, _ = new_population(species, 0)
        third = JournaledPopulation(population, limits, journal)
        past = resume(journal, third, run)
        assert (past.repeated, past.first_visits) == (0, {})
        assert state_of(population) == state_of(resumed.population)


def test_a_crawl_that_an_earlier_version_has_stored_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`recorded_crawl.sql` has every operation of the version before operations were classes.

    Its population let links wait for one origin at a time, with six visits under way.
    """
    monkeypatch.setattr("evocrawl.population.population.MAX_ORIGINS", 1)
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
def test_more_budget_opens_links_that_lacked_budget(limit: int | None, opened: int) -> None:
    """Without more, the links wait for a later run."""
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


def test_a_journal_has_all_of_what_happened_to_a_visit() -> None:
    """The host of a redirect, and the address at which a link is put off."""
    journal = ListJournal()
    population, limits, _ = new_population("best_first", 0)
    journaled = JournaledPopulation(population, limits, journal)
    journaled.place([link("http://a.test/")])
    visit = journaled.choose(1.0)
    assert visit is not None
    journaled.go_on(visit.id, "b.test", 2.0)
    assert WentOn(visit.id, "b.test", 2.0) in journal.kept
    journaled.settle(visit.id, Dropped("over budget"))
    journaled.give_back(visit.id, visit.lead, population.species[0], "http://b.test/")
    assert journal.kept[-1] == GivenBack(visit.id, "http://b.test/")
