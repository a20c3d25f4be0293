"""Stored crawls of small webs, without Scrapy."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from tiny_webs import link

from evocrawl.core.config.config import Config
from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Content, Cost, Dead, Fetched, Link, Outcome, Page, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.assembly import assemble
from evocrawl.population.selection import PATIENCE
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import RunStarted
from evocrawl.store.journal.sqlite_journal import SqliteJournal

QUERY = "coral bleaching"
SEED = "http://a.test/"
EVIL = '<script>alert(1)</script>"\x1b[2J\u202e'
NOT_IDENTITY = ("max_requests", "max_unsettled", "store", "memory_links", "record", "learn_to")


def reef(pages: int = 40) -> dict[str, tuple[Content, tuple[Link, ...]]]:
    """Return a web: page n links to 2n and 2n + 1; every third is about corals; one is hostile."""
    web = {}
    for n in range(pages):
        is_good = n % 3 == 0
        text = f"{QUERY} of reef {n}. " * 3 if is_good else f"trains and timetables {n}. " * 3
        title = EVIL if n == 5 else f"{'Reef' if is_good else 'Train'} {n}"
        targets = [each for each in (2 * n, 2 * n + 1) if n < each < pages + 6] or [n + 1]
        links = tuple(
            Link(
                name(each), fingerprint(name(each)),
                EVIL if each == 5 else f"{'coral' if each % 3 == 0 else 'train'} {each}",
                f"about {'bleaching' if each % 3 == 0 else 'rails'} {each}",
                position=at, tag_path="html/body/p",
            )
            for at, each in enumerate(targets)
        )  # fmt: skip
        web[name(n)] = (Content(title, text, "en"), links)
    return web


def name(number: int) -> str:
    """Return the address of a page; the hosts take turns."""
    return SEED if number == 0 else f"http://{'ab'[number % 2]}.test/{number}"


class StoredCrawl:
    """A crawl of `reef` that is written to an SQLite file, one visit at a time."""

    def __init__(self, path: Path, species: str = "evo", budget: int = 30, **options: Any) -> None:
        given = {"query": QUERY, "species": species, "seeds": SEED}
        config = Config.read({}, {**given, "max_requests": budget, **options})
        self.path = path
        self.config = config
        self.web = reef()
        about = {key: each for key, each in asdict(config).items() if key not in NOT_IDENTITY}
        about |= {"learnt": "", "spider": "evospider", "evocrawl": "0.1.0", "DOWNLOAD_TIMEOUT": 9.0}
        limits = JournaledHostLimits(lambda _: (8, 0.0), (8, 0.0))
        assembly = assemble(config, concurrency=1, host_limit=limits, timeout_s=9.0)
        self.assembly = assembly
        self.population = assembly.population
        self.population.selector.patience = PATIENCE
        self.journal = SqliteJournal(path, about)
        self.journaled = JournaledPopulation(self.population, limits, self.journal)
        self.journaled.begin(RunStarted(budget, 1, (8, 0.0)))
        self.journaled.place([link(SEED)])
        self.now_s = 0.0
        self.energies: dict[str, float] = {}

    def run(self, visits: int = 1000) -> Path:
        """Make visits until the end; commit them."""
        for _ in range(visits):
            if not self.step():
                break
        self.journaled.commit()
        return self.path

    def step(self) -> bool:
        """Choose, fetch and settle one visit; False if there is no visit."""
        self.now_s += 1.0
        visit = self.journaled.choose(self.now_s)
        if visit is None:
            return False
        self.journaled.spend(visit.id)
        agent = self.population.lifecycle.agents[visit.agent]
        self.energies[visit.lead.url] = agent.energy
        self.settle(visit)
        return True

    def settle(self, visit: Visit) -> None:
        outcome = self.answer(visit.lead.url)
        base = self.population.environment.base
        record = base.get(visit.lead.source)
        date = f"2026-01-02T03:{int(self.now_s) // 60:02d}:{int(self.now_s) % 60:02d}+00:00"
        parent = "" if record is None else record.url
        details = FetchDetails(visit.agent, visit.lead, 200, date, parent)
        self.journaled.settle(visit.id, outcome, details)

    def answer(self, url: str) -> Outcome:
        """Return the outcome of a page; those after the last one are dead."""
        cost = Cost(0.5, 0.2, 1000, 1)
        if url not in self.web:
            return Dead("status 404", cost)
        content, links = self.web[url]
        relevance = self.assembly.relevance.page(content)
        energy = self.population.price(relevance)
        return Fetched(
            Page(url, fingerprint(url), relevance, energy, links, url.encode()[-8:], content), cost
        )

    def close(self) -> None:
        self.journaled.close()


def stored(path: Path, species: str = "evo", visits: int = 1000, **options: Any) -> Path:
    """Make a crawl and close it."""
    crawl = StoredCrawl(path, species, **options)
    crawl.run(visits)
    crawl.close()
    return path
