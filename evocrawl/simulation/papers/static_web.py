"""Crawlers of one species on a web that stands still, each watched by itself.

For experiments that need more than a run's record: the passes of each crawler over the sites of a
web, and crawlers that begin again elsewhere with what they know.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

from numpy.random import Generator

from evocrawl.core.config.config import Config
from evocrawl.core.model import Dead, Fetched, Lead, Link, Outcome, Page, Refused
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.population.assembly import assemble
from evocrawl.relevance import create
from evocrawl.simulation.worlds.base import Arrived
from evocrawl.simulation.worlds.made_up.sites import Sites
from evocrawl.species import Maker
from evocrawl.species.base import Agent
from evocrawl.species.biocrawler.species import mind_of

_TIMEOUT_S = 180.0


class StillWeb:
    """The answers of a web of sites, each made once; pages without their words."""

    def __init__(self, sites: Sites, rng: Generator) -> None:
        self.sites = len(sites.hosts())
        self._web = sites
        self._rng = rng
        self._model = create("semantic", "")
        self._answers: dict[str, Outcome] = {}
        self.rich = {
            host_of(page.url) for page in sites.documents() if self._model.page(page.content(0.0))
        }
        """The hosts of sites with semantic content."""

    def any_page(self) -> str:
        """Return the address of a page, each that can be fetched alike."""
        while True:
            page = int(self._rng.integers(len(self._web.graph)))
            if self._web.fetchable[page]:
                return self._web.url(page)

    def answer(self, url: str, gain: float, cost: float) -> Outcome:
        """Return what a visit brings; food is worth `gain`, each move costs `cost`."""
        known = self._answers.get(url)
        if known is None:
            known = self._answers[url] = self._answer(url, gain, cost)
        return known

    def _answer(self, url: str, gain: float, cost: float) -> Outcome:
        told = self._web.fetch(url, 0.0)
        if not isinstance(told, Arrived):
            assert isinstance(told, Dead | Refused)
            return told
        document = told.document
        score = self._model.page(document.content(0.0))
        links = tuple(Link(link.url, link.fingerprint) for link in document.links)
        page = Page(document.url, document.fingerprint, score, gain * score - cost, links)
        return Fetched(page, told.cost)


@dataclass(slots=True)
class Watch:
    """What one crawler did: `energy` gained after each visit, sites of the pass, passes by visit.

    `at` counts its visits to each site.
    """

    energy: list[float] = field(default_factory=list)
    unseen: set[str] = field(default_factory=set)
    passes: list[int] = field(default_factory=list)
    at: dict[str, int] = field(default_factory=dict)

    @property
    def throughput(self) -> float:
        """The s-throughput: energy gained for each connection (each visit makes one)."""
        return self.energy[-1] / len(self.energy)

    def curve(self, every: int) -> list[tuple[float, float]]:
        """Return (visits, energy) points."""
        places = range(every - 1, len(self.energy), every)
        return [(place + 1.0, self.energy[place]) for place in places]


class CrawlerGroup:
    """Crawlers that begin at one page and take turns; a new pass begins at a random page."""

    def __init__(self, web: StillWeb, config: Config, start: str, maker: Maker | None) -> None:
        assembly = assemble(
            config,
            concurrency=1,
            host_limit=lambda _: (1, 0.0),
            timeout_s=_TIMEOUT_S,
            makers=() if maker is None else (maker,),
        )
        self._web = web
        self._config = config
        self._population = assembly.population
        self._hosts = [f"s{site}.sites.test" for site in range(web.sites)]
        self._restarts = 0
        self._population.place([Link(start, fingerprint(start))])
        self.watches = {agent: self._new_watch() for agent in self._population.lifecycle.agents}

    def play(self, visits: int) -> list[Watch]:
        """Let each crawler make as many visits; return what they have done so far."""
        self._step(visits * len(self.watches))
        return deepcopy([*self.watches.values()])

    def first_passes(self, most: int) -> list[int | None]:
        """Return after how many visits each has been at all sites, None: not in `most` visits.

        Those who have not yet go on until then.
        """
        watches = [*self.watches.values()]
        while not all(each.passes for each in watches) and len(watches[0].energy) < most:
            self._step(len(watches))
        return [each.passes[0] if each.passes else None for each in watches]

    def _step(self, visits: int) -> None:
        for _ in range(visits):
            visit = self._population.choose(0.0)
            assert visit is not None
            outcome = self._web.answer(visit.lead.url, self._config.gain, self._config.cost)
            self._population.settle(visit.id, outcome)
            self._note(self._population.lifecycle.agents[visit.agent], visit.lead.host)

    def _new_watch(self) -> Watch:
        return Watch(unseen=set(self._hosts))

    def _note(self, agent: Agent, host: str) -> None:
        watch = self.watches[agent.id]
        watch.energy.append(agent.energy - agent.species.breeding.founder_energy)
        watch.at[host] = watch.at.get(host, 0) + 1
        watch.unseen.discard(host)
        if not watch.unseen:
            watch.passes.append(len(watch.energy))
            watch.unseen = set(self._hosts)
            self._send_to(agent, self._web.any_page())

    def _send_to(self, agent: Agent, url: str) -> None:
        """Put a crawler where it sees one link alone; it keeps its rules."""
        self._restarts += 1
        place = f"start {self._restarts}".encode()
        lead = Lead(url, fingerprint(url), host_of(url), place, 0, 0.0)
        agent.species.sight.found([lead])
        mind_of(agent).trail.pages.clear()
        agent.page = place
