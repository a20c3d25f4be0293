"""Makes the record of a crawl from the events of its population.

The record is made from the events and the outcomes of visits, both in a running crawl and in a
replay. It never reads an agent. It takes some 700 bytes a page.
"""

from __future__ import annotations

from evocrawl.core.events import (
    Born,
    Came,
    Cloned,
    Died,
    Event,
    Fed,
    HeldBack,
    Left,
    Moved,
    Paid,
    VisitOpened,
    VisitSettled,
)
from evocrawl.core.ledger import Ledger
from evocrawl.core.model import AgentId, Content, Fetched, Fingerprint, Outcome, Visit, VisitId
from evocrawl.core.urls.identity import host_of
from evocrawl.energy import Sigmoid
from evocrawl.estimation.forecast import Forecast
from evocrawl.estimation.outlook import Outlook
from evocrawl.monitor.curve import Point
from evocrawl.monitor.page_texts import PageTexts
from evocrawl.monitor.record import AgentRecord, Happening, HostRecord, Mark, Record
from evocrawl.monitor.results import Result
from evocrawl.population.population import Population

_FAILURES = 200
"""Kinds of failures that are counted separately; further kinds count as "other"."""


class CrawlRecord(Record):
    """The record of a population; it has all energies if it is made before the first event."""

    def __init__(
        self, population: Population, ledger: Ledger, forecast: Forecast | None = None
    ) -> None:
        super().__init__()
        self.ledger = ledger
        self.budget = population.environment.budget
        self.texts: PageTexts | None = None
        """The texts of the pages, if they are kept for marks of a user."""
        self.marks: list[Mark] = []
        self._forecast = forecast
        self._population = population
        self._base = population.environment.base
        self._clock = population.environment.clock
        self._began_s: float | None = None
        self._latest: Fetched | None = None
        population.on_event.append(self.note)
        population.on_outcome.append(self.note_outcome)

    @property
    def requests(self) -> int:
        """HTTP requests sent so far."""
        return self.budget.spent

    @property
    def threshold(self) -> float | None:
        """R; None if the energy model has no threshold or no page is known."""
        ranks = self._base.ranks
        energy = self._population.environment.energy
        if not isinstance(energy, Sigmoid) or not len(ranks):
            return None
        return float(energy.threshold(ranks))

    @property
    def seconds(self) -> float:
        """Seconds since the first visit; those between two runs of the crawl do not count."""
        return 0.0 if self._began_s is None else self._clock.now_s - self._began_s

    def note_outcome(self, visit: Visit, outcome: Outcome) -> None:
        """Add the outcome of a visit, before its events. O(log n)."""
        self._latest = outcome if isinstance(outcome, Fetched) else None
        host = self._host(visit.lead.host)
        if isinstance(outcome, Fetched):
            host.seconds += outcome.cost.seconds
            host.body_bytes += outcome.cost.body_bytes

    def note(self, event: Event) -> None:
        """Add an event. O(log n)."""
        match event:
            case VisitSettled():
                self._settled(event)
            case VisitOpened(visit=visit):
                self._opened(visit)
            case Fed(agent=agent, energy=energy):
                self._change(agent, energy)
                self._agent(agent).gained += energy
                self._tell(agent, "ate" if energy >= 0 else "lost", energy=energy)
            case Paid(agent=agent, energy=energy, reason=reason):
                self._change(agent, -energy)
                self._agent(agent).paid += energy
                self.fees[reason] = self.fees.get(reason, 0.0) + energy
                self._tell(agent, f"paid: {reason}", energy=-energy)
            case Cloned(agent=agent, children=children, energy=energy):
                self._change(agent, -energy * len(children))
                self._tell(
                    agent,
                    f"cloned: {', '.join(map(str, children))}",
                    energy=-energy * len(children),
                )
            case HeldBack(reason=reason):
                self.held_back[reason.partition(":")[0]] += 1
            case Moved(agent=agent, why=why):
                self._tell(agent, f"moved: {why}")
            case Born() | Came() | Died() | Left():
                self._life(event)
            case _:
                pass

    def _life(self, event: Born | Came | Died | Left) -> None:
        match event:
            case Born(agent=agent, parent=parent, energy=energy, species=species):
                self.agents[agent] = AgentRecord(agent, parent, species, self.requests, energy)
                if parent is not None:
                    self._agent(parent).children.append(agent)
                self._tell(agent, "born" if parent is not None else "founded", energy=energy)
            case Came(agent=agent, energy=energy, species=species):
                self.agents[agent] = AgentRecord(agent, None, species, self.requests, energy)
                self._tell(agent, "came from another worker", energy=energy)
            case Died(agent=agent, energy=energy):
                self._agent(agent).died_at = self.requests
                self._tell(agent, "died", energy=energy)
            case Left(agent=agent, energy=energy):
                self._agent(agent).died_at = self.requests
                self._tell(agent, "left for another worker", energy=energy)

    def _opened(self, visit: Visit) -> None:
        if self._began_s is None:
            self._began_s = visit.started_at_s
        name = visit.lead.host
        free_at_s = self._population.environment.hosts.free_at_s(name)
        self._host(name).delay_s = max(free_at_s - visit.started_at_s, 0.0)

    def _settled(self, event: VisitSettled) -> None:
        visit = event.visit
        agent, host = self._agent(visit.agent), self._host(visit.lead.host)
        agent.visits += 1
        host.visits += 1
        self._tell(visit.agent, event.outcome, visit.id)
        if event.outcome == "fetched" and self._latest is not None:
            self._page(event, agent, host, self._latest)
        elif event.outcome != "fetched":
            setattr(host, event.outcome, getattr(host, event.outcome) + 1)
            reason = event.reason or event.outcome
            host.trouble = reason[:200]
            is_known = reason in self.failures or len(self.failures) < _FAILURES
            self.failures[reason[:200] if is_known else "other"] += 1
        self._latest = None
        self.curve.add(self.point)

    def _page(
        self, event: VisitSettled, agent: AgentRecord, host: HostRecord, outcome: Fetched
    ) -> None:
        relevance = event.relevance or 0.0
        if event.first:
            is_relevant = relevance >= self.ledger.relevant_at
            for each in (agent, host):
                each.pages += 1
                each.relevant += is_relevant
            if relevance > agent.best_relevance:
                agent.best, agent.best_relevance = event.visit.id, relevance
        self.results.add(self._result(event.visit, outcome, relevance))
        if self.texts is not None:
            self.texts.put(event.visit.id, outcome.page.content)

    def _result(self, visit: Visit, outcome: Fetched, relevance: float) -> Result:
        page, lead = outcome.page, visit.lead
        return Result(
            visit.id, page.url, page.content.title, host_of(page.url), relevance, visit.agent,
            lead.depth, self.url_of(lead.source), lead.anchor, page.energy,
            page.content.language, outcome.cost.seconds,
        )  # fmt: skip

    def content_of(self, visit: VisitId) -> Content | None:
        """Return the content of a page, None if it was not kept."""
        result = self.results.get(visit)
        return None if self.texts is None or result is None else self.texts.get(visit)

    def mark(self, visit: VisitId, relevant: bool) -> None:
        """Note a user's mark of a page, and the progress of the crawl at that moment."""
        self.results.mark(visit, relevant)
        now = self.point()
        self.marks.append(Mark(visit, relevant, now.requests, now.relevant))

    def url_of(self, page: Fingerprint) -> str:
        """Return the URL of a page of the crawl, "" for none."""
        record = self._base.get(page) if page else None
        return "" if record is None else record.url

    @property
    def outlook(self) -> Outlook | None:
        """What is left of the crawl; None if not known yet."""
        return None if self._forecast is None else self._forecast.outlook()

    def point(self) -> Point:
        """Return the present point of the crawl."""
        ledger, forecast = self.ledger, self._forecast
        return Point(
            self.requests, self.seconds, ledger.pages, ledger.relevant_pages, ledger.population,
            ledger.energy.of_agents, self.threshold,
            None if forecast is None or not forecast.is_known else forecast.recent_yield,
        )  # fmt: skip

    def _agent(self, number: AgentId) -> AgentRecord:
        """Return an agent; one that was born before the record began is added as a founder."""
        agent = self.agents.get(number)
        if agent is None:
            agent = self.agents[number] = AgentRecord(number, None, "", self.requests, 0.0)
        return agent

    def _host(self, name: str) -> HostRecord:
        host = self.hosts.get(name)
        if host is None:
            host = self.hosts[name] = HostRecord(name)
        return host

    def _change(self, agent: AgentId, energy: float) -> None:
        self._agent(agent).energy += energy

    def _tell(self, agent: AgentId, what: str, visit: int = 0, energy: float = 0.0) -> None:
        self._agent(agent).history.append(Happening(self.requests, what, visit, energy))
