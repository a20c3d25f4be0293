"""How a population avoids traps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from journeys import ListJournal, state_of
from tiny_webs import crawl as crawl_web
from tiny_webs import link, make_population

from evocrawl.core.events import DuplicateFound, Event, HeldBack, VisitSettled
from evocrawl.core.model import Content, Cost, Dead, Fetched, Outcome, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.population import Population
from evocrawl.population.traps.traps import LONGEST_RUN, TrapDetector
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import RunStarted
from evocrawl.store.journal.replay import replay

SPECIES = ("evo", "energy", "best_first")
WORDS = np.array([f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "lmnrst"])


class Made:
    """A web whose pages are made of their addresses: text and links."""

    def __init__(self, make: Callable[[str], tuple[str, Iterable[str]] | None]) -> None:
        self.make = make

    def answer(self, url: str, price: Callable[[float], float]) -> Outcome:
        made = self.make(url)
        if made is None:
            return Dead("404", Cost())
        text, links = made
        relevance = float("coral" in text)
        content = Content("", text)
        version = text.encode()
        page = Page(
            url, fingerprint(url), relevance, price(relevance), tuple(map(link, links)), version,
            content,
        )  # fmt: skip
        return Fetched(page, Cost(seconds=1.0))


def said(url: str, words: int = 60) -> str:
    """A text of its own for each address."""
    rng = np.random.default_rng(list(url.encode()))
    return "coral " + " ".join(rng.choice(WORDS, words))


def visited(species: str, make: Callable[[str], Any], **options: Any) -> tuple[list[str], Any]:
    """Crawl a made web from ``http://a.test/``; return the addresses in order, and the events."""
    population, _ = make_population(species, budget=options.pop("budget", 3000), **options)
    events: list[Event] = []
    population.on_event.append(events.append)
    return crawl_web(population, Made(make), ["http://a.test/"]), events  # type: ignore[arg-type]


@pytest.mark.parametrize("species", SPECIES)
def test_an_endless_calendar_is_left(species: str) -> None:
    """B110: also where there is nothing else."""

    def calendar(url: str) -> tuple[str, list[str]]:
        year = int(url.partition("y=")[2] or 2026)
        text = f"What is on at the coral reef in the year {year}: nothing has been entered so far"
        return text, [f"http://a.test/?y={year + 1}"]

    urls, _ = visited(species, calendar, traps=TrapDetector())
    assert 2 < len(urls) <= 20


@pytest.mark.parametrize("species", SPECIES)
@pytest.mark.parametrize("text", [said("x"), "Products"])
def test_one_page_at_every_address_is_left(species: str, text: str) -> None:
    """B112: relative links on a server that answers alike everywhere."""
    urls, _ = visited(species, lambda url: (text, [f"{url}products/"]), traps=TrapDetector())
    assert len(urls) < 10


@pytest.mark.parametrize("species", SPECIES)
def test_near_empty_pages_earn_nothing(species: str) -> None:
    """B115: one word, three links; the first page has a price, the others have none."""
    urls, events = visited(
        species,
        lambda url: ("coral", [f"{url}{name}/" for name in "abc"]),
        traps=TrapDetector(),
        budget=200,
    )
    assert sum(isinstance(each, DuplicateFound) for each in events) == len(urls) - 1


@pytest.mark.parametrize("species", SPECIES)
def test_many_pages_of_one_template_are_all_fetched_while_they_say_something(species: str) -> None:
    """No arbitrary cap."""

    def tree(url: str) -> tuple[str, list[str]]:
        number = int(url.rpartition("/")[2] or 1)
        below = [n for n in (2 * number, 2 * number + 1) if n < 200]
        return said(url), [f"http://a.test/{each}" for each in below]

    urls, events = visited(species, tree, traps=TrapDetector())
    assert len(urls) == 199
    assert not [each for each in events if isinstance(each, HeldBack)]


@pytest.mark.parametrize("species", SPECIES)
def test_links_that_were_held_back_come_when_there_is_nothing_else(species: str) -> None:
    """Nothing is lost of a web that ends, though its pages all say the same."""

    def tree(url: str) -> tuple[str, list[str]]:
        number = int(url.rpartition("/")[2] or 1)
        below = [n for n in (2 * number, 2 * number + 1) if n < 150]
        return said("x"), [f"http://a.test/{each}" for each in below]

    urls, events = visited(species, tree, traps=TrapDetector())
    assert len(urls) == 149
    assert [each for each in events if isinstance(each, HeldBack)]


