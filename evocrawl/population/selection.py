"""Selects the next link to visit: asks agents in turn until one of them finds a link."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from evocrawl.core.model import Fingerprint, Lead
from evocrawl.population.admission import AdmissionQueue
from evocrawl.population.discovery import Discovery
from evocrawl.population.environment import Environment
from evocrawl.population.host_waiting import HostWaitQueue
from evocrawl.population.individual import Individual
from evocrawl.population.lifecycle import Lifecycle
from evocrawl.population.turns import TurnQueue

PATIENCE = 50
"""The `patience` of a live crawl: a link takes some 60 to 250 µs to be held back.

The replay of a journal needs the same number.
"""


class LinkSelector:
    """Asks the agents of `lifecycle` in turn; passes over busy hosts and closed origins."""

    def __init__(
        self,
        lifecycle: Lifecycle,
        discovery: Discovery,
        environment: Environment,
        admission: AdmissionQueue,
    ) -> None:
        self.turns = TurnQueue(lifecycle.species[0].slice_s)
        self.targets: set[Fingerprint] = set()
        """Targets of the links that are chosen and not settled."""
        self.patience: int | None = None
        """Number of links that one call of `next` may hold back before it returns None; None for
        no limit, which can take seconds in a large trap."""
        self._held_back = 0
        self._lifecycle = lifecycle
        self._discovery = discovery
        self._admission = admission
        self._waiting = HostWaitQueue()
        self._base, self._hosts = environment.base, environment.hosts
        self._hosts.on_free += [each.sight.freed for each in lifecycle.species]
        self._hosts.on_free.append(self._waiting.freed)

    @property
    def is_impatient(self) -> bool:
        """True if the last search has held back as many links as `patience` allows."""
        return self.patience is not None and self._held_back >= self.patience

    @property
    def is_idle(self) -> bool:
        """True if no agent is in turn or waits for a host or an origin."""
        return not (self.turns or self._admission or self.waits_for_time)

    @property
    def waits_for_time(self) -> bool:
        """True if an agent or an admitted link waits for a host."""
        return bool(self._admission.has_admitted or self._waiting)

    def next(self, now_s: float, *, is_quiet: bool) -> tuple[Individual, Lead] | None:
        """Return an agent and the link that it visits now; None if there is none now.

        `is_quiet` means that no visit is under way; then held-back links are released if no other
        link is open.
        """
        self._held_back = 0
        found = self._admission.admit(self._freedom(now_s)) or self._search(now_s)
        while found is None and is_quiet and self.is_idle and self._discovery.release_some():
            self.turns.wake()
            found = self._search(now_s)
        return found

    def close_origin(self, origin: str) -> None:
        """Free the agents that wait for the origin, and open their links again."""
        for agent, lead in self._admission.close(origin):
            self._free(agent, lead)
            self._discovery.put_off(lead, agent.species, f"{origin} stayed closed")
            self.resume(agent)
        self.turns.wake()

    def call_back(self, is_gone: Callable[[Lead], bool]) -> list[tuple[Individual, Lead]]:
        """Remove and return waiting agents whose chosen link matches `is_gone`. O(waiting)."""
        back = self._admission.call_back(is_gone)
        for agent, lead in back:
            self._free(agent, lead)
        return back

    def dismiss(self, agent: Individual) -> None:
        """Give no further turn to an agent. O(agents)."""
        self.turns.remove(agent)
        self._waiting.leave(agent)

    def resume(self, agent: Individual) -> None:
        """Give turns again to an agent whose chosen link is not visited."""
        if agent.id in self._lifecycle.excluded:
            self.turns.join(self._lifecycle.reproduce(agent))
        elif agent.species.single_flight:
            self.turns.join([agent])

    def go_on(self, agent: Individual, alive: Iterable[Individual]) -> None:
        """Give turns to the agents that a visit of `agent` has left alive, itself or its clones."""
        # An agent that may have several visits under way has never left the queue.
        single = agent.species.single_flight
        self.turns.join(each for each in alive if single or each is not agent)
        if not single and agent.id not in self._lifecycle.agents:
            self.turns.remove(agent)
            self._waiting.leave(agent)
        self.turns.wake()

    def _free(self, agent: Individual, lead: Lead) -> None:
        self.targets.discard(lead.fingerprint)
        agent.in_flight -= 1

    def _freedom(self, now_s: float) -> Callable[[str], bool]:
        hosts = self._hosts
        return lambda host: hosts.is_free(host, now_s)

    def _search(self, now_s: float) -> tuple[Individual, Lead] | None:
        """Ask one agent after the other until one finds a link; None if no agent finds one."""
        found = None
        while found is None and not self._admission.is_full and not self.is_impatient:
            waited = self._waiting.next(self._freedom(now_s))
            if waited is not None:
                works = self.turns.works(waited, self._lifecycle.agents, now_s)
                found = self._follow(waited, now_s) if works else None
            elif self.turns:
                found = self._turn(self.turns.next(), now_s)
            else:
                break
        return found

    def _turn(self, agent: Individual, now_s: float) -> tuple[Individual, Lead] | None:
        """Give `agent` one move: walk to energy or follow a link."""
        if not self.turns.works(agent, self._lifecycle.agents, now_s):
            return None
        move = agent.species.sight.wander(agent, may_eat=self._lifecycle.may_eat)
        if move is None:
            return self._follow(agent, now_s)
        self.turns.join(self._lifecycle.walk(agent, move))
        return None

    def _follow(self, agent: Individual, now_s: float) -> tuple[Individual, Lead] | None:
        """Let `agent` follow a link, wait for a host or leave a dead end."""
        look = agent.species.sight.look(agent, self._freedom(now_s))
        if look.leads:
            leads = look.leads
            if agent.species.revisits:
                # A page is not visited while another visit to it is under way.
                covers = self._discovery.exclusions.covers
                leads = [
                    each for each in leads
                    if each.fingerprint not in self.targets and not covers(each)
                ]  # fmt: skip
            if leads:
                return self._claim(agent, agent.species.choice.draw(agent, leads))
            self.turns.set_aside(agent, is_idle=False)
            return None
        if look.busy:
            self._waiting.enter(agent, look.busy)
            return None
        move = agent.species.sight.escape(agent, may_eat=self._lifecycle.may_eat)
        if move is None:
            self.turns.set_aside(agent, is_idle=not agent.in_flight)
        else:
            # It goes on at once: later, other agents may have followed the links at its new page.
            self.turns.go_on(self._lifecycle.walk(agent, move))
        return None

    def _claim(self, agent: Individual, lead: Lead) -> tuple[Individual, Lead] | None:
        """Claim a link for `agent`; return None if it is held back or waits for its origin."""
        self._base.claim(lead.fingerprint)
        if self._discovery.holds_back(lead, agent.species):
            self._held_back += 1
            self.turns.go_on([agent])
            return None
        self._discovery.follow(lead)
        self.targets.add(lead.fingerprint)
        agent.in_flight += 1
        if not agent.species.single_flight:
            self.turns.join([agent])
        return (agent, lead) if self._admission.passes(agent, lead) else None
