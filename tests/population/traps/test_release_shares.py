"""What a group of held-back links may be released for, and how much its links promise."""

from __future__ import annotations

import pytest

from evocrawl.core.model import Lead
from evocrawl.population.traps.release_shares import LEAST_PART, NO_BUDGET, SHARE, ReleaseShares
from evocrawl.population.traps.sections import Sections
from evocrawl.population.traps.yields import BLOCK, ENDLESS, YieldTracker

ENDLESS_TEMPLATE, DEAD_END = "a.test/?endless", "a.test/?end"


@pytest.fixture
def shares() -> ReleaseShares:
    """Return shares that know a template that feeds itself, and one that does not."""
    yields = YieldTracker()
    for _ in range(ENDLESS):
        yields.note(ENDLESS_TEMPLATE, "a.test", is_new=False)
        yields.feed(ENDLESS_TEMPLATE, 1, 0)
        yields.note(DEAD_END, "b.test", is_new=False)
    return ReleaseShares(yields, Sections())


def test_each_group_promises_what_its_own_kind_has_yielded(shares: ReleaseShares) -> None:
    """A template and a domain by their counts; a section until it is a maze; a run nothing."""
    shares.yields.note("c.test/", "c.test", is_new=True)
    assert shares.promise("template c.test/") == shares.promise("tokens c.test/") == 2 / 3
    assert shares.promise("domain c.test") == 2 / 3
    assert shares.promise("domain a.test") == 1 / (ENDLESS + 2)
    assert shares.promise("domain unknown.test") == 1 / 2
    assert shares.promise("section c.test/x") == 1.0
    assert shares.promise(f"run {DEAD_END}") == 0.0


def test_a_group_without_end_gets_its_share_only(shares: ReleaseShares) -> None:
    """One link for so many new pages; a group that does not feed itself has an end."""
    endless = [f"template {ENDLESS_TEMPLATE}", f"run {ENDLESS_TEMPLATE}", "growth", "run"]
    with_end = [f"template {DEAD_END}", f"run {DEAD_END}", "domain a.test", "section a.test/x"]
    assert [shares.has_end(name) for name in endless] == [False] * 4
    assert [shares.has_end(name) for name in with_end] == [True] * 4
    for name in endless:
        assert shares.opens_at(name) == SHARE
        shares.note_released(name, 2)
        assert shares.opens_at(name) == 3 * SHARE
    assert {shares.opens_at(name) for name in with_end} == {0}
    assert shares.opens_at("repeats a.test") == 100


def test_endless_pages_that_lead_elsewhere_get_a_fifth(shares: ReleaseShares) -> None:
    """Of the budget; without one, of a thousand requests and those that brought a new page."""
    shares.yields.feed(ENDLESS_TEMPLATE, 0, ENDLESS)
    for name in (f"template {ENDLESS_TEMPLATE}", f"run {ENDLESS_TEMPLATE}"):
        shares.note_released(name, NO_BUDGET // 5 - 1)
        assert shares.opens_at(name) == 0
        shares.note_released(name, 1)
        assert shares.opens_at(name) == 5
        shares.budget.limit = 5 * (LEAST_PART - 1)
        assert shares.opens_at(name) > 1 << 60
        shares.budget.limit = None


def test_a_generated_domain_gets_a_fifth(shares: ReleaseShares) -> None:
    """Its pages hardly have new words, or hardly meet links; another domain is not affected."""
    for _ in range(2 * BLOCK):
        shares.yields.new_words.note("made.test", 0.0)
        shares.yields.new_words.note("c.test", 0.5)
    shares.budget.limit = 500
    shares.note_released("domain made.test", 99)
    assert shares.opens_at("domain made.test") == 0
    shares.note_released("domain made.test", 1)
    assert shares.opens_at("domain made.test") > 1 << 60
    assert shares.has_end("domain c.test")


def test_links_of_several_templates_are_ranked_by_the_chance_of_new_content_too() -> None:
    """In a section or a domain; in a group of one template by their scores alone."""
    shares = ReleaseShares(YieldTracker(), Sections())
    shares.yields.note("a.test/good", "a.test", is_new=True)
    shares.yields.note("a.test/bad", "a.test", is_new=False)
    good, bad, better = (
        Lead(f"http://a.test/{name}", b"", "a.test", b"", 0, score)
        for name, score in (("good", 0.5), ("bad", 0.5), ("bad", 0.9))
    )
    for name in ("section a.test/", "domain a.test"):
        assert shares.rank(name, good) == pytest.approx(0.5 * 2 / 3, rel=1e-5)
        assert shares.rank(name, good) > shares.rank(name, better) > shares.rank(name, bad) > 0
    for name in ("template a.test/bad", "run", "growth"):
        assert shares.rank(name, better) == 0.9
    unscored = [Lead(each.url, b"", "a.test", b"", 0, 0.0) for each in (good, bad)]
    assert shares.rank("domain a.test", unscored[0]) > shares.rank("domain a.test", unscored[1]) > 0