def test_links_held_back_wait_for_better_ones() -> None:
    """A hundred copies, and a hundred pages that say something."""

    def web(url: str) -> tuple[str, list[str]]:
        if "/copy/" in url:
            return said("x"), []
        number = int(url.rpartition("/")[2] or 0)
        copies = [f"http://a.test/copy/{n}" for n in range(100)] if number == 0 else []
        return said(url), [*copies, f"http://a.test/{number + 1}"] if number < 100 else []

    urls, _ = visited("best_first", web, traps=TrapDetector())
    assert len(urls) == 201
    first = [number for number, url in enumerate(urls) if "/copy/" in url]
    assert first == [*range(1, 10), *range(110, 201)]


@pytest.mark.parametrize("species", SPECIES)
@pytest.mark.parametrize("seed", range(3))
def test_no_page_of_a_site_is_lost_whose_links_change_with_each_visit(
    species: str, seed: int
) -> None:
    """Each page links to all ten, under another session: a maze, in which copies turn up.

    When nothing else is left, the links to pages that were never seen come first.
    """

    def sessions(url: str) -> tuple[str, list[str]]:
        path = url.partition("a.test")[2]
        session = np.random.default_rng([seed, *path.encode()]).bytes(8).hex()
        links = [f"http://a.test/s/{session}/{name}" for name in "abcdefghij"]
        return said(path.rpartition("/")[2]), links

    urls, _ = visited(species, sessions, traps=TrapDetector(), budget=60)
    assert {url.rpartition("/")[2] for url in urls} == {"", *"abcdefghij"}


@pytest.mark.parametrize("species", SPECIES)
def test_a_maze_without_copies_gets_a_sixth_of_the_budget_at_most(species: str) -> None:
    """Though nothing else is left: each page has a text of its own, and 25 links to new ones."""

    def babble(url: str) -> tuple[str, list[str]]:
        names = np.random.default_rng(list(url.encode())).integers(10**9, size=(25, 2))
        links = [f"http://a.test/similar/w{one:x}-{two:x}" for one, two in names.tolist()]
        return said(url), links

    urls, _ = visited(species, babble, traps=TrapDetector(), budget=240)
    assert 20 <= sum("/similar/" in url for url in urls) <= 40


def test_a_group_that_yields_again_is_open_again() -> None:
    """What was held back comes at once."""
    bad, good = ([f"http://a.test/{kind}/{n}" for n in range(40)] for kind in ("bad", "good"))

    def web(url: str) -> tuple[str, list[str]]:
        if "/good/" in url or url.endswith("/"):
            return said(url), bad if url.endswith("/") else []
        number = int(url.rpartition("/")[2])
        return (said("x"), []) if number < 12 else (said(url), good)

    urls, _ = visited("breadth_first", web, traps=TrapDetector())
    assert set(urls) == {"http://a.test/", *bad, *good}


@pytest.mark.parametrize("species", ["evo", "best_first", "energy+best_first"])
def test_a_large_trap_is_gone_through_in_parts(species: str) -> None:
    """The order is the same as with unlimited patience."""
    copies = [f"http://a.test/copy/{n}" for n in range(150)]

    def web(url: str) -> Outcome:
        good = [f"http://b.test/{n}" for n in range(9)] if url == "http://a.test/" else []
        text = said(url) if "b.test" in url else said("x")
        made = Made(lambda _: (text, [*copies, *good] if url == "http://a.test/" else []))
        return made.answer(url, lambda relevance: relevance)

    orders = []
    for patience in (None, 1, 7):
        population, _ = make_population(species, traps=TrapDetector(), budget=3000)
        population.selector.patience = patience
        population.place([link("http://a.test/")])
        order, most = list[str](), 0
        events: list[Event] = []
        population.on_event.append(events.append)
        while population.ended is None:
            cut_short, before = population.cut_short, len(events)
            visit = population.choose(0.0)
            held = sum(isinstance(each, HeldBack) for each in events[before:])
            most = max(most, held)
            if visit is None:
                assert population.cut_short == cut_short + 1 or population.ended
                continue
            order.append(visit.lead.url)
            population.settle(visit.id, web(visit.lead.url))
        orders.append(order)
        assert most > 100 if patience is None else most <= patience
    assert len(orders[0]) > 20
    assert orders[0] == orders[1] == orders[2]


