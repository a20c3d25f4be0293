"""Which held-back links a visit releases, and which are released when no other link is open."""

from __future__ import annotations

from typing import Any, cast

import pytest

from evocrawl.core.model import Lead
from evocrawl.core.urls.identity import fingerprint
from evocrawl.core.urls.templates import template_of
from evocrawl.population.traps.release_shares import LEAST_PART
from evocrawl.population.traps.traps import TrapDetector
from evocrawl.population.traps.yields import BLOCK, PATIENCE

SPECIES = cast("Any", object())
PAGE = "http://a.test/list?page=1"
KIND = template_of(PAGE)


def lead(number: int, payload: object = None) -> Lead:
    url = f"http://a.test/list?page={number}"
    return Lead(url, fingerprint(url), "a.test", b"source", 1, 0.5, payload=payload)


def hold(traps: TrapDetector, *names: str, payload: object = None) -> None:
    for number, name in enumerate(names):
        traps.hold(name, lead(number, payload), SPECIES)


@pytest.fixture
def traps() -> TrapDetector:
    """Return a detector for which a template, and the domain with it, is spent."""
    traps = TrapDetector()
    for _ in range(PATIENCE + 1):
        traps.yields.note(KIND, "a.test", is_new=False)
    return traps


def test_a_visit_releases_the_groups_that_are_not_spent_any_more(traps: TrapDetector) -> None:
    """Those of its template and its domain; a domain may be open while its template is spent."""
    hold(traps, f"template {KIND}", f"tokens {KIND}", "domain a.test", "template b.test/?x")
    assert traps.freed(PAGE) == []
    assert traps.held == 4
    traps.yields.note("a.test/", "a.test", is_new=True)
    assert [each.lead for each in traps.freed(PAGE)] == [lead(2)]
    traps.yields.credit(KIND, "a.test")
    assert [each.lead for each in traps.freed(PAGE)] == [lead(0), lead(1)]
    assert traps.freed(PAGE) == []
    assert traps.held == 1


def test_a_visit_releases_what_a_spider_asked_for_first(traps: TrapDetector) -> None:
    """Up to 32 links of each queue; the others follow with the next visit."""
    traps.yields.credit(KIND, "a.test")
    before = traps.sections.open
    hold(traps, *[f"template {KIND}"] * 40)
    hold(traps, f"template {KIND}", payload="asked")
    assert traps.sections.open == before - 41
    freed = traps.freed(PAGE)
    assert [each.lead.payload for each in freed] == ["asked"] + [None] * 32
    assert {each.species for each in freed} == {SPECIES}
    assert traps.sections.open == before - 8
    assert len(traps.freed(PAGE)) == 8
    assert traps.sections.open == before


def test_what_a_spider_asked_for_is_released_before_other_links(traps: TrapDetector) -> None:
    """32 at once, and none of them is held back again."""
    assert not traps.may_let_out
    hold(traps, *[f"template {KIND}"] * 2)
    hold(traps, *[f"template {KIND}"] * 33, payload="asked")
    assert traps.may_let_out
    before = traps.sections.open
    released = traps.released()
    assert [each.lead for each in released] == [lead(number, "asked") for number in range(32)]
    assert traps.sections.open == before + 32
    assert traps.reason(lead(5)) == ""
    assert traps.reason(lead(32)) == f"template {KIND}"
    assert [each.lead for each in traps.released()] == [lead(32, "asked")]
    assert [each.lead for each in traps.released()] == [lead(0), lead(1)]
    assert not traps.may_let_out


def test_a_group_without_end_releases_one_link(traps: TrapDetector) -> None:
    """After so many new pages, or with a greater budget; until then nothing may be released."""
    hold(traps, *["growth"] * 2)
    assert traps.released() == []
    assert not traps.may_let_out
    traps.shares.new_pages = 20
    assert [each.lead for each in traps.released()] == [lead(0)]
    assert traps.released() == []
    traps.shares.new_pages = 40
    assert [each.lead for each in traps.released()] == [lead(1)]


def test_a_greater_budget_opens_groups_that_had_used_their_share(traps: TrapDetector) -> None:
    """A user may give a crawl more requests while it runs."""
    for _ in range(2 * BLOCK):
        traps.yields.new_words.note("made.test", 0.0)
        traps.yields.new_words.note("c.test", 0.5)
    traps.shares.budget.limit = 10
    hold(traps, *["domain made.test"] * (LEAST_PART + 2))
    assert [len(traps.released()) for _ in range(LEAST_PART + 1)] == [1] * LEAST_PART + [0]
    traps.shares.budget.limit = 5 * (LEAST_PART + 1)
    assert [len(traps.released()) for _ in range(2)] == [1, 0]
