"""One worker's population and its part of the shared state, without Redis."""

from __future__ import annotations

from typing import Any

from tiny_webs import make_population

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.ledger import Ledger
from evocrawl.core.model import Content, Cost, Dead, Fetched, Link, Page, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.codec import RowCodec, Source
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.keys import KeyNames
from evocrawl.store.cluster.redis.outbox import OutboxBatch
from evocrawl.store.journal.codec import NoPayloads
from evocrawl.store.journal.operations import VisitSettled

OURS, THEIRS, VACANT = "http://ours.test/", "http://theirs.test/", "http://vacant.test/"
SOURCE = Source("http://ours.test/source", fingerprint("http://ours.test/source"), 0.5, 1)


class Stage:
    """The sync of a population of eight agents, with `ours.test` as its own host."""

    def __init__(self, species: str = "evo") -> None:
        self.population: Population
        self.ledger: Ledger
        self.population, self.ledger = make_population(
            species, bounds=PopulationBounds(8, 2, 20), max_unsettled=4
        )
        self.sent: list[OutboxBatch] = []
        self.asked: list[str] = []
        self.now_s = 0.0
        self.lease_table = LeaseTable(10.0, lambda: self.now_s)
        calls = RedisCommands(RowCodec(NoPayloads()), KeyNames("x"), "1")
        events = WorkerEvents()
        events.host_wanted.connect(self.asked.append)
        self.sync = PopulationSync(
            self.population, self.lease_table, calls, self.sent.append, events
        )
        self.population.admission.gate = self.sync.origin_of
        self.gain("ours.test")

    def gain(self, host: str, done: set[bytes] | None = None) -> None:
        self.lease_table.renewed(range(64), self.now_s)
        self.sync.gained(host, "1.1", done or set(), was_anothers=False)

    def show(self, *urls: str, source: Source | None = SOURCE) -> None:
        for url in urls:
            host = url.split("/")[2]
            self.sync.links.of_host(host, [(Link(url, fingerprint(url), "0.5"), source)])
        self.sync.links.of_others(())

    def choose(self) -> Visit | None:
        return self.population.choose(self.now_s)

    def settle(self, visit: Visit, *links: str) -> None:
        """Settle the visit with a page with `links`."""
        found = tuple(Link(url, fingerprint(url), "0.5") for url in links)
        lead = visit.lead
        page = Page(lead.url, lead.fingerprint, 0.5, 1.0, found, b"v", Content("", "t"))
        reported = FetchDetails(visit.agent, lead, 200, "2026-01-01T00:00:00+00:00")
        self.end(visit, Fetched(page, Cost()), reported)

    def end(self, visit: Visit, outcome: Any, reported: FetchDetails | None = None) -> None:
        self.sync.append(VisitSettled(visit.id, outcome, reported))
        self.population.settle(visit.id, outcome)

    def calls(self, name: str) -> list[Any]:
        """Return the arguments of all calls of a script so far."""
        return [call[2] for call in self._calls() if call[0] == name]

    def keys(self, name: str) -> list[Any]:
        """Return the keys of all calls of a script so far."""
        return [call[1] for call in self._calls() if call[0] == name]

    def _calls(self) -> list[Any]:
        parcels = [part for sent in self.sent for part in (sent, sent.then) if part is not None]
        return [
            call
            for parcel in parcels
            for part in (parcel.offers, parcel.records, parcel.settles, parcel.visits, parcel.news)
            for call in part
        ]

    def all_visits(self) -> set[str]:
        """Return all visits of the population if every one is a dead end."""
        seen = set()
        while (visit := self.choose()) is not None:
            seen.add(visit.lead.url)
            self.end(visit, Dead("404", Cost()))
        return seen
