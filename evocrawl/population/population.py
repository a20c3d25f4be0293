"""The population: it chooses what to fetch and settles what came back.

In the theory, the step of one agent is (Mouton & Marteau 2008, algorithm 2): *pick* a link, *go*
there, *eat* or *pay*, *clone* or *die*. In a crawl many agents fetch at once, so the step has two
parts: `choose` picks a link; `settle` moves and charges the agent, feeds it, lets it learn, and
clones or kills it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from numpy.random import Generator

from evocrawl.core.errors import SettleError
from evocrawl.core.events import Event, VisitOpened
from evocrawl.core.model import (
    AgentId,
    Content,
    Dropped,
    Fetched,
    Fingerprint,
    Lead,
    Link,
    Outcome,
    Page,
    Visit,
    VisitId,
)
from evocrawl.core.urls.identity import host_of
from evocrawl.population.admission import MAX_ORIGINS, AdmissionQueue, Gate
from evocrawl.population.discovery import Discovery
from evocrawl.population.environment import Environment
from evocrawl.population.individual import Individual
from evocrawl.population.lifecycle import Lifecycle, PopulationBounds
from evocrawl.population.selection import LinkSelector
from evocrawl.population.settlement import Settlement
from evocrawl.population.species_view import ROOT
from evocrawl.species.base import Chances, Species
from evocrawl.species.mixed import mixed


class Population:
    """Agents of one species or several in an environment.

    `max_unsettled` is the greatest number of unsettled visits. Every random draw comes from `rng`
    or from a stream that is spawned from it for each agent, so that one more agent does not change
    the draws of the others.
    """

    of_run = ("stopped",)
    """Attributes that are no part of a snapshot."""

    def __init__(
        self,
        species: Sequence[Species],
        environment: Environment,
        bounds: PopulationBounds,
        rng: Generator,
        *,
        max_unsettled: int = 1,
        gate: Gate = lambda _: None,
    ) -> None:
        self.species = mixed(species)
        self.environment = environment
        self.unsettled: dict[VisitId, Visit] = {}
        self.cut_short = 0
        """Number of times that `choose` returned None although it could continue at once."""
        self.excluded_lines: list[AgentId] = []
        """Agents whose line a user has excluded."""
        self.stopped = ""
        """Why no further visit is opened although there are links: a stop rule; "" without."""
        base = environment.base
        self.lifecycle = Lifecycle(self.species, environment.fees, bounds, base, rng, ROOT)
        self.on_event = self.lifecycle.on_event
        self.on_outcome: list[Callable[[Visit, Outcome], None]] = []
        """Called with each visit that is settled, before its events."""
        self.on_mark: list[Callable[[Content, bool], None]] = []
        """Called with the content of a page that a user marks as relevant, or as not relevant."""
        if environment.traps is not None:
            environment.traps.shares.budget = environment.budget
        self.discovery = Discovery(
            self.species, base, environment.rewards, environment.traps, self.lifecycle.emit
        )
        self.admission = AdmissionQueue(environment.hosts, gate)
        self.max_unsettled = max_unsettled
        self.selector = LinkSelector(self.lifecycle, self.discovery, environment, self.admission)
        self._next_visit = 0
        self._host_of: dict[VisitId, str] = {}
        """Hosts of visits that a redirect has moved to another host."""

    def __len__(self) -> int:
        return len(self.lifecycle.agents)

    @property
    def max_unsettled(self) -> int:
        """The most unsettled visits at once; with 1, one link at a time waits for its origin."""
        return self._max_unsettled

    @max_unsettled.setter
    def max_unsettled(self, most: int) -> None:
        self._max_unsettled = most
        self.admission.most = MAX_ORIGINS if most > 1 else 1

    def place(self, seeds: Iterable[Link]) -> int:
        """Add seeds, where founders begin; return the number of those that are new."""
        placed = self.discovery.seeds(seeds)
        if placed:
            self._found(placed)
        self.selector.turns.wake()
        return placed

    def link(self, page: Fingerprint, links: Sequence[Link]) -> None:
        """Add links to a known page; if the page is not known, add them as seeds."""
        record = self.environment.base.get(page)
        if record is None:
            self.place(links)
            return
        self.show(Page(record.url, page, record.relevance, 0.0, tuple(links)), record.depth)

    def show(self, page: Page, depth: int) -> Lead:
        """Show the links of a known page to every species; return a lead to the page."""
        via = Lead(page.url, page.fingerprint, host_of(page.url), ROOT, depth, 0.0)
        self.discovery.show(page, via, depth + 1)
        # Links of a page are not seeds, so a species does not get one founder for each.
        self._begin(min(len(page.links), self.lifecycle.bounds.founders))
        return via

    def show_seeds(self, links: Sequence[Link]) -> None:
        """Show links as seeds, known or not."""
        self.discovery.show_seeds(links)
        self._begin(len(links))

    def price(self, relevance: float) -> float:
        """Return the energy that a first visit lays on a page of this relevance. O(log n)."""
        return self.environment.energy.price(relevance, self.environment.base.ranks)

    def choose(self, now_s: float) -> Visit | None:
        """Return the next visit, or None if nothing may be fetched now or patience is exhausted.

        The order is: links whose origin has opened, agents whose host has become free, the other
        agents in turn and, if no visit is under way, links that are released from traps.

        Runtime complexity: O(log n) for a species that sees the whole frontier, O(links of the
        page) for one that sees its page. Agents whose hosts are busy are asked again only when one
        of these hosts has a free slot.
        """
        if not self.may_open:
            return None
        self.environment.clock.advance(now_s)
        self.environment.hosts.advance(now_s)
        found = self.selector.next(now_s, is_quiet=not self.unsettled)
        self.cut_short += found is None and self.selector.is_impatient
        return None if found is None else self._open(*found, now_s)

    def settle(self, visit_id: VisitId, outcome: Outcome) -> list[Event]:
        """End a visit, exactly once: move, pay, feed, learn, clone or die. Return the events.

        Raises SettleError if the visit is not under way. Runtime complexity: O(log n) and
        O(1) for each link of the page.
        """
        visit, agent = self._close(visit_id, outcome)
        with self.lifecycle.recording() as events:
            settlement = self.discovery.take_in(visit, agent, outcome)
            self.lifecycle.move(settlement)
            self.lifecycle.pay(settlement)
            self.lifecycle.feed(settlement)
            self._learn(settlement)
            self._clone_or_die(agent)
        return events

    def open_origin(self, origin: str) -> None:
        """Admit the links that wait for the origin, if any."""
        self.admission.open(origin)

    def close_origin(self, origin: str) -> None:
        """Put the links that wait for the origin back among the open links; free their agents.

        No link to the origin's hosts is chosen until `open_origin` is called.
        """
        self.selector.close_origin(origin)

    def closed_origins(self) -> list[str]:
        """Return the closed origins, whose hosts cannot be visited yet."""
        return self.admission.closed()

    def give_back(self, lead: Lead, species: Species, url: str = "") -> None:
        """Open the link of a visit that was put off; `species` is the one that found it.

        If a redirect has led to `url`, the link becomes one to the host of `url`: it waits for
        that host and for its robots.txt.
        """
        if url:
            # A slot other than the host's belongs to the request and does not change.
            host = host_of(url) if lead.host == host_of(lead.url) else lead.host
            lead = replace(lead, url=url, host=host)
            self.discovery.move(lead, species)
        self.discovery.put_off(lead, species)
        self.selector.turns.wake()

    def go_on(self, visit_id: VisitId, host: str, now_s: float) -> None:
        """Move a redirected visit from the slot of its host to a slot of `host`."""
        hosts = self.environment.hosts
        hosts.finish(self._host_of.get(visit_id, self.unsettled[visit_id].lead.host))
        hosts.start(host, now_s)
        self._host_of[visit_id] = host

    @property
    def is_unborn(self) -> bool:
        """True until the first seed is placed."""
        return self.lifecycle.is_unborn

    def goes_anywhere(self, visit: Visit) -> bool:
        """Return True if the visitor's species also visits known pages."""
        return self.lifecycle.agents[visit.agent].species.revisits

    def wakes_at(self) -> float | None:
        """Return the time when a later `choose` can succeed if nothing else happens, or None."""
        if self.may_open and self.selector.waits_for_time:
            return self.environment.hosts.wakes_at()
        return None

    @property
    def visits_begun(self) -> int:
        """The number of visits that were opened."""
        return self._next_visit

    def best_chance(self) -> float:
        """Return the chance in [0, 1] of the best link of a host that is free, now or soon.

        0.0 without one, or if no species knows chances. O(1) looks at the links.
        """
        is_free = self.environment.hosts.is_free_now
        return max((each.best_chance(is_free) for each in self._chances()), default=0.0)

    @property
    def has_learnt(self) -> bool:
        """False if a species gives chances, and knows of no link that the crawl has followed."""
        return all(each.has_learnt for each in self._chances())

    @property
    def ended(self) -> str | None:
        """Why the crawl has ended; None if it has not.

        One of "budget", "extinct", "exhausted" and `stopped`.
        """
        if self.unsettled:
            return None
        if self.environment.budget.exhausted:
            return "budget"
        if self.stopped:
            return self.stopped
        if not self.lifecycle.agents:
            return None if self.lifecycle.is_unborn else "extinct"
        return "exhausted" if self.selector.is_idle and not self.discovery.has_held else None

    @property
    def may_open(self) -> bool:
        """False if the crawl is stopped, or its visits or requests have reached their limit."""
        if self.stopped:
            return False
        under_way = len(self.unsettled) + (len(self.admission) if self.max_unsettled == 1 else 0)
        return under_way < self.max_unsettled and self.environment.budget.left != 0

    def _chances(self) -> list[Chances]:
        return [each.sight for each in self.species if isinstance(each.sight, Chances)]

    def _open(self, agent: Individual, lead: Lead, now_s: float) -> Visit:
        self._next_visit += 1
        visit = Visit(self._next_visit, agent.id, lead, now_s)
        self.environment.budget.reserve(visit.id)
        self.environment.hosts.start(lead.host, now_s)
        self.unsettled[visit.id] = visit
        self.lifecycle.emit(VisitOpened(visit))
        return visit

    def _close(self, visit_id: VisitId, outcome: Outcome) -> tuple[Visit, Individual]:
        """Release what a visit holds: its link, its share of the budget, its slot, its agent."""
        visit = self.unsettled.pop(visit_id, None)
        if visit is None:
            raise SettleError(f"visit {visit_id} is not under way")
        self.selector.targets.discard(visit.lead.fingerprint)
        self.environment.budget.release(visit_id)
        self.environment.hosts.finish(self._host_of.pop(visit_id, visit.lead.host))
        if not isinstance(outcome, Dropped):
            self.environment.clock.advance(visit.started_at_s + outcome.cost.seconds)
        for listener in self.on_outcome:
            listener(visit, outcome)
        agent = self.lifecycle.agents[visit.agent]
        agent.in_flight -= 1
        agent.visits += 1
        return visit, agent

    def _learn(self, settlement: Settlement) -> None:
        """Let the species learn; open held-back links whose group the page has credited."""
        agent, outcome = settlement.agent, settlement.outcome
        self.lifecycle.emit(settlement.event())
        agent.species.learning.learn(agent, settlement.visit, outcome)
        if isinstance(outcome, Fetched) and self.discovery.release_for(outcome.page):
            self.selector.turns.wake()

    def _clone_or_die(self, agent: Individual) -> None:
        self.selector.go_on(agent, self.lifecycle.reproduce(agent))

    def _begin(self, links: int) -> None:
        """Add founders if there are links and no agent has lived yet."""
        if links and self.lifecycle.is_unborn:
            self._found(links)
        self.selector.turns.wake()

    def _found(self, seeds: int) -> None:
        """Add founders."""
        self.selector.turns.join(self.lifecycle.found(seeds))
        self.lifecycle.set_fees(self.environment.fees, self.environment.budget)
