"""The population: it chooses what to fetch and settles what came back.

One agent's life, as the theory has it (Mouton & Marteau 2008, algorithm 2): *pick* a link, *go*
there, *eat* or *pay*, *clone* or *die*. A crawl has many agents under way at once, so the step is
cut in two: `choose` picks and goes, `settle` feeds, clones and buries.
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
from evocrawl.population.admission import AdmissionQueue
from evocrawl.population.discovery import ROOT, Discovery
from evocrawl.population.environment import Environment
from evocrawl.population.exchange import PopulationExchange
from evocrawl.population.host_waiting import HostWaitQueue
from evocrawl.population.lifecycle import Lifecycle, PopulationBounds
from evocrawl.population.settlement import Settlement
from evocrawl.population.traps.held_links import HeldLink
from evocrawl.population.turns import TurnQueue
from evocrawl.species.base import Agent, Species
from evocrawl.species.mixed import mixed

Gate = Callable[[str], str | None]
"""Maps a URL to None when it may be asked for, else to the name of the door to wait at."""

PATIENCE = 200
"""Links held back in one `choose` of a crawl, a tenth of a millisecond each."""

_MAX_DOORS = 64
"""Links that may wait for their host's robots.txt at once; one where visits go one by one."""


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
        self.life = Lifecycle(self.species, environment.fees, bounds, environment.base, rng, ROOT)
        self.unsettled: dict[VisitId, Visit] = {}
        self.on_event = self.life.on_event
        self.on_outcome: list[Callable[[Visit, Outcome], None]] = []
        """Called with each visit that is settled, before its events."""
        self.max_unsettled = max_unsettled
        self.patience: int | None = None
        """How many links of traps `choose` holds back before it leaves the rest for the next call;
        None: all that come up, which can take seconds where a trap is large."""
        self.cut_short = 0
        """How often `choose` has returned None though it could go on at once."""
        self._held = 0
        self._max_doors = _MAX_DOORS if max_unsettled > 1 else 1
        if environment.traps is not None:
            environment.traps.budget = environment.budget
        self._discovery = Discovery(
            self.species, environment.base, environment.rewards, environment.traps, self.life.emit
        )
        self._landing = Settlement(self.life, self._discovery)
        self.gate = gate
        self._turns = TurnQueue(self.species[0].slice_s)
        self._waiting = HostWaitQueue()
        self._targets: set[Fingerprint] = set()
        self._doors = AdmissionQueue(environment.hosts)
        self._next_visit = 0
        self._host_of: dict[VisitId, str] = {}
        """Where visits are that a redirect took to another host."""
        self.borders = PopulationExchange(
            self.life, self._turns, self._doors, self._discovery, environment.base, self._targets,
            self._set_fees,
        )  # fmt: skip
        environment.hosts.on_free += [each.sight.freed for each in self.species]
        environment.hosts.on_free.append(self._waiting.freed)

    def __len__(self) -> int:
        return len(self.life.agents)

    def place(self, seeds: Iterable[Link]) -> int:
        """Hang `seeds` where founders begin; return how many, without those known before."""
        placed = self._discovery.seeds(seeds)
        if placed:
            self._turns.join(self.life.found(placed))
            self._set_fees()
        self._turns.stirred()
        return placed

    def link(self, page: Fingerprint, links: Sequence[Link]) -> None:
        """Hang further links on a page; with the seeds where the page is not known."""
        record = self.environment.base.get(page)
        if record is None:
            self.place(links)
            return
        whole = Page(record.url, page, record.relevance, 0.0, tuple(links))
        self.borders.show(whole, record.depth)

    def price(self, relevance: float) -> float:
        """Return the energy that a first visit lays on a page of this relevance. O(log n)."""
        return self.environment.energy.price(relevance, self.environment.base.ranks)

    def choose(self, now_s: float) -> Visit | None:
        """Return the next visit, or None when nothing may be fetched now, or `patience` is out.

        Runtime complexity: O(log n) for a species that looks at the whole frontier, O(links of
        the page) for one that looks at its page; agents whose hosts are busy are set aside and
        not asked again before one of these hosts can take them.
        """
        self._held = 0
        if not self.may_open:
            return None
        self.environment.clock.advance(now_s)
        self.environment.hosts.advance(now_s)
        admitted = self._doors.admit(self._freedom(now_s))
        visit = None if admitted is None else self._open(*admitted, now_s)
        visit = visit or self._find(now_s)
        while visit is None and self._is_idle and self._let_out(self._discovery.paroled()):
            visit = self._find(now_s)
        self.cut_short += visit is None and self._is_impatient
        return visit

    def _find(self, now_s: float) -> Visit | None:
        """Ask one agent after the other until one goes somewhere; None: nobody can at present."""
        visit = None
        while visit is None and len(self._doors) < self._max_doors and not self._is_impatient:
            waited = self._waiting.next(self._freedom(now_s))
            if waited is not None:
                works = self._turns.works(waited, self.life.agents, now_s)
                visit = self._follow(waited, now_s) if works else None
            elif self._turns:
                visit = self._turn(self._turns.next(), now_s)
            else:
                break
        return visit

    def opened(self, door: str) -> None:
        """The door has opened: what waits at it may go. A door nobody waits at is ignored."""
        self._doors.open(door)

    def turn_away(self, door: str) -> None:
        """The door stays shut for a while: who waits at it goes on, the links stay for later.

        The door's host is passed over until `opened` names the door.
        """
        for agent, lead in self._doors.turn_away(door):
            self._targets.discard(lead.fingerprint)
            self._reopen(lead, agent.species)
            agent.in_flight -= 1
            if agent.species.single_flight:
                self._turns.join([agent])
        self._turns.stirred()

    def give_back(self, lead: Lead, species: Species, url: str = "") -> None:
        """Nobody went where `lead`, found by `species`, leads: it is open again.

        With `url`, where a redirect has led, it is a link to the host of `url` from now: it waits
        for that host, and for that host's robots.txt.
        """
        if url:
            # A slot that is not the host's goes with the request.
            host = host_of(url) if lead.host == host_of(lead.url) else lead.host
            lead = replace(lead, url=url, host=host)
        self._reopen(lead, species)
        self._turns.stirred()

    def go_on(self, visit_id: VisitId, host: str, now_s: float) -> None:
        """A redirect takes the visit to `host`: it has a place there, and none where it was."""
        hosts = self.environment.hosts
        hosts.finish(self._host_of.get(visit_id, self.unsettled[visit_id].lead.host))
        hosts.start(host, now_s)
        self._host_of[visit_id] = host

    def shut_doors(self) -> list[str]:
        """Return the doors that have to open before their hosts can be gone to."""
        return self._doors.shut()

    def settle(self, visit_id: VisitId, outcome: Outcome) -> list[Event]:
        """End a visit; exactly once for each. Returns what happened, in order.

        Raises SettleError when the visit is not under way. Runtime complexity: O(log n) and
        O(1) for each link of the page.
        """
        visit = self.unsettled.pop(visit_id, None)
        if visit is None:
            raise SettleError(f"visit {visit_id} is not under way")
        self._targets.discard(visit.lead.fingerprint)
        self.environment.budget.release(visit_id)
        self.environment.hosts.finish(self._host_of.pop(visit_id, visit.lead.host))
        if not isinstance(outcome, Dropped):
            self.environment.clock.advance(visit.started_at_s + outcome.cost.seconds)
        for listener in self.on_outcome:
            listener(visit, outcome)
        with self.life.recording() as events:
            agent = self.life.agents[visit.agent]
            taken = self._landing.take(visit, agent, outcome)
            if isinstance(taken, Fetched):
                self._let_out(self._discovery.freed(taken.page))
            self._go_on(agent)
        return events

    @property
    def is_unborn(self) -> bool:
        """True until the first seed is placed."""
        return self.life.is_unborn

    def goes_anywhere(self, visit: Visit) -> bool:
        """Return True when the visitor is of a species that goes to known pages too."""
        return self.life.agents[visit.agent].species.revisits

    def wakes_at(self) -> float | None:
        """Return when a later `choose` can succeed by the passing of time alone, else None."""
        if self.may_open and (self._waiting or self._doors.has_admitted):
            return self.environment.hosts.wakes_at()
        return None

    @property
    def ended(self) -> str | None:
        """Why nothing will ever be chosen again: "budget", "extinct", "exhausted"; else None."""
        if self.unsettled:
            return None
        if self.environment.budget.exhausted:
            return "budget"
        if not self.life.agents:
            return None if self.life.is_unborn else "extinct"
        return "exhausted" if self._is_idle and not self._discovery.has_held else None

    @property
    def may_open(self) -> bool:
        """False while as many visits are under way, or requests made, as may be."""
        under_way = len(self.unsettled) + (len(self._doors) if self.max_unsettled == 1 else 0)
        return under_way < self.max_unsettled and self.environment.budget.left != 0

    @property
    def _is_impatient(self) -> bool:
        return self.patience is not None and self._held >= self.patience

    @property
    def _is_idle(self) -> bool:
        """True while nothing is under way and nobody can go anywhere."""
        waits = self._turns or self._doors or self._doors.has_admitted or self._waiting
        return not (self.unsettled or waits)

    def _turn(self, agent: Agent, now_s: float) -> Visit | None:
        """Give `agent` one move: walk to energy or follow a link."""
        if not self._turns.works(agent, self.life.agents, now_s):
            return None
        move = agent.species.sight.wander(agent, may_eat=self.life.may_eat)
        if move is None:
            return self._follow(agent, now_s)
        self._turns.join(self.life.walk(agent, move))
        return None

    def _follow(self, agent: Agent, now_s: float) -> Visit | None:
        """Let `agent` follow a link, wait for a host or leave a dead end."""
        look = agent.species.sight.look(agent, self._freedom(now_s))
        if look.leads:
            leads = look.leads
            if agent.species.revisits:
                # Nobody goes to a page while another visit to it is under way.
                leads = [each for each in leads if each.fingerprint not in self._targets]
            if leads:
                return self._send(agent, agent.species.choice.draw(agent, leads), now_s)
            self._turns.stick(agent, is_idle=False)
            return None
        if look.busy:
            self._waiting.enter(agent, look.busy)
            return None
        move = agent.species.sight.escape(agent, may_eat=self.life.may_eat)
        if move is None:
            self._turns.stick(agent, is_idle=not agent.in_flight)
        else:
            # At once: were the agent to queue, the open links would be gone when its turn comes.
            self._turns.go_on(self.life.walk(agent, move))
        return None

    def _reopen(self, lead: Lead, species: Species) -> None:
        base = self.environment.base
        if base.get(lead.fingerprint) is None:
            base.release(lead.fingerprint)
        species.sight.found([lead])

    def _let_out(self, held: Sequence[HeldLink]) -> bool:
        """Open links again that were held back; False where there are none."""
        for each in held:
            self.give_back(each.lead, each.species)
        return bool(held)

    def _freedom(self, now_s: float) -> Callable[[str], bool]:
        hosts = self.environment.hosts
        return lambda host: hosts.is_free(host, now_s)

    def _send(self, agent: Agent, lead: Lead, now_s: float) -> Visit | None:
        self.environment.base.claim(lead.fingerprint)
        if self._discovery.holds_back(lead, agent.species):
            self._held += 1
            self._turns.go_on([agent])
            return None
        self._discovery.sent(lead)
        self._targets.add(lead.fingerprint)
        agent.in_flight += 1
        if not agent.species.single_flight:
            self._turns.join([agent])
        door = self.gate(lead.url)
        if door is None:
            return self._open(agent, lead, now_s)
        self._doors.wait(door, agent, lead)
        return None

    def _open(self, agent: Agent, lead: Lead, now_s: float) -> Visit:
        self._next_visit += 1
        visit = Visit(self._next_visit, agent.id, lead, now_s)
        self.environment.budget.reserve(visit.id)
        self.environment.hosts.start(lead.host, now_s)
        self.unsettled[visit.id] = visit
        self.life.emit(VisitOpened(visit))
        return visit

    def _go_on(self, agent: Agent) -> None:
        """After a visit the agent clones, dies or is asked again."""
        born_or_left = self.life.reproduce(agent)
        # An agent of many flights never left the queue.
        single = agent.species.single_flight
        self._turns.join(each for each in born_or_left if single or each is not agent)
        if not single and agent.id not in self.life.agents:
            self._turns.bury(agent)
            self._waiting.leave(agent)
        self._turns.stirred()

    def _set_fees(self) -> None:
        """A species may reckon its fees by the number of founders and the budget."""
        fees = self.species[0].fees
        if fees is not None:
            founders = sum(agent.parent is None for agent in self.life.agents.values())
            budget = self.environment.budget
            self.life.fees = fees(self.environment.fees, founders, budget.share or budget.limit)
