"""The simulated workers of `islands.py`: populations that share a budget and a world."""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np

from evocrawl.core.config.config import Config
from evocrawl.core.model import (
    Content,
    Dead,
    Fetched,
    Fingerprint,
    Lead,
    Link,
    Outcome,
    Page,
    Refused,
    Visit,
)  # fmt: skip
from evocrawl.core.urls.identity import host_of
from evocrawl.frontier import PageRecord
from evocrawl.frontier.shared_ranks import RankSharing
from evocrawl.population.assembly import assemble
from evocrawl.population.exchange import ForeignPage, PopulationExchange
from evocrawl.population.species_view import ROOT
from evocrawl.simulation.scoring import PageScorer
from evocrawl.species.base import Mergeable, Sharing
from evocrawl.store.cluster.quotas import bounds_per_worker

_ANY_NUMBER = 1_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """A kind of crawl; see the options of the same names."""

    islands: int
    under_way: int
    mode: str
    turns: str
    owners: str
    per_host: int
    period: int
    delay: int
    host_delay_s: float = 0.0

    @classmethod
    def all_of(cls, asked: argparse.Namespace) -> list[Plan]:
        """Return one population with each number of visits under way, then the islands."""
        alone = [
            cls(1, each, "exchange", "equal", asked.owners, asked.per_host, 0, 0)
            for each in asked.under_way
            if 1 in asked.islands
        ]
        return alone + [
            cls(islands, 1, mode, turns, asked.owners, asked.per_host, asked.period, asked.delay)
            for islands in asked.islands for mode in asked.modes for turns in asked.turns
            if islands > 1
        ]  # fmt: skip


@dataclass
class Island:
    """A population with its addresses; `inbox` has pages of others and when they arrive."""

    number: int
    plan: Plan
    config: Config
    scorer: PageScorer
    requests: int = 0
    pages: int = 0
    sent_at: int = 0
    cpu_s: float = 0.0
    inbox: deque[tuple[float, ForeignPage]] = field(default_factory=deque)
    visits: deque[Visit] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.assembly = assemble(
            replace(self.config, memory_links=1_000_000),
            concurrency=self.plan.under_way,
            host_limit=lambda _: (self.plan.per_host or _ANY_NUMBER, self.plan.host_delay_s),
            timeout_s=180.0,
            model=self.scorer.model,
        )
        self.population = self.assembly.population
        lifecycle = self.population.lifecycle
        lifecycle.bounds = bounds_per_worker(lifecycle.bounds, self.plan.islands)
        self.base = self.population.environment.base
        self.exchange = PopulationExchange(self.population)
        self.learning: Any = self.population.species[0].learning
        self.shared: list[Mergeable] = [RankSharing(self.base.ranks)]
        if isinstance(self.learning, Sharing):
            self.shared.append(self.learning.share())

    def owns(self, link: Link) -> bool:
        is_of_host = self.plan.owners == "host"
        name = host_of(link.url).encode() if is_of_host else link.fingerprint
        return crc32(name) % self.plan.islands == self.number

    def best_worth(self) -> float:
        """Return what the best waiting link is worth; +∞ for a seed, −∞ without a link."""
        sight: Any = self.population.species[0].sight
        leads = sight.best(lambda _: True)
        if not leads:
            return -np.inf
        if not isinstance(leads[0].features, int):
            return np.inf
        return float(self.learning.model.scores(sight.features(leads)).max())

    def leave_out(self, page: Page) -> None:
        """Claim the links of a page that lead to other islands."""
        for link in page.links:
            if not self.owns(link):
                self.base.claim(link.fingerprint)

    def receive(self, now: float) -> None:
        """Take the pages, or their links, that have arrived by the round or time `now`."""
        arrived = list[ForeignPage]()
        while self.inbox and self.inbox[0][0] <= now:
            arrived.append(self.inbox.popleft()[1])
        if self.plan.mode != "pages":
            self.exchange.show(arrived)
            return
        for page, depth in ((each.page, each.depth) for each in arrived):
            self.leave_out(page)
            if self.base.get(page.fingerprint) is None:
                record = PageRecord(page.url, page.relevance, 0.0, None, depth, page.version)
                self.base.add(page.fingerprint, record)
            via = Lead(page.url, page.fingerprint, host_of(page.url), ROOT, depth, 0.0)
            self.learning.reader.read(page, via)
            self.population.show(page, depth)

    def digested(self, page: Page, depth: int) -> ForeignPage:
        """Return a page as a worker reports it, before its own population learns from it."""
        exchange = self.exchange
        return ForeignPage(page, depth, exchange.read_digest(exchange.digest(page)))

    def send(self, sent: ForeignPage, at: float, others: list[Island]) -> None:
        """Send a page with its digest and its links to each of `others`, which arrives `at`."""
        for other in others:
            page = sent.page
            if self.plan.mode != "pages":
                own = tuple(link for link in page.links if other.owns(link))
                page = replace(page, links=own, content=Content(page.content.title, ""))
            if page.links or self.plan.mode == "pages":
                other.inbox.append((at, replace(sent, page=page)))


