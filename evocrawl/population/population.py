"""The population: it chooses what to fetch and settles what came back.

One agent's life, as the theory has it (Mouton & Marteau 2008, algorithm 2): *pick* a link, *go*
there, *eat* or *pay*, *clone* or *die*. A crawl has many agents under way at once, so the step is
cut in two: `choose` picks and goes, `settle` moves, charges, feeds, teaches, clones and buries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from numpy.random import Generator

from evocrawl.core.errors import SettleError
from evocrawl.core.events import Event, VisitOpened
from evocrawl.core.model import (
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
from evocrawl.population.admission import AdmissionQueue, Gate
from evocrawl.population.discovery import ROOT, Discovery
from evocrawl.population.environment import Environment
from evocrawl.population.lifecycle import Lifecycle, PopulationBounds
from evocrawl.population.selection import LinkSelector
from evocrawl.population.settlement import Settlement
from evocrawl.species.base import Agent, Species
from evocrawl.species.mixed import mixed

PATIENCE = 200
"""Links held back in one `choose` of a crawl, a tenth of a millisecond each."""

_MAX_ORIGINS = 64
"""Origins that links may wait for at once; one if visits go one by one."""


class Population:
    """Agents of one species or several in an environment.

    `max_unsettled` caps the visits given out and not yet settled. Every draw comes from `rng` or
    from streams spawned off it, one an agent, so that one agent more does not change what the
    others draw.
    """

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
        self.max_unsettled = max_unsettled
        self.unsettled: dict[VisitId, Visit] = {}
        self.cut_short = 0
        """How often `choose` has returned None though it could go on at once."""
        base = environment.base
        self.lifecycle = Lifecycle(self.species, environment.fees, bounds, base, rng, ROOT)
        self.on_event = self.lifecycle.on_event
        self.on_outcome: list[Callable[[Visit, Outcome], None]] = []
        """Called with each visit that is settled, before its events."""
        if environment.traps is not None:
            environment.traps.shares.budget = environment.budget
        self.discovery = Discovery(
            self.species, base, environment.rewards, environment.traps, self.lifecycle.emit
        )
        self.admission = AdmissionQueue(
            environment.hosts, gate, _MAX_ORIGINS if max_unsettled > 1 else 1
        )
        self.selector = LinkSelector(self.lifecycle, self.discovery, environment, self.admission)
        self._next_visit = 0
        self._host_of: dict[VisitId, str] = {}
        """The hosts of visits that a redirect took to another host."""

    def __len__(self) -> int:
        return len(self.lifecycle.agents)

    def place(self, seeds: Iterable[Link]) -> int:
        """Hang `seeds` where founders begin; return how many were not known before."""
        placed = self.discovery.seeds(seeds)
        if placed:
            self._found(placed)
        self.selector.turns.stirred()
        return placed

    def link(self, page: Fingerprint, links: Sequence[Link]) -> None:
        """Hang further links on a page; with the seeds if the page is not known."""
        record = self.environment.base.get(page)
        if record is None:
            self.place(links)
            return
        self.show(Page(record.url, page, record.relevance, 0.0, tuple(links)), record.depth)

    def show(self, page: Page, depth: int) -> Lead:
        """Show the links of a known page to every species; return a lead to the page."""
        via = Lead(page.url, page.fingerprint, host_of(page.url), ROOT, depth, 0.0)
        self.discovery.show(page, via, depth + 1)
        # The links of a page are no seeds: there is not one founder for each.
        self._begin(min(len(page.links), self.lifecycle.bounds.founders))
        return via

    def show_seeds(self, links: Sequence[Link]) -> None:
        """Hang links where founders begin, whether they are known or not."""
        self.discovery.show_seeds(links)
        self._begin(len(links))

    def price(self, relevance: float) -> float:
        """Return the energy that a first visit lays on a page of this relevance. O(log n)."""
        return self.environment.energy.price(relevance, self.environment.base.ranks)

    def choose(self, now_s: float) -> Visit | None:
        """Return the next visit, or None if nothing may be fetched now or patience is out.

        A link whose origin has opened comes first, then agents whose host has become free, then
        the other agents in turn; last, if nothing is under way, links that are released from traps.

        Runtime complexity: O(log n) for a species that looks at the whole frontier, O(links of
        the page) for one that looks at its page; agents whose hosts are busy are set aside and
        not asked again before one of these hosts can take them.
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
        """Open the links that wait for the origin again, and let their agents go on.

        The origin's hosts are passed over until `open_origin` names it.
        """
        self.selector.close_origin(origin)

    def closed_origins(self) -> list[str]:
        """Return the origins that have to open before their hosts can be visited."""
        return self.admission.closed()

    def call_back(self, is_gone: Callable[[Lead], bool]) -> list[tuple[Agent, Lead]]:
        """Take out the agents that wait with a link for which `is_gone` is true. O(waiting).

        Call `resume` or `remove` for each of them.
        """
        return self.selector.call_back(is_gone)

    def resume(self, agent: Agent) -> None:
        """Let an agent go on that was called back."""
        self.selector.resume(agent)
        self.selector.turns.stirred()

    def remove(self, agent: Agent) -> None:
        """Take out an agent that was called back, with its energy."""
        self.lifecycle.leave(agent)
        self.selector.turns.stirred()

    def welcome(self, species: Species, energy: float, page: Fingerprint, mind: object) -> None:
        """Take in an agent that comes from another population."""
        agent = self.lifecycle.welcome(species, energy, page, mind)
        self.selector.turns.join(self.lifecycle.reproduce(agent))
        self.selector.turns.stirred()

    def give_back(self, lead: Lead, species: Species, url: str = "") -> None:
        """Open the link of a visit again that was put off; `species` found it.

        With `url`, to which a redirect has led, it becomes a link to the host of `url`: it waits
        for that host, and for that host's robots.txt.
        """
        if url:
            # A slot that is not the host's goes with the request.
            host = host_of(url) if lead.host == host_of(lead.url) else lead.host
            lead = replace(lead, url=url, host=host)
        self.discovery.put_off(lead, species)
        self.selector.turns.stirred()

    def go_on(self, visit_id: VisitId, host: str, now_s: float) -> None:
        """Move a visit that is redirected from its host's slot to one of `host`."""
        hosts = self.environment.hosts
        hosts.finish(self._host_of.get(visit_id, self.unsettled[visit_id].lead.host))
        hosts.start(host, now_s)
        self._host_of[visit_id] = host

    @property
    def is_unborn(self) -> bool:
        """True until the first seed is placed."""
        return self.lifecycle.is_unborn

    def goes_anywhere(self, visit: Visit) -> bool:
        """Return True if the visitor is of a species that goes to known pages too."""
        return self.lifecycle.agents[visit.agent].species.revisits

    def wakes_at(self) -> float | None:
        """Return when a later `choose` can succeed by the passing of time alone, else None."""
        if self.may_open and self.selector.waits_for_time:
            return self.environment.hosts.wakes_at()
        return None

    @property
    def ended(self) -> str | None:
        """Why nothing will ever be chosen again: "budget", "extinct", "exhausted"; else None."""
        if self.unsettled:
            return None
        if self.environment.budget.exhausted:
            return "budget"
        if not self.lifecycle.agents:
            return None if self.lifecycle.is_unborn else "extinct"
        return "exhausted" if self.selector.is_idle and not self.discovery.has_held else None

    @property
    def may_open(self) -> bool:
        """False while as many visits are under way, or requests made, as may be."""
        under_way = len(self.unsettled) + (len(self.admission) if self.max_unsettled == 1 else 0)
        return under_way < self.max_unsettled and self.environment.budget.left != 0

    def _open(self, agent: Agent, lead: Lead, now_s: float) -> Visit:
        self._next_visit += 1
        visit = Visit(self._next_visit, agent.id, lead, now_s)
        self.environment.budget.reserve(visit.id)
        self.environment.hosts.start(lead.host, now_s)
        self.unsettled[visit.id] = visit
        self.lifecycle.emit(VisitOpened(visit))
        return visit

    def _close(self, visit_id: VisitId, outcome: Outcome) -> tuple[Visit, Agent]:
        """End what a visit holds: its link, its part of the budget, its host's slot, its agent."""
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
        """Let the species learn; open the held-back links that the page shows to be worth it."""
        agent, outcome = settlement.agent, settlement.outcome
        self.lifecycle.emit(settlement.event())
        agent.species.learning.learn(agent, settlement.visit, outcome)
        if isinstance(outcome, Fetched) and self.discovery.release_for(outcome.page):
            self.selector.turns.stirred()

    def _clone_or_die(self, agent: Agent) -> None:
        self.selector.go_on(agent, self.lifecycle.reproduce(agent))

    def _begin(self, links: int) -> None:
        """Let founders be born if there are links and no agent has lived yet."""
        if links and self.lifecycle.is_unborn:
            self._found(links)
        self.selector.turns.stirred()

    def _found(self, seeds: int) -> None:
        """Let founders be born; a species may set its fees by their number and the budget."""
        self.selector.turns.join(self.lifecycle.found(seeds))
        fees = self.species[0].fees
        if fees is not None:
            agents = self.lifecycle.agents.values()
            founders = sum(agent.parent is None for agent in agents)
            budget = self.environment.budget
            self.lifecycle.fees = fees(
                self.environment.fees, founders, budget.share or budget.limit
            )
