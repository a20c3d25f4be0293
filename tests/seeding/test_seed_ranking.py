"""Seeds of several sources are merged into one order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.seeding.base import Seed
from evocrawl.seeding.ranking import fused, ranked

_URLS = st.integers(0, 9).map(lambda number: Seed(f"http://a.test/{number}"))


def test_a_page_of_two_sources_comes_before_a_page_of_one() -> None:
    """If their ranks are the same."""
    first = [Seed("http://a.test/1"), Seed("http://a.test/2")]
    second = [Seed("http://a.test/3"), Seed("http://a.test/2/../2")]
    assert [each.url for each in fused([first, second])] == [
        "http://a.test/2", "http://a.test/1", "http://a.test/3",
    ]  # fmt: skip


@given(st.lists(st.lists(_URLS, max_size=8), max_size=4))
def test_scores_lie_between_0_and_1_and_fall(lists: list[list[Seed]]) -> None:
    """No page comes twice, none is lost."""
    orders = [ranked(each, 100) for each in lists]
    seeds = fused(orders)
    assert {each.url for each in seeds} == {each.url for order in orders for each in order}
    assert len({each.url for each in seeds}) == len(seeds)
    scores = [each.score for each in seeds]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < each <= 1 for each in scores)
