"""Populations that share a limit of requests wait for each other's better links, and never hang."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_webs import Web, link, make_population, random_web

from evocrawl.core.model import Content, Fetched, Page
from evocrawl.core.urls.identity import host_of
from evocrawl.politeness.host_slots import SOON_S
from evocrawl.population.exchange import ForeignPage, PopulationExchange
from evocrawl.population.population import Population
from evocrawl.store.cluster.best_links import AGE_S, BestLinks

TICK_S, BEAT_S, DELAY_S = 0.25, 1.0, 1.0
SEED = "http://h0.test/0"


@dataclass
class Crawl:
    """Populations that crawl `web`; number n of N has the hosts whose number leaves the rest n.

    A population that is `paused` begins no visit, and goes on to name its best link. A page takes a
    second, and a host gets one request a second. `began` are URLs with the times of their visits.
    """

    web: Web
    workers: int = 2
    limit: int | None = 1000
    paused: dict[int, float] = field(default_factory=dict)
    now_s: float = 0.0
    began: list[tuple[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.populations = [
            make_population("evo", budget=self.limit, seed=each, max_unsettled=4,
                            limit=lambda _: (1, DELAY_S))[0]
            for each in range(self.workers)
        ]  # fmt: skip
        self.best = [BestLinks(each, lambda: self.now_s) for each in self.populations]
        self.exchanges = [PopulationExchange(each) for each in self.populations]

    def owner(self, url: str) -> int:
        return int(host_of(url)[1:].partition(".")[0]) % self.workers

    def run(self, until_s: float) -> None:
        """Crawl until the populations that are not paused have ended, or to `until_s`."""
        self.populations[self.owner(SEED)].place([link(SEED)])
        under_way: list[tuple[float, int, object]] = []
        while self.now_s < until_s:
            self.now_s += TICK_S
            for at_s, number, visit in [each for each in under_way if each[0] <= self.now_s]:
                under_way.remove((at_s, number, visit))
                self._settle(number, visit)
            if self.now_s % BEAT_S == 0:
                self._beat()
            for number, population in enumerate(self.populations):
                while not self._is_paused(number):
                    visit = population.choose(self.now_s)
                    if visit is None:
                        break
                    population.environment.budget.spend(visit.id)
                    self.began.append((visit.lead.url, self.now_s))
                    under_way.append((self.now_s + 1.0, number, visit))
            ended = [each.ended or each.is_unborn for each in self.populations]
            if not under_way and all(ended[n] or self._is_paused(n) for n in range(self.workers)):
                return
        raise AssertionError(f"links wait after {until_s} s")

    def _is_paused(self, number: int) -> bool:
        return self.now_s >= self.paused.get(number, np.inf)

    def _beat(self) -> None:
        chances = [each.own() for each in self.best]
        for number, best in enumerate(self.best):
            best.read(chances[:number] + chances[number + 1 :])
            best.wait(self.now_s)

    def _settle(self, number: int, visit) -> None:
        population, exchange = self.populations[number], self.exchanges[number]
        outcome = self.web.answer(visit.lead.url, population.price)
        if isinstance(outcome, Fetched):
            page = outcome.page
            foreign = [each for each in page.links if self.owner(each.url) != number]
            exchange.withdraw(each.fingerprint for each in foreign)
            digest = exchange.digest(page)
            for other in {self.owner(each.url) for each in foreign}:
                self._send(other, page, exchange.read_digest(digest))
        population.settle(visit.id, outcome)

    def _send(self, other: int, page: Page, digest) -> None:
        links = tuple(each for each in page.links if self.owner(each.url) == other)
        sent = replace(page, links=links, content=Content(page.content.title, ""))
        self.exchanges[other].show([ForeignPage(sent, 1, digest)])


def two_hosts(good: int = 3, poor: int = 3) -> Web:
    """Return a page with good links to h0.test and poor ones to h1.test."""
    first = [(f"http://h0.test/good-{n}", "0.9") for n in range(good)]
    second = [(f"http://h1.test/poor-{n}", "0.0") for n in range(poor)]
    links = {SEED: [*first, *second], **{url: [] for url, _ in (*first, *second)}}
    return Web(links, {url: 0.9 for url, _ in first})


def times_of(began: Sequence[tuple[str, float]], host: str) -> list[float]:
    return [at_s for url, at_s in began if f"//{host}." in url]


def test_a_worker_waits_while_another_one_has_better_links() -> None:
    """From its second heartbeat, and until that after the last of these links is followed."""
    crawl = Crawl(two_hosts(good=6))
    crawl.run(60)
    good, poor = times_of(crawl.began, "h0"), times_of(crawl.began, "h1")
    assert (len(good), len(poor)) == (7, 3)
    assert good[-1] <= next(each for each in poor if each > 2 * BEAT_S) <= good[-1] + 2 * BEAT_S


def test_without_a_limit_of_requests_no_worker_waits() -> None:
    """There, each page is fetched in the end."""
    crawl = Crawl(two_hosts(good=6), limit=None)
    crawl.run(60)
    assert times_of(crawl.began, "h1") == [1.25, 2.25, 3.25]


def test_a_paused_worker_is_not_waited_for() -> None:
    """Though it sends heartbeats: it has begun no visit for `SOON_S`."""
    crawl = Crawl(two_hosts(good=9), paused={0: 3.5})
    crawl.run(60)
    paused_at_s = times_of(crawl.began, "h0")[-1]
    waited_s = [at_s - paused_at_s for at_s in times_of(crawl.began, "h1") if at_s > 2 * BEAT_S]
    assert SOON_S < waited_s[0] <= SOON_S + 2 * BEAT_S


def begun() -> Population:
    """Return a population that has learnt from one page, which has a link."""
    population, _ = make_population("evo", budget=10)
    population.place([link(SEED)])
    visit = population.choose(0.0)
    web = Web({SEED: [("http://h0.test/good", "0.9")]}, {SEED: 0.9})
    population.settle(visit.id, web.answer(SEED, population.price))
    return population


def test_a_worker_that_has_learnt_nothing_leaves_requests_to_the_others_for_a_while() -> None:
    """But for seeds, if there are others. It names no link itself, since it can compare none."""
    now_s = [0.0]
    fresh, _ = make_population("evo", budget=10)
    fresh.max_unsettled = 4
    best = BestLinks(fresh, lambda: now_s[0])
    page = Page(SEED, b"page", 0.1, 0.0, (link("http://h1.test/1"),), content=Content("", ""))
    exchange = PopulationExchange(fresh)
    exchange.show([ForeignPage(page, 1, exchange.read_digest(exchange.digest(page)))])
    assert not best.read([])
    assert best.read([0.0])
    best.wait(0.0)
    assert (fresh.environment.chance_elsewhere(), best.is_waiting, best.own()) == (1.0, True, 0.0)
    assert fresh.choose(0.0) is None
    fresh.place([link(SEED)])
    for now_s[0], expected, url in ((1.0, 1.0, SEED), (SOON_S, 0.1, page.links[0].url)):
        best.read([0.1])
        best.wait(now_s[0])
        assert fresh.environment.chance_elsewhere() == expected
        assert fresh.choose(now_s[0]).lead.url == url
        assert fresh.choose(now_s[0]) is None
    assert BestLinks(begun(), lambda: 0.0).own() > 0


def test_the_number_of_a_worker_that_is_gone_dies_out() -> None:
    """No heartbeat names it again; agents look again without one."""
    population = begun()
    now_s = [100.0]
    best = BestLinks(population, lambda: now_s[0])
    assert best.read([0.4, 0.9])
    now_s[0] += 1.0  # a second later by its clock, at 7 s by that of the population
    best.wait(7.0)
    freed: list[str] = []
    hosts, elsewhere = population.environment.hosts, population.environment.elsewhere
    hosts.on_free.append(freed.append)
    assert (elsewhere.chance, hosts.wakes_at()) == (0.9, 7.0 + AGE_S - 1.0)
    hosts.advance(7.0 + AGE_S - 1.0)
    assert (elsewhere.chance, len(freed)) == (0.0, 1)


def test_agents_look_again_with_each_number() -> None:
    """Their own links may have become better by what others have learnt."""
    population = begun()
    freed: list[str] = []
    population.environment.hosts.on_free.append(freed.append)
    best = BestLinks(population, lambda: 0.0)
    chances = (0.5, 0.7, 0.2, 0.0)
    are_to_look = []
    for chance in (*chances, 0.0):
        are_to_look.append(best.read([chance]))
        best.wait(0.0)
        assert population.environment.chance_elsewhere() == chance
    assert are_to_look == [True, True, True, True, False]
    assert len(freed) == 3


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(2, 4),
    st.dictionaries(st.integers(0, 1), st.floats(1, 6), max_size=2),
)
def test_no_crawl_hangs(seed: int, workers: int, paused: dict[int, float]) -> None:
    """All that live workers can reach is fetched once, without a long time in which none begins."""
    web = replace(random_web(np.random.default_rng(seed), 60, hosts=6), moved={})
    crawl = Crawl(web, workers, paused=paused)
    crawl.run(200.0)
    urls = [url for url, _ in crawl.began]
    assert len(set(urls)) == len(urls)
    if not paused:
        assert set(urls) == web.reachable([SEED])
    times = np.array([at_s for _, at_s in crawl.began])
    assert np.diff(times).max(initial=0.0) <= SOON_S + AGE_S + 2 * BEAT_S
