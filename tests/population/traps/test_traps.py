"""How a population avoids traps."""

from __future__ import annotations

import numpy as np
import pytest
from made_webs import SPECIES, Made, said, visited
from tiny_webs import Web, make_population
from tiny_webs import crawl as crawl_web

from evocrawl.core.events import DuplicateFound, Event, HeldBack, VisitSettled
from evocrawl.core.model import Content, Lead, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.traps.link_groups import LONGEST_RUN
from evocrawl.population.traps.novelty import NoveltyVerdict
from evocrawl.population.traps.traps import TrapDetector


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


def test_a_barren_page_is_credited_with_what_its_links_bring() -> None:
    """Unless that is of its own template, which counts the page already."""
    traps = TrapDetector()

    def take(url: str, text: str, at: str = "") -> float:
        page = Page(url, fingerprint(url), 0.0, 0.0, (), b"", Content("", text))
        source = fingerprint(at) if at else b"root"
        via = Lead(url, page.fingerprint, "a.test", source, 0, 0.0)
        traps.take(page, via, at, is_first=True)
        return traps.yields.promise("a.test/list?page")

    first, copy = "http://a.test/list?page=1", "http://a.test/list?page=2"
    assert take(first, said("1")) == (1 + 1) / (1 + 2)
    assert take(copy, said("1")) == (1 + 1) / (2 + 2)
    assert take("http://a.test/list?page=3", said("3"), copy) == (2 + 1) / (3 + 2)
    assert take("http://a.test/story", said("4"), copy) == (3 + 1) / (4 + 2)
    assert take("http://a.test/other", said("5"), first) == (3 + 1) / (4 + 2)
    for number in range(9):
        take(f"http://a.test/list?page={number + 4}", said("1"))
    assert traps.yields.has_spent_templates("a.test")
    assert take("http://a.test/later", said("6"), copy) == (4 + 1) / (14 + 2)
    assert not traps.yields.has_spent_templates("a.test")


def test_a_page_is_judged_with_the_address_of_the_page_that_links_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seeds have none."""
    places = dict[str, str]()
    take = TrapDetector.take

    def noted(
        traps: TrapDetector, page: Page, via: Lead, at: str = "", *, is_first: bool
    ) -> NoveltyVerdict:
        places[page.url] = at
        return take(traps, page, via, at, is_first=is_first)

    monkeypatch.setattr(TrapDetector, "take", noted)
    population, _ = make_population("best_first", traps=TrapDetector())
    crawl_web(population, Web({"http://a.test/": ["http://a.test/b"], "http://a.test/b": []}),
              ["http://a.test/"])  # fmt: skip
    assert places == {"http://a.test/": "", "http://a.test/b": "http://a.test/"}
