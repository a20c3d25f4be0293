"""Runs crawlers of one species on a static web and records each of them.

For experiments that need more than the record of a run: the passes of each crawler over the sites,
and crawlers that start again at another page and keep their rules.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

from numpy.random import Generator

from evocrawl.core.config.config import Config
from evocrawl.core.model import Dead, Fetched, Lead, Link, Outcome, Page, Refused
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.population.assembly import assemble
from evocrawl.population.individual import Individual
from evocrawl.relevance import create
from evocrawl.simulation.worlds.base import Arrived
from evocrawl.simulation.worlds.made_up.sites import Sites
from evocrawl.species import Maker
from evocrawl.species.biocrawler.species import mind_of

_TIMEOUT_S = 180.0


class StaticWeb:
    """Responses of a web of sites, each computed once; pages have no words."""

    def __init__(self, sites: Sites, rng: Generator) -> None:
        self.sites = len(sites.hosts())
        self._web = sites
        self._rng = rng
        self._model = create("semantic", "")
        self._answers: dict[str, Outcome] = {}
        self.rich = {
            host_of(page.url) for page in sites.documents() if self._model.page(page.content(0.0))
        }
        """Hosts of the sites with semantic content."""

    def any_page(self) -> str:
        """Return the address of a random page that can be fetched."""
        while True:
            page = int(self._rng.integers(len(self._web.graph)))
            if self._web.fetchable[page]:
                return self._web.url(page)

    def answer(self, url: str, gain: float, cost: float) -> Outcome:
        """Return the outcome of a visit; food is worth `gain`, each move costs `cost`."""
        known = self._answers.get(url)
        if known is None:
            known = self._answers[url] = self._answer(url, gain, cost)
        return known

    def _answer(self, url: str, gain: float, cost: float) -> Outcome:
        found = self._web.fetch(url, 0.0)
        if not isinstance(found, Arrived):
            assert isinstance(found, Dead | Refused)
            return found
        document = found.document
        score = self._model.page(document.content(0.0))
        links = tuple(Link(link.url, link.fingerprint) for link in document.links)
        page = Page(document.url, document.fingerprint, score, gain * score - cost, links)
        return Fetched(page, found.cost)


@dataclass(slots=True)
class CrawlerRecord:
    """Record of one crawler: `energy` after each visit, sites of the current pass, passes.

    `at` counts the visits to each site.
    """

    energy: list[float] = field(default_factory=list)
    unseen: set[str] = field(default_factory=set)
    passes: list[int] = field(default_factory=list)
    at: dict[str, int] = field(default_factory=dict)

    @property
    def throughput(self) -> float:
        """S-throughput: energy gained for each connection (each visit makes one)."""
        return self.energy[-1] / len(self.energy)

    def curve(self, every: int) -> list[tuple[float, float]]:
        """Return (visits, energy) points."""
        places = range(every - 1, len(self.energy), every)
        return [(place + 1.0, self.energy[place]) for place in places]


class CrawlerGroup:
    """Crawlers that start at one page and take turns; a new pass starts at a random page."""

    def __init__(self, web: StaticWeb, config: Config, start: str, maker: Maker | None) -> None:
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
        self.records = {agent: self._new_record() for agent in self._population.lifecycle.agents}

    def play(self, visits: int) -> list[CrawlerRecord]:
        """Let each crawler make `visits` visits; return the records so far."""
        self._step(visits * len(self.records))
        return deepcopy([*self.records.values()])

    def first_passes(self, most: int) -> list[int | None]:
        """Return the visits of each crawler until it has seen all sites; None if more than `most`.

        Crawlers that have not seen all sites continue, up to `most` visits.
        """
        records = [*self.records.values()]
        while not all(each.passes for each in records) and len(records[0].energy) < most:
            self._step(len(records))
        return [each.passes[0] if each.passes else None for each in records]

    def _step(self, visits: int) -> None:
        for _ in range(visits):
            visit = self._population.choose(0.0)
            assert visit is not None
            outcome = self._web.answer(visit.lead.url, self._config.gain, self._config.cost)
            self._population.settle(visit.id, outcome)
            self._note(self._population.lifecycle.agents[visit.agent], visit.lead.host)

    def _new_record(self) -> CrawlerRecord:
        return CrawlerRecord(unseen=set(self._hosts))

    def _note(self, agent: Individual, host: str) -> None:
        record = self.records[agent.id]
        record.energy.append(agent.energy - agent.species.breeding.founder_energy)
        record.at[host] = record.at.get(host, 0) + 1
        record.unseen.discard(host)
        if not record.unseen:
            record.passes.append(len(record.energy))
            record.unseen = set(self._hosts)
            self._send_to(agent, self._web.any_page())

    def _send_to(self, agent: Individual, url: str) -> None:
        """Move a crawler to a place with a single link; it keeps its rules."""
        self._restarts += 1
        place = f"start {self._restarts}".encode()
        lead = Lead(url, fingerprint(url), host_of(url), place, 0, 0.0)
        agent.species.sight.found([lead])
        mind_of(agent).trail.pages.clear()
        agent.page = place
