"""Runs a population in a world, without a network.

This is a discrete-event simulation. The clock jumps to the next event, which is the end of a fetch
or of a host's delay; nothing sleeps. As in a crawl, up to `concurrency` visits are under way at
once, and each settles when its fetch ends. With one visit at a time, the order of choices, fetches
and settlements is that of a crawl. The same world, configuration and seeds give the same run.

Requests are counted as in a crawl, including redirects and failures. One thing is simpler: all
requests of a visit count, and the targets of its redirects are claimed, when the visit starts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from time import perf_counter, process_time
from typing import Literal, Self

from evocrawl import relevance
from evocrawl.core import stats
from evocrawl.core.config.config import Config
from evocrawl.core.events import Born, Died, Event
from evocrawl.core.fetch import Fetch
from evocrawl.core.model import (
    AgentId,
    Cost,
    Dead,
    Fetched,
    Fingerprint,
    Link,
    Outcome,
    Page,
    Refused,
    Visit,
)
from evocrawl.core.urls.identity import fingerprint
from evocrawl.politeness.host_slots import HostLimit
from evocrawl.population.assembly import Assembly, assemble
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.worlds.base import Document, World
from evocrawl.species import Maker

OVER_BUDGET = "over budget"
_TIMEOUT_S = 180.0
_MEMORY_LINKS = 1_000_000  # the world is in memory too


@dataclass(frozen=True, slots=True)
class Step:
    """One settled visit.

    `request` is the number of requests of the run up to the end of the visit. `fingerprint` and
    `changed_at_s` belong to the page after redirects. `agents` and `energy` are the size and the
    total energy of the population after the step.
    """

    request: int
    url: str
    fingerprint: Fingerprint
    agent: AgentId
    outcome: Literal["fetched", "dead", "refused"]
    reason: str
    relevance: float | None
    started_at_s: float
    finished_at_s: float
    changed_at_s: float | None
    agents: int
    energy: float


@dataclass(frozen=True, slots=True)
class AgentLifespan:
    """Requests of the run at the birth and at the death of an agent; None if it is alive."""

    agent: AgentId
    parent: AgentId | None
    born: int
    died: int | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Record of a run, in order. `budget` None: no limit. `stats` are those of a crawl.

    `stop_reason` is "budget", "extinct", "exhausted" or that of a stop rule. `seconds` is the
    duration of the run, `cpu_s` its processor time and `cpu_s_by` the processor time of choosing,
    fetching, scoring and settling; `simulated_s` is the duration of the simulated crawl.
    """

    steps: tuple[Step, ...]
    lives: tuple[AgentLifespan, ...]
    budget: int | None
    requests: int
    stop_reason: str
    seconds: float
    cpu_s: float
    cpu_s_by: dict[str, float]
    simulated_s: float
    stats: dict[str, int | float]


def run(
    world: World,
    config: Config,
    seeds: Iterable[str],
    *,
    concurrency: int = 1,
    host_limit: HostLimit | None = None,
    relevant: Collection[Fingerprint] | None = None,
    scorer: PageScorer | None = None,
    on_event: Iterable[Callable[[Event], None]] = (),
    makers: Sequence[Maker] = (),
    before_choice: Callable[[Assembly], None] = lambda _: None,
) -> Run:
    """Run the population that `config` describes in `world`, from `seeds` to its end.

    `host_limit` defaults to `concurrency` visits per host and no delay. `relevant` are the labels
    for a species that uses them. `scorer` can be shared between runs of the same query. `on_event`
    gets every event. `makers` make the species, instead of those that the configuration names.
    Raises SettingError or QueryError, OSError if the link model cannot be written, and ValueError
    if there is no seed or a seed is not an http(s) URL.
    """
    links = [Link(url, fingerprint(url)) for url in seeds]
    if not links:
        raise ValueError("a run needs at least one seed")
    began_s, began_cpu_s = perf_counter(), process_time()
    if scorer is None:
        scorer = PageScorer(relevance.Wanted.by(config).make())
    assembly = assemble(
        replace(config, memory_links=max(config.memory_links, _MEMORY_LINKS)),
        concurrency=concurrency,
        host_limit=host_limit or (lambda _: (concurrency, 0.0)),
        timeout_s=_TIMEOUT_S,
        model=scorer.model,
        labels=relevant,
        makers=makers,
    )
    assembly.population.on_event.extend(on_event)
    assembly.stop_rule.arm()
    simulation = _Simulation(world, assembly, scorer)
    simulation.before_choice = before_choice
    simulation.play(links)
    assembly.save_learnt()
    return simulation.result(perf_counter() - began_s, process_time() - began_cpu_s)


@dataclass(frozen=True, slots=True)
class _PendingFetch:
    visit: Visit
    request: int
    result: Document | Dead | Refused
    cost: Cost


