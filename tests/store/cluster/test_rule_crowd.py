"""BioCrawlers of several workers on a real Redis use each other's rules."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
from crowd import Hand, Seen, crawl
from redisserver import RedisServer
from tiny_webs import Web

from evocrawl.core.model import Lead
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.species.agent import Agent
from evocrawl.species.base import Species
from evocrawl.species.biocrawler.species import EXCHANGE_EVERY, mind_of

HOSTS, PAGES = 12, 120
FOOD = {"gain": 15.0, "cost": 1.0, "energy": "linear"}


def rich_and_poor() -> Web:
    """Return a web in which a third of the hosts has food, and every page links to eight others."""
    rng = np.random.default_rng(5)
    urls = [f"http://h{number % HOSTS}.test/{number}" for number in range(PAGES)]
    links = {url: [urls[int(each)] for each in rng.integers(PAGES, size=8)] for url in urls}
    relevance = {url: float(number % HOSTS % 3 == 0) for number, url in enumerate(urls)}
    return Web(links, relevance)


def note_followed(species: Species) -> set[str]:
    """Note the targets of all rules that crawlers follow; they soon exchange some."""
    followed: set[str] = set()
    draw = species.choice.draw

    def noted(agent: Agent, leads: Sequence[Lead]) -> Lead:
        if not agent.visits:
            agent.visits = EXCHANGE_EVERY - 4
        lead, mind = draw(agent, leads), mind_of(agent)
        if mind.followed is not None:
            followed.add(mind.followed.target)
        return lead

    species.choice.draw = noted  # type: ignore[method-assign]
    return followed


def test_rules_of_a_worker_that_is_gone_are_followed_at_another(server: RedisServer) -> None:
    """Crawlers there have found no food, so that they have no rules of their own."""
    followed: list[set[str]] = []

    def begin(seen: Seen) -> Hand:
        food = FOOD if not followed else {**FOOD, "gain": 0.0}
        hand = Hand(server.url, seen, "biocrawler", food, limit=350, bounds=PopulationBounds(12))
        followed.append(note_followed(hand.population.species[0]))
        return hand

    async def when_it_has_told_its_rules(hands: list[Hand]) -> Hand:
        with server.client() as client:
            while not client.zcard("evocrawl:{evocrawl}:rules:biocrawler"):
                await asyncio.sleep(0.01)
        return hands[0]

    async def play() -> None:
        seen = Seen(rich_and_poor())
        await crawl(lambda: begin(seen), 1, 1, when_it_has_told_its_rules)

    asyncio.run(play())
    assert followed[1]
    assert followed[1] <= {f"h{number}.test" for number in range(0, HOSTS, 3)}
