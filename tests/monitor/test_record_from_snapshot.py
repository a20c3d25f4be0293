"""The record of a crawl continues from a snapshot as from a replay: a dashboard shows all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from journeys import Journey, new_population

from evocrawl.core.ledger import Ledger
from evocrawl.monitor.crawl_record import CrawlRecord
from evocrawl.monitor.page_texts import PageTexts
from evocrawl.monitor.results import Filter
from evocrawl.monitor.steps import whole
from evocrawl.population.population import Population
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.replay import rebuild
from evocrawl.store.journal.sqlite_journal import SqliteJournal


def recorded(population: Population) -> CrawlRecord:
    """Return a record of the population, with the texts of its pages."""
    ledger = Ledger(0.5)
    population.on_event.append(ledger.note)
    record = CrawlRecord(population, ledger)
    record.texts = PageTexts()
    return record


def shown_of(record: CrawlRecord) -> dict[str, Any]:
    """Return all that views read of a record."""
    assert record.texts is not None
    best = record.results.best(100)
    return {
        "best": best,
        "texts": [record.texts.get(each.visit) for each in best],
        "agents": record.agents,
        "hosts": record.hosts,
        "curve": record.curve,
        "failures": record.failures,
        "fees": record.fees,
        "point": record.point(),
        "ledger": record.ledger,
    }


def test_a_record_continues_from_a_snapshot(tmp_path: Path) -> None:
    """Results in their order, agents, hosts, curve, texts; without it the journal is replayed."""
    path = tmp_path / "state.sqlite"
    journal = SqliteJournal(path, {})
    journey = Journey("energy", 4, journal)
    record = recorded(journey.population)
    journey.journaled.snapshots.parts["record"] = record
    for _ in range(150):
        journey.act()
    asked = Filter(least=0.1, host="a.test")
    whole(record.results.shown(asked, 5))
    journey.journaled.take_snapshot()
    for _ in range(50):
        journey.act()
    journey.journaled.commit()
    journal.close()
    for name, has_snapshot in (("record", True), ("another", False)):
        journal = SqliteJournal(path, {})
        population, limits, events = new_population("energy", 4)
        again = recorded(population)
        journaled = JournaledPopulation(population, limits, journal)
        journaled.snapshots.parts[name] = again
        rebuild(journal, journaled)
        journal.close()
        assert (len(events) < len(journey.events)) == has_snapshot
        if has_snapshot:
            assert shown_of(again) == shown_of(record)
            assert len(again.results) > 3
            assert whole(again.results.shown(asked, 5)) == whole(record.results.shown(asked, 5))