class _Simulation:
    """Clock, visits under way (by the time of their end), and record."""

    def __init__(self, world: World, assembly: Assembly, scorer: PageScorer) -> None:
        self._world = world
        self._assembly = assembly
        self._population = assembly.population
        self._scorer = scorer
        self._now_s = 0.0
        self._pending: list[tuple[float, int, _PendingFetch]] = []
        self._steps: list[Step] = []
        self._lives: dict[AgentId, AgentLifespan] = {}
        self._watch = _Watch()
        self.before_choice: Callable[[Assembly], None] = lambda _: None
        self._population.on_event.append(self._note)

    def play(self, seeds: list[Link]) -> None:
        """Run until no visit is under way and no link becomes free later."""
        self._population.place(seeds)
        while True:
            while (visit := self._choose()) is not None:
                self._start(visit)
            finish_s = self._pending[0][0] if self._pending else None
            wake_s = self._population.wakes_at()
            if finish_s is not None and (wake_s is None or finish_s <= wake_s):
                self._now_s, _, pending = heappop(self._pending)
                self._settle(pending)
            elif wake_s is not None:
                self._now_s = wake_s
            else:
                return

    def result(self, seconds: float, cpu_s: float) -> Run:
        """Return the record."""
        budget = self._assembly.budget
        return Run(
            tuple(self._steps),
            tuple(self._lives.values()),
            budget.limit,
            budget.spent,
            self._population.ended or "stuck",
            seconds,
            cpu_s,
            self._watch.cpu_s_by,
            self._now_s,
            stats.report(self._assembly.ledger, budget),
        )

    def _choose(self) -> Visit | None:
        self.before_choice(self._assembly)
        with self._watch("choosing"):
            return self._population.choose(self._now_s)

    def _start(self, visit: Visit) -> None:
        fetch, base = Fetch(visit, visit.lead.url, visit.lead.fingerprint), self._assembly.base
        fetch.goes_anywhere = self._population.goes_anywhere(visit)
        with self._watch("fetching"):
            answer = self._world.fetch(
                visit.lead.url, self._now_s, lambda url: fetch.moves_to(url, base)
            )
        cost = answer.cost
        result = answer if isinstance(answer, Dead | Refused) else answer.document
        if isinstance(result, Document):
            fetch.moves_to(result.url, base)  # the page may have another address than the link
        if fetch.failure:
            result = Dead(fetch.failure, cost)
        if not self._spend(visit, cost.requests):
            result = Dead(OVER_BUDGET, cost)
        pending = _PendingFetch(visit, self._assembly.budget.spent, result, cost)
        heappush(self._pending, (self._now_s + cost.seconds, visit.id, pending))

    def _spend(self, visit: Visit, requests: int) -> bool:
        """Count the requests that the budget allows; return False if it does not allow all."""
        return all(self._assembly.budget.spend(visit.id) for _ in range(requests))

    def _settle(self, pending: _PendingFetch) -> None:
        outcome, score = self._outcome(pending)
        with self._watch("settling"):
            self._population.settle(pending.visit.id, outcome)
        ledger, lead, result = self._assembly.ledger, pending.visit.lead, pending.result
        page = result if isinstance(result, Document) else None
        self._steps.append(
            Step(
                pending.request,
                lead.url,
                page.fingerprint if page else lead.fingerprint,
                pending.visit.agent,
                "fetched" if page else "dead" if isinstance(result, Dead) else "refused",
                result.reason if isinstance(result, Dead) else "",
                score,
                pending.visit.started_at_s,
                self._now_s,
                page.changed_at_s if page else None,
                len(self._population),
                ledger.energy.of_agents,
            )
        )

    def _outcome(self, pending: _PendingFetch) -> tuple[Outcome, float | None]:
        """Score and price a page at its settlement; R depends on the earlier pages."""
        result = pending.result
        if not isinstance(result, Document):
            return result, None
        with self._watch("judging"):
            score = self._scorer.score(result, pending.visit.started_at_s)
        energy = self._population.price(score)
        page = Page(
            result.url,
            result.fingerprint,
            score,
            energy,
            result.links,
            result.version,
            result.content(pending.visit.started_at_s),
        )
        return Fetched(page, pending.cost), score

    def _note(self, event: Event) -> None:
        match event:
            case Born(agent=agent, parent=parent):
                self._lives[agent] = AgentLifespan(agent, parent, self._assembly.budget.spent)
            case Died(agent=agent):
                life = self._lives[agent]
                died = self._assembly.budget.spent
                self._lives[agent] = AgentLifespan(agent, life.parent, life.born, died)


class _Watch:
    """Sums the processor seconds of each activity."""

    def __init__(self) -> None:
        self.cpu_s_by = dict.fromkeys(("choosing", "fetching", "judging", "settling"), 0.0)
        self._activity = ""
        self._since_s = 0.0

    def __call__(self, activity: str) -> Self:
        self._activity = activity
        return self

    def __enter__(self) -> None:
        self._since_s = process_time()

    def __exit__(self, *_: object) -> None:
        self.cpu_s_by[self._activity] += process_time() - self._since_s