class Crew:
    """The islands of a crawl; `fetched` are their pages in order, `sent` the bytes of all parts."""

    def __init__(self, world: Any, plan: Plan, islands: list[Island], budget: int) -> None:
        self.fetched: list[Fingerprint] = []
        self.sent = self.parts = self.requests = 0
        self._world, self._plan, self._islands, self._budget = world, plan, islands, budget
        self._round = 0
        self._next_exchange = 1
        self._parts: dict[int, list[Any]] = {}

    def crawl(self) -> None:
        """Crawl until the budget is used up, or no island has a link."""
        idle = 0
        while self.requests < self._budget and idle < self._plan.delay + 2:
            if self._plan.mode == "exchange" and self._plan.islands > 1:
                self._exchange()
            has_worked = [self._turn(each) for each in self._in_turn()]
            idle = 0 if any(has_worked) else idle + 1
            self._round += 1
        for island in self._islands:
            while island.visits:
                self._settle(island)

    def _in_turn(self) -> Iterator[Island]:
        for each in self._islands:
            if self._plan.turns == "best":
                for other in self._islands:
                    other.receive(self._round)
                yield max(self._islands, key=Island.best_worth)
            else:
                yield each

    def _turn(self, island: Island) -> bool:
        """Let an island begin a visit, and end one; return False if it has nothing to do."""
        began_s = process_time()
        island.receive(self._round)
        visit = island.population.choose(0.0) if self.requests < self._budget else None
        island.cpu_s += process_time() - began_s
        if visit is not None:
            self.requests += 1
            island.requests += 1
            island.visits.append(visit)
        if island.visits and (visit is None or len(island.visits) >= self._plan.under_way):
            self._settle(island)
            return True
        return visit is not None

    def _settle(self, island: Island) -> None:
        visit = island.visits.popleft()
        answer = self._world.fetch(visit.lead.url, 0.0)
        self._end(island, visit, answer, self._round + self._plan.delay)

    def _end(self, island: Island, visit: Visit, answer: Any, arrives: float) -> None:
        """Settle a visit; its links arrive in other islands at `arrives`."""
        outcome = self._outcome_of(island, answer)
        began_s = process_time()
        island.assembly.budget.spend(visit.id)
        if isinstance(outcome, Fetched):
            self.fetched.append(outcome.page.fingerprint)
            island.leave_out(outcome.page)
            island.pages += 1
            if others := [each for each in self._islands if each is not island]:
                sent = island.digested(outcome.page, visit.lead.depth)
                island.send(sent, arrives, others)
        island.population.settle(visit.id, outcome)
        island.cpu_s += process_time() - began_s

    def _exchange(self) -> None:
        """If it is time to, let islands with new pages send a part; add up those of the others."""
        if self._round < self._next_exchange:
            return
        self._next_exchange = self._round + min(self._plan.period, max(1, self._round // 4))
        for island in self._islands:
            self._send_part(island)
        for island in self._islands:
            self._merge(island)

    def _send_part(self, island: Island) -> None:
        if island.pages == island.sent_at:
            return
        began_s = process_time()
        rows = [each.pack() for each in island.shared]
        island.cpu_s += process_time() - began_s
        island.sent_at = island.pages
        self.parts += 1
        self.sent += sum(map(len, rows))
        pairs = zip(island.shared, rows, strict=True)
        self._parts[island.number] = [each.unpack(row) for each, row in pairs]

    def _merge(self, island: Island) -> None:
        began_s = process_time()
        known = [parts for owner, parts in self._parts.items() if owner != island.number]
        for at, each in enumerate(island.shared):
            each.merge([parts[at] for parts in known])
        island.cpu_s += process_time() - began_s

    def _outcome_of(self, island: Island, answer: Any) -> Outcome:
        if isinstance(answer, Dead | Refused):
            return answer
        found = answer.document
        score = island.scorer.score(found)
        energy = island.population.price(score)
        links, content = found.links, found.content(0.0)
        page = Page(found.url, found.fingerprint, score, energy, links, found.version, content)
        return Fetched(page, answer.cost)
