"""Parts of a site that live off themselves."""

from __future__ import annotations

import random
from datetime import date, timedelta

from tiny_webs import link

from evocrawl.core.model import Lead
from evocrawl.population.traps.sections import (
    LEAST_COPIES,
    MOST_SECTIONS,
    PATIENCE,
    SHARE,
    Sections,
    sections_of,
)

SITE = "http://a.test"


def lead(url: str) -> Lead:
    return Lead(url, link(url).fingerprint, "a.test", b"page", 0, 0.0)


class Crawl:
    """Follows links while they need not wait; remembers which targets were met."""

    def __init__(self, others: int) -> None:
        self.sections = Sections()
        self.met = set[str]()
        self.visit(f"{SITE}/", "", [f"{SITE}/good-{n}" for n in range(others)])

    def visit(self, url: str, at: str, to: list[str]) -> None:
        is_fresh = [each not in self.met for each in to]
        self.met.update(to)
        self.sections.follow(lead(url))
        self.sections.note(url, at, [*map(link, to)], is_fresh)

    def waits(self, url: str, most: int = 1000) -> str:
        return self.sections.waits(lead(url), most)


def day(number: int) -> str:
    return (date(2026, 1, 1) + timedelta(number)).strftime(f"{SITE}/%Y/%m/%d/")


def test_a_calendar_waits_while_other_links_are_open() -> None:
    """Beyond its patience, and its share of the other visits."""
    crawl, seen = Crawl(others=100), 0
    while not crawl.waits(day(seen + 1)):
        crawl.visit(day(seen + 1), day(seen), [day(seen + 2), day(seen)])
        crawl.sections.credit(day(seen + 1), day(seen))
        seen += 1
    assert PATIENCE <= seen <= PATIENCE + 1
    for number in range(2 * SHARE):
        crawl.visit(f"{SITE}/good-{number}", f"{SITE}/", [])
    assert not crawl.waits(day(seen + 1))


def test_a_calendar_goes_on_where_there_is_nothing_else() -> None:
    """It may be what the crawl is for."""
    crawl = Crawl(others=0)
    for number in range(1, 100):
        assert not crawl.waits(day(number))
        crawl.visit(day(number), day(number - 1), [day(number + 1), day(number - 1)])


def test_a_list_that_brings_new_pages_does_not_wait() -> None:
    """Each sheet leads to two pages that say something new."""
    crawl = Crawl(others=500)
    for number in range(1, 60):
        sheet, before = f"{SITE}/list/{number}", f"{SITE}/list/{number - 1}"
        items = [f"{SITE}/item-{number}-{n}" for n in range(2)]
        assert not crawl.waits(sheet)
        crawl.visit(sheet, before, [f"{SITE}/list/{number + 1}", *items])
        for item in items:
            crawl.visit(item, sheet, [])
            crawl.sections.credit(item, sheet)


def test_a_list_that_rarely_brings_new_pages_waits() -> None:
    """One for every third sheet; a page counts once."""
    crawl, number = Crawl(others=500), 1
    while not crawl.waits(f"{SITE}/list/{number}"):
        sheet, before = f"{SITE}/list/{number}", f"{SITE}/list/{number - 1}"
        crawl.visit(sheet, before, [f"{SITE}/list/{number + 1}"])
        if number % 3 == 0:
            crawl.visit(f"{SITE}/item-{number}", sheet, [])
            crawl.sections.credit(f"{SITE}/item-{number}", sheet)
        number += 1
        assert number < 60


def wander(crawl: Crawl, folder: str, names: int, *, visits: int, most: int) -> int:
    """Go from page to page of a folder, each linked to 25 others by chance; return how many."""
    rng = random.Random(7)
    at, url, seen = f"{SITE}/", f"{SITE}{folder}0", 0
    while seen < visits and not crawl.waits(url, most):
        to = [f"{SITE}{folder}{rng.randrange(names)}x" for _ in range(25)]
        crawl.visit(url, at, to)
        at, url = url, rng.choice(to)
        seen += 1
    return seen


def test_a_maze_waits_and_has_a_share_in_all() -> None:
    """In a folder, below another, and in a query."""
    for folder in ("/similar/", "/x/y/similar/", "/find?q="):
        assert wander(Crawl(100), folder, 10**6, visits=400, most=33) <= PATIENCE + 1
        assert wander(Crawl(0), folder, 10**6, visits=400, most=33) == 33


def test_a_folder_whose_pages_lead_to_one_another_is_no_maze() -> None:
    """Links of what people make lead again and again to the same pages."""
    assert wander(Crawl(100), "/wiki/", 150, visits=100, most=33) == 100


def test_an_address_is_in_its_folders_its_query_and_its_numbers() -> None:
    """Dates of any fineness are of one counter; the front page is in none."""
    assert sections_of(f"{SITE}/") == ("",)
    assert sections_of(f"{SITE}/a/b/c/d/e/f")[:-1] == ("a.test/a/", "a.test/a/b/", "a.test/a/b/c/")
    assert sections_of(day(1))[-1] == sections_of(f"{SITE}/2026/11/")[-1]
    assert sections_of(f"{SITE}/find?b=2&a=x")[0] == "a.test/find?"


def test_of_many_sections_the_latest_are_known() -> None:
    """Memory is bounded."""
    crawl = Crawl(others=0)
    for number in range(MOST_SECTIONS + 10):
        crawl.sections.follow(lead(f"{SITE}/{number}x/page"))
    assert len(crawl.sections._known) == MOST_SECTIONS
    last = MOST_SECTIONS + 9
    assert [crawl.sections.sent_to(f"a.test/{each}x/") for each in (9, 11, last)] == [0, 1, 1]


def test_a_section_repeats_itself_if_it_has_copies() -> None:
    """Each section that the page is in; one copy may be by chance."""
    sections = Sections()
    sections.follow(lead(f"{SITE}/x/y/1"))
    for copies in range(LEAST_COPIES + 1):
        for name in ("a.test/x/", "a.test/x/y/"):
            assert sections.repeats_itself(name) == (copies >= LEAST_COPIES)
        sections.note_copy(f"{SITE}/x/y/{copies}")
    assert not sections.repeats_itself("a.test/z/")
