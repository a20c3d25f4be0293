"""A compact news web for many fetches, and foragers that crawl it.

Foragers download the pages again and again: half a million downloads in eight days. They need no
texts, since the state of a page is known (`News.topic_vector`); so this world only keeps the times
at which each page changes, its links at each time, and its state. "Simulated time of a page
download was the average download time" (Palotai, Farkas & Lőrincz, §4.2.1): one number for all
pages; one forager works at a time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from evocrawl.core.budget import Budget
from evocrawl.core.config.config import Config
from evocrawl.core.fees import Fees
from evocrawl.core.model import Cost, Dead, Fetched, Fingerprint, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.energy import Linear
from evocrawl.frontier import MemoryPageBase
from evocrawl.politeness.host_slots import HostSlots
from evocrawl.population.environment import Environment
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.simulation.evaluation.freshness import Download
from evocrawl.simulation.worlds.made_up.news import News
from evocrawl.species.foragers.species import foragers
from evocrawl.species.foragers.text_states import State


class NewsWeb:
    """Pages of `world` by number. Memory: about 100 bytes for each link and each change."""

    def __init__(self, world: News) -> None:
        pages = range(len(world.graph))
        urls = [world.url(page) for page in pages]
        self.links = [Link(url, fingerprint(url)) for url in urls]
        self._numbers = {link.fingerprint: page for page, link in enumerate(self.links)}
        self._changes = [world.changes_of(page).tolist() for page in pages]
        self._targets = [
            sorted(world.graph.out(page).tolist(), key=lambda target: self._changes[target][0])
            for page in pages
        ]
        self._appear = [[self._changes[target][0] for target in row] for row in self._targets]
        self._states = np.array([world.topic_vector(url) for url in urls], dtype=np.float32)
        self._visible: dict[tuple[int, int], tuple[Link, ...]] = {}

    def changed_at(self, page: Fingerprint, now_s: float) -> float | None:
        """Return the time of the last change of a page, None before it exists. O(log changes)."""
        changes = self._changes[self._numbers[page]]
        count = bisect_right(changes, now_s)
        return changes[count - 1] if count else None

    def links_at(self, page: Fingerprint, now_s: float) -> tuple[Link, ...]:
        """Return the links of a page to pages that exist. O(log links)."""
        number = self._numbers[page]
        count = bisect_right(self._appear[number], now_s)
        known = self._visible.get((number, count))
        if known is None:
            known = tuple(self.links[target] for target in self._targets[number][:count])
            self._visible[number, count] = known
        return known

    def state(self, page: Page) -> State:
        """Return the state of a page from the world."""
        state: State = self._states[self._numbers[page.fingerprint]]
        return state

    def starts(self, count: int) -> list[Link]:
        """Return the page with the most links at the beginning, and `count` − 1 of its links.

        These are the targets with the most links: front page and sections of a news site.
        """
        first = max(self.links, key=self._size)
        sections = sorted(self.links_at(first.fingerprint, 0.0), key=self._size, reverse=True)
        return [first, *(each for each in sections if each != first)][:count]

    def _size(self, link: Link) -> int:
        return len(self.links_at(link.fingerprint, 0.0))


@dataclass(frozen=True, slots=True)
class Foraging:
    """Record of the foragers: `downloads` in order, numbers of found and of sent URLs.

    `population` has pairs (time, foragers), one for each change of their number.
    """

    downloads: list[Download]
    urls: int
    handed_on: int
    population: list[tuple[float, int]]


def forage(
    web: NewsWeb, kind: str, seeds: Iterable[Link], seed: int, until_s: float, download_s: float
) -> Foraging:
    """Run foragers of the species `kind` until `until_s`; a download takes `download_s` > 0."""
    population = _population(web, kind, seed)
    population.place(seeds)
    downloads = list[Download]()
    seen, urls, sizes = set[int](), set[Fingerprint](), [(0.0, len(population))]
    handed_on, now_s, cost = 0, 0.0, Cost(download_s)
    while now_s < until_s and (visit := population.choose(now_s)) is not None:
        target = visit.lead.fingerprint
        changed_at_s = web.changed_at(target, now_s)
        if changed_at_s is None:
            events = population.settle(visit.id, Dead("404", cost))
        else:
            download = Download(now_s, visit.agent, target, changed_at_s)
            relevance, links = float(download.is_news), web.links_at(target, now_s)
            energy, version = population.price(relevance), repr(changed_at_s).encode()
            page = Page(visit.lead.url, target, relevance, energy, links, version)
            events = population.settle(visit.id, Fetched(page, cost))
            downloads.append(download)
            if id(links) not in seen:
                seen.add(id(links))
                urls.update(link.fingerprint for link in links)
        handed_on += sum(getattr(event, "reason", "") == "hand on" for event in events)
        now_s += download_s
        if len(population) != sizes[-1][1]:
            sizes.append((now_s, len(population)))
    return Foraging(downloads, len(urls), handed_on, sizes)


def _population(web: NewsWeb, kind: str, seed: int) -> Population:
    """Return the foragers, with the options of their paper."""
    config = Config.read({}, {"species": kind})
    environment = Environment(
        Linear(config.gain, config.cost),
        Fees(config.cost, config.refusal_cost, config.dead_cost, hand_on=config.hand_on_cost),
        MemoryPageBase(),
        HostSlots(lambda _: (1, 0.0)),
        Budget(),
        config.rewards,
    )
    return Population(
        [foragers(kind, web.state)],
        environment,
        PopulationBounds(config.agents, config.lower_bound, config.upper_bound),
        np.random.default_rng(seed),
    )
