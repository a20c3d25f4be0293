"""Addresses that grow with each link."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_webs import link

from evocrawl.core.model import Lead, Page
from evocrawl.population.traps.growing_urls import LONGEST, PATIENCE, Growth, what_grew

SITE = "http://a.test"


def lead(url: str) -> Lead:
    target = link(url)
    return Lead(url, target.fingerprint, "a.test", b"", 0, 0.0)


def gone_through(growth: Growth, urls: list[str]) -> int:
    """Follow a chain of pages; return how many come before one is held back."""
    for number, (at, url) in enumerate(zip(["", *urls], urls, strict=False)):
        if growth.family_of(link(url).fingerprint):
            return number
        growth.sent(lead(url))
        following = [link(each) for each in urls[number + 1 : number + 2]]
        page = Page(url, link(url).fingerprint, 0.0, 0.0, tuple(following))
        growth.note(page, link(at).fingerprint if at else b"", at, following)
    return len(urls)


def chain(start: str, *, times: int = 40, **kinds: str) -> list[str]:
    urls = [f"{SITE}{start}"]
    for number in range(1, times):
        url = urls[-1]
        if "before" in kinds:
            url = SITE + kinds["before"] + url[len(SITE) :]
        url += kinds.get("after", "").format(number)
        if "around" in kinds:
            url = SITE + kinds["around"] + quote(url, safe="")
        urls.append(url)
    return urls


@pytest.mark.parametrize(
    "urls",
    [
        chain("/s/", after="more/"),
        chain("/s?Q", after="&lang=en"),
        chain("/s?Q", after="&p{0}=1"),
        chain("/s", after=";a"),
        chain("/s;v=a", after="a"),
        chain("/s?q=wind", after="+sea"),
        chain("/s/", after="{0}/"),
        chain("/s/x", before="/s"),
        chain("/s?u=x", around="/s?u="),
        chain("/s?u=x", around="/s?back=1&u="),
        [f"{SITE}/s?state={'0123456789abcdef' * n}z{n}" for n in range(1, 40)],
        [f"{SITE}/s/{n}/{'more/' * n}" for n in range(40)],
    ],
    ids=lambda urls: urls[1][len(SITE) :][:20],
)
def test_a_growing_address_is_noticed_in_each_form_of_growth(urls: list[str]) -> None:
    """Within ten pages."""
    assert 4 <= gone_through(Growth(), urls) <= 12


def test_numbers_alone_wait_longer_than_words_that_repeat() -> None:
    """A run of `LONGEST` pages makes a suspect; `PATIENCE` of them are visited before one waits."""
    assert gone_through(Growth(), chain("/s/", after="{0}/")) == LONGEST + PATIENCE
    for words in ("more/", "more{0}/"):
        assert gone_through(Growth(), chain("/s/", after=words)) == PATIENCE + 2


@pytest.mark.parametrize(
    "urls",
    [
        [f"{SITE}/", f"{SITE}/docs/", f"{SITE}/docs/api/", f"{SITE}/docs/api/net/"],
        [f"{SITE}/archive/", f"{SITE}/archive/2024/", f"{SITE}/archive/2024/05/",
         f"{SITE}/archive/2024/05/12/"],
        [f"{SITE}/story/{n}" for n in range(40)],
        [f"{SITE}/list?page={n}" for n in range(40)],
        [f"{SITE}/2026/{month:02d}/{day:02d}/" for month in range(1, 13) for day in range(1, 29)],
        [f"{SITE}/{'x' * n}" if n % 2 else f"{SITE}/home" for n in range(1, 40)],
    ],
    ids=lambda urls: urls[1][len(SITE) :][:20],
)  # fmt: skip
def test_addresses_of_folders_lists_and_dates_do_not_grow(urls: list[str]) -> None:
    """In chains of any length."""
    assert gone_through(Growth(), urls) == len(urls)


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_growth_turns_the_first_address_into_the_second(at: str, url: str) -> None:
    """Also for hostile addresses; an address of the same length has not grown."""
    added = what_grew(url, at)
    assert len(added) <= len(url)
    if added:
        assert len(url) > len(at)


def test_below_a_front_page_nothing_has_grown() -> None:
    """Also if its address has no slash."""
    for front in (SITE, f"{SITE}/"):
        assert what_grew(f"{SITE}/story", front) == ""
    assert what_grew(f"{SITE}/?a=1&b=2", f"{SITE}/?a=1") == "&b=#"


def test_an_address_within_an_address_is_no_site() -> None:
    """An archive's copies have the address of the original in their paths."""
    at = f"{SITE}/copy/http://b.test/x"
    assert what_grew(f"{SITE}/copy/http://b.test/y/x", at) == "y/"
    assert what_grew(f"{SITE}/more/copy/http://b.test/x", at) == "more/"