def test_a_run_of_pages_that_say_nothing_new_ends() -> None:
    """With any addresses by which it goes on."""

    def chain(url: str) -> tuple[str, list[str]]:
        return said("x"), [f"http://h{len(url)}.test/{'x' * len(url)}"]

    urls, events = visited("best_first", chain, traps=TrapDetector())
    assert len(urls) == LONGEST_RUN + 1
    assert [each.reason for each in events if isinstance(each, HeldBack)] == ["run"]


def test_short_copies_earn_nothing_but_hold_no_link_back() -> None:
    """A web of a few words a page is crawled as it comes."""
    copies = [f"http://a.test/{n}" for n in range(40)]
    urls, events = visited(
        "breadth_first",
        lambda url: ("coral", copies if url.endswith("/") else []),
        traps=TrapDetector(),
    )
    assert urls == ["http://a.test/", *copies]
    assert sum(isinstance(each, DuplicateFound) for each in events) == 40
    assert not [each for each in events if isinstance(each, HeldBack)]


def test_links_that_lead_nowhere_spend_their_template() -> None:
    """The dead ones are followed last."""

    def web(url: str) -> tuple[str, list[str]] | None:
        if "gone" in url:
            return None
        number = int(url.rpartition("/")[2] or 0)
        dead = [f"http://a.test/gone/{n}" for n in range(60)] if number == 0 else []
        return said(url), [*dead, f"http://a.test/{number + 1}"] if number < 50 else []

    urls, _ = visited("breadth_first", web, traps=TrapDetector())
    assert sum("gone" in url for url in urls[:58]) <= 9
    assert len(urls) == 111


def test_a_copy_is_worth_nothing_to_any_species() -> None:
    """It has no energy, the agent pays for the visit, and its relevance counts as 0."""
    pages = {"http://a.test/": ["http://a.test/1", "http://a.test/2"]}
    population, _ = make_population("best_first", traps=TrapDetector())
    events: list[Event] = []
    population.on_event.append(events.append)
    crawl_web(population, Made(lambda url: (said("x"), pages.get(url, []))), ["http://a.test/"])  # type: ignore[arg-type]
    base = population.environment.base
    copy = base.get(fingerprint("http://a.test/1"))
    assert copy is not None
    assert (copy.relevance, copy.energy) == (0.0, 0.0)
    assert [each.twin for each in events if isinstance(each, DuplicateFound)] == [
        fingerprint("http://a.test/")
    ] * 2
    assert [each.relevance for each in events if isinstance(each, VisitSettled)] == [1.0] * 3


def test_without_traps_everything_is_as_written() -> None:
    """A population without a trap detector holds nothing back."""
    urls, events = visited("best_first", lambda url: (said("x"), [f"{url}x/"]), budget=100)
    assert len(urls) == 100
    assert not [each for each in events if isinstance(each, HeldBack | DuplicateFound)]


@pytest.mark.parametrize("species", [*SPECIES, "energy+best_first"])
def test_a_replayed_crawl_holds_back_the_same_links(species: str) -> None:
    """R1: a replayed journal restores copies, held-back links and released links."""

    def web(url: str) -> tuple[str, list[str]]:
        number = int(url.rpartition("/")[2] or 1)
        below = [n for n in (2 * number, 2 * number + 1, 3 * number) if n < 60]
        return said("x" if number % 3 else url), [f"http://a.test/{each}" for each in below]

    def fresh() -> tuple[Population, JournaledHostLimits, list[Event]]:
        population, _ = make_population(species, traps=TrapDetector(), budget=200)
        events: list[Event] = []
        population.on_event.append(events.append)
        return population, JournaledHostLimits(lambda _: (100, 0.0), (100, 0.0)), events

    journal = ListJournal()
    population, limits, events = fresh()
    journaled = JournaledPopulation(population, limits, journal)
    journaled.begin(RunStarted(200, 1, (100, 0.0)))
    journaled.place([link("http://a.test/")])
    while (visit := journaled.choose(0.0)) is not None:
        journaled.spend(visit.id)
        journaled.settle(visit.id, Made(web).answer(visit.lead.url, population.price))
    assert {HeldBack, DuplicateFound} <= {type(each) for each in events}
    again, limits, replayed = fresh()
    replay(journal.ops(), JournaledPopulation(again, limits, ListJournal()))
    assert replayed == events
    assert state_of(again) == state_of(population)
