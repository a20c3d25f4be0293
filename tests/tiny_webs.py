"""Webs of a few pages, and functions to crawl them with a population."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator

from evocrawl.core.budget import Budget
from evocrawl.core.config.presets import Rewards
from evocrawl.core.fees import Fees
from evocrawl.core.ledger import Ledger
from evocrawl.core.model import Cost, Dead, Dropped, Fetched, Link, Outcome, Page, Refused, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.energy import MODELS
from evocrawl.frontier import CandidatesByRow, Frontier, MemoryPageBase, OpenLinks
from evocrawl.politeness.host_slots import HostLimit, HostSlots
from evocrawl.population.environment import Environment
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.population.traps.traps import TrapDetector
from evocrawl.relevance.lexicon import Lexicon
from evocrawl.relevance.terms import Analyser
from evocrawl.species import SPECIES, SpeciesContext
from evocrawl.species.evo.link_model import LinkModel, prior

NO_LIMIT: HostLimit = lambda _: (1000, 0.0)  # noqa: E731


class AnchorIsRelevance:
    """The score of a link is the number in its anchor, 0 without a number."""

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        return float(anchor) if anchor else 0.0


def link(url: str, anchor: str = "") -> Link:
    """Return a link with its identity."""
    return Link(url, fingerprint(url), anchor)


@dataclass
class Web:
    """Pages by URL: `links` out (URL, or URL and anchor), `relevance` (0 unless given).

    `failing` maps URLs to the outcome of a visit, `moved` URLs to where they redirect.
    """

    links: Mapping[str, Sequence[str | tuple[str, str]]]
    relevance: Mapping[str, float] = field(default_factory=dict)
    failing: Mapping[str, Outcome] = field(default_factory=dict)
    moved: Mapping[str, str] = field(default_factory=dict)

    def answer(self, url: str, price: Callable[[float], float]) -> Outcome:
        """Return the outcome of a visit."""
        url = self.moved.get(url, url)
        if url in self.failing or url not in self.links:
            return self.failing.get(url, Dead("404", Cost()))
        relevance = self.relevance.get(url, 0.0)
        links = tuple(
            link(*((each,) if isinstance(each, str) else each)) for each in self.links[url]
        )
        page = Page(url, fingerprint(url), relevance, price(relevance), links)
        return Fetched(page, Cost(seconds=1.0))

    def reachable(self, seeds: Iterable[str]) -> set[str]:
        """Return every URL that a crawl without limits requests."""
        seen, todo = set[str](), list(seeds)
        while todo:
            url = todo.pop()
            if url not in seen:
                seen.add(url)
                place = self.moved.get(url, url)
                if place not in self.failing:
                    todo += [each if isinstance(each, str) else each[0]
                             for each in self.links.get(place, ())]  # fmt: skip
        return seen


def random_web(rng: Generator, pages: int, hosts: int = 3) -> Web:
    """Return a web with dead ends, cycles, self-links, redirects and every kind of failure."""
    urls = [f"http://h{number % hosts}.test/{number}" for number in range(pages)]
    links = {
        url: [
            (urls[int(target)], f"{rng.random():.3f}")
            for target in rng.integers(pages, size=int(rng.integers(6)))
        ]
        for url in urls
    }
    failures: list[Outcome] = [
        Dead("500", Cost(seconds=3.0)), Refused(Cost(requests=0)), Dropped("filtered"),
    ]  # fmt: skip
    failing = {url: failures[int(rng.integers(3))] for url in urls[1:] if rng.random() < 0.15}
    moved = {url: urls[int(rng.integers(pages))] for url in urls[1:] if rng.random() < 0.1}
    relevance = {url: float(rng.random() ** 3) for url in urls}
    return Web(links, relevance, failing, moved)


def make_population(
    species: str = "energy",
    *,
    bounds: PopulationBounds | None = None,
    seed: int = 0,
    limit: HostLimit = NO_LIMIT,
    budget: int | None = None,
    energy: str = "sigmoid",
    gain: float = 4.0,
    cost: float = 0.5,
    latency: float = 0.0,
    wander_share: float = 0.1,
    boldness: float = 0.1,
    memory: int = 5000,
    traps: TrapDetector | None = None,
    rewards: Rewards = "first",
    **options: Any,
) -> tuple[Population, Ledger]:
    """Return a population with its environment, and a ledger of its events."""
    base = MemoryPageBase(memory)
    environment = Environment(
        MODELS[energy](gain=gain, cost=cost),
        Fees(visit=cost, refusal=2 * cost, dead=cost, latency=latency, timeout_s=10.0),
        base,
        HostSlots(limit),
        Budget(budget),
        rewards,
        traps=traps,
    )
    ingredients = SpeciesContext(
        base,
        AnchorIsRelevance(),
        lambda row_of=None: Frontier(base.is_claimed, memory, row_of=row_of),
        lambda: OpenLinks(base.is_claimed, memory),
        wander_share,
        boldness,
        contest=4,
        selectivity=0.5,
        labels=frozenset(),
        is_awaited=environment.awaits,
        chance_elsewhere=environment.chance_elsewhere,
        lexicon=lambda: Lexicon("coral"),
        links=lambda: LinkModel(AnchorIsRelevance().link, Analyser("en"), 0.5, prior.shipped()),
        leads=lambda: CandidatesByRow(memory),
    )
    population = Population(
        [SPECIES[name](ingredients) for name in species.split("+")],
        environment,
        bounds or PopulationBounds(4, 2, 12),
        np.random.default_rng(seed),
        **options,
    )
    ledger = Ledger(relevant_at=0.5)
    population.on_event.append(ledger.note)
    return population, ledger


def visit(population: Population, web: Web, visit: Visit) -> None:
    """Settle one visit with the answer of the web."""
    population.environment.budget.spend(visit.id)
    population.settle(visit.id, web.answer(visit.lead.url, population.price))


def crawl(population: Population, web: Web, seeds: Iterable[str], most: int = 10_000) -> list[str]:
    """Crawl to the end, one visit after the other; return the URLs in order.

    Time passes only while the population waits for it.
    """
    population.place(link(url) for url in seeds)
    order: list[str] = []
    now_s = 0.0
    while len(order) < most:
        chosen = population.choose(now_s)
        if chosen is not None:
            order.append(chosen.lead.url)
            visit(population, web, chosen)
            continue
        wakes_at_s = population.wakes_at()
        if wakes_at_s is None:
            return order
        assert wakes_at_s > now_s
        now_s = wakes_at_s
    raise AssertionError(f"the crawl did not end within {most} visits")
