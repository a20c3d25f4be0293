"""The contract of worlds, checked for every kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from world_files import CHANGES, ROWS, write_rows

from evocrawl.core.model import Dead, Refused
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.simulation.server.world_server import AsServed
from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.base import Arrived, Document
from evocrawl.simulation.worlds.made_up.base import Weather
from evocrawl.simulation.worlds.made_up.news import News, NewsPlan
from evocrawl.simulation.worlds.made_up.sites import Sites, SitesPlan
from evocrawl.simulation.worlds.registry import open_world

DAY_S = 86_400.0
STORM = Weather(timeouts=0.05, dead=0.1, moved=0.1, forbidden=0.05)
Maker = Callable[[Path], AnsweringWorld]


def _folder(path: Path) -> AnsweringWorld:
    write_rows(path / "start.jsonl", ROWS)
    write_rows(path / "changes.jsonl", CHANGES)
    return open_world(path)


def _news(_: Path) -> News:
    plan = NewsPlan(pages=300, hosts=3, weather=STORM)
    return News(plan, np.random.default_rng(5))


WORLDS: dict[str, Maker] = {
    "recorded": lambda path: open_world(write_rows(path / "w.jsonl", ROWS)),
    "changing": _folder,
    "sites": lambda _: Sites(SitesPlan(sites=30, weather=STORM), np.random.default_rng(5)),
    "news": _news,
    "rewired": lambda path: _news(path).rewired(np.random.default_rng(6)),
    "served": lambda path: AsServed(_folder(path)),
}


@pytest.fixture(params=WORLDS)
def maker(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], AnsweringWorld]:
    return lambda: WORLDS[request.param](tmp_path)


@pytest.fixture
def world(maker: Callable[[], AnsweringWorld]) -> AnsweringWorld:
    return maker()


def check_document(document: Document) -> None:
    """Check that links are in order, one a target, none to the page itself, with identities."""
    assert document.fingerprint == fingerprint(document.url)
    targets = [link.fingerprint for link in document.links]
    assert targets == [fingerprint(link.url) for link in document.links]
    assert len(set(targets)) == len(targets)
    assert document.fingerprint not in targets
    assert [link.position for link in document.links] == list(range(len(targets)))


def every_url(world: AnsweringWorld) -> list[str]:
    """Return the addresses of pages and links, and impossible addresses."""
    documents = list(world.documents())
    urls = [document.url for document in documents]
    urls += [link.url for document in documents for link in document.links]
    return [*dict.fromkeys(urls), "http://nowhere.test/", "no address", "mailto:a@b.test"]


def test_pages_are_counted_and_can_be_fetched(world: AnsweringWorld) -> None:
    """A fetch at time 0 returns each document of the beginning."""
    documents = list(world.documents())
    assert 0 < len(documents) <= len(world)
    for document in documents:
        check_document(document)
        arrived = world.fetch(document.url, 0.0)
        assert isinstance(arrived, Arrived)
        assert arrived.document == document
        assert document.changed_at_s is None or document.changed_at_s <= 0
        assert world.changed_at(document.url, 0.0) == document.changed_at_s


@pytest.mark.parametrize("now_s", [0.0, 120.0, 3 * DAY_S])
def test_every_address_has_an_outcome_and_a_cost(world: AnsweringWorld, now_s: float) -> None:
    """Without an exception, with finite costs and at least one request."""
    kinds = set()
    for url in every_url(world):
        answer = world.fetch(url, now_s)
        kinds.add(type(answer))
        cost = answer.cost
        assert cost.requests >= 1
        assert cost.body_bytes >= 0
        assert math.isfinite(cost.seconds)
        assert 0 <= cost.headers_s <= cost.seconds
        if isinstance(answer, Arrived):
            check_document(answer.document)
            changed_at_s = answer.document.changed_at_s
            assert changed_at_s is None or changed_at_s <= now_s + cost.seconds
    assert kinds >= {Arrived, Dead}


def test_an_unknown_address_is_dead(world: AnsweringWorld) -> None:
    """Also a text that is no address."""
    for url in ("http://nowhere.test/", "no address", ""):
        assert isinstance(world.fetch(url, 0.0), Dead)


def test_topics_have_pages_that_can_be_fetched(world: AnsweringWorld) -> None:
    """Those of a level below are among those above; an unknown topic is a KeyError."""
    there = {document.fingerprint for document in world.documents()}
    everything = set()
    for topic in world.topics():
        pages = set(world.about(topic))
        everything |= pages
        above = topic.rpartition(".")[0]
        assert not above or pages <= set(world.about(above))
    assert len(everything) <= len(world)
    assert everything & there
    with pytest.raises(KeyError):
        world.about("no.such.topic")


def test_search_finds_pages_with_the_words(world: AnsweringWorld) -> None:
    """At most k, no page twice, the same every time, none for unknown words."""
    document = max(world.documents(), key=lambda document: len(document.text))
    query = " ".join(document.text.split()[:3])
    found = world.search(query, 5)
    assert 1 <= len(found) <= 5
    assert len(set(found)) == len(found)
    assert all(isinstance(world.fetch(url, 0.0), Arrived) for url in found)
    assert world.search(query, 5) == found
    assert world.search(query, 2) == found[:2]
    assert world.search("qqqqzzzzxxxx", 5) == []


def test_the_same_seed_makes_the_same_world(maker: Callable[[], AnsweringWorld]) -> None:
    """All pages are the same, at the beginning and later, in any order of the requests."""
    one, two = maker(), maker()
    urls = every_url(one)
    for now_s in (0.0, 2.5 * DAY_S):
        answers = [one.fetch(url, now_s) for url in urls]
        assert answers == [two.fetch(url, now_s) for url in urls[::-1]][::-1]


def test_robots_txt_agrees_with_fetches(world: AnsweringWorld) -> None:
    """Refused pages are forbidden, and fetched pages are not."""
    from evocrawl.politeness.robots.rules import RobotsRules

    rules = {
        host: RobotsRules.from_response(200, world.robots_txt(host).encode(), "evocrawl")
        for host in world.hosts()
    }
    for url in every_url(world):
        host = host_of(url)
        answer = world.fetch(url, 0.0)
        if host in rules and answer.cost.requests == 1 and isinstance(answer, Refused | Arrived):
            assert rules[host].allows(url) == isinstance(answer, Arrived)
