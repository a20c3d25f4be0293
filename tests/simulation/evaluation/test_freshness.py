"""News, freshness, age and efficiencies, compared with values computed by hand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.model import Fingerprint
from evocrawl.simulation.evaluation import freshness as fresh
from evocrawl.simulation.evaluation.freshness import Download, over_time, sent_and_found

HOUR_S = 3600.0


def changes(times: Mapping[bytes, Sequence[float]]) -> Callable[[Fingerprint, float], float | None]:
    """Return pages that exist from their first time on and change at each later one."""

    def changed_at(page: Fingerprint, now_s: float) -> float | None:
        past = bisect_right(times[page], now_s)
        return times[page][past - 1] if past else None

    return changed_at


def download(hours: float, page: bytes, changed_h: float | None, agent: int = 0) -> Download:
    return Download(hours * HOUR_S, agent, page, None if changed_h is None else changed_h * HOUR_S)


def test_a_document_is_sent_once_by_each_agent_and_found_once() -> None:
    """Two agents fetch `a`, one of them twice; its next version is another document."""
    sent, found = sent_and_found([
        download(1, b"a", 0), download(2, b"a", 0), download(3, b"a", 0, agent=1),
        download(5, b"a", 4),
    ])  # fmt: skip
    assert [(each.at_s / HOUR_S, each.agent) for each in sent] == [(1, 0), (3, 1), (5, 0)]
    assert [each.at_s / HOUR_S for each in found] == [1, 5]


@pytest.mark.parametrize(
    ("age_h", "is_news"), [(0, True), (23.9, True), (24, False), (None, False)]
)
def test_news_is_younger_than_a_day(age_h: float | None, is_news: bool) -> None:
    """A page without a date is not news."""
    assert download(30, b"a", None if age_h is None else 30 - age_h).is_news == is_news


def test_a_copy_is_fresh_until_its_page_changes_and_its_age_counts_from_the_last_change() -> None:
    """`a` changed at 4 and 5, `b` never: at 6 one of two is fresh, and the other is 1 hour old."""
    world = changes({b"a": [0.0, 4 * HOUR_S, 5 * HOUR_S], b"b": [0.0]})
    early, late = over_time([download(1, b"a", 0), download(2, b"b", 0)], world, 6 * HOUR_S)
    assert (early.freshness, early.age_s) == (1.0, 0.0)
    assert (late.freshness, late.age_s) == (0.5, HOUR_S / 2)


def test_a_page_that_is_fetched_again_is_fresh() -> None:
    """The latest copy counts, also one that is no news."""
    world = changes({b"a": [0.0, 2 * HOUR_S]})
    twice = [download(1, b"a", 0), download(40, b"a", 2)]
    freshness = [window.freshness for window in over_time(twice, world, 42 * HOUR_S)]
    assert freshness == [0.0] * 13 + [1.0]


def test_only_pages_with_news_are_kept() -> None:
    """An old page is not news until it changes; its copy is then that of the change."""
    world = changes({b"a": [-48 * HOUR_S, 4 * HOUR_S]})
    first, second = over_time([download(1, b"a", -48), download(5, b"a", 4)], world, 6 * HOUR_S)
    assert (first.freshness, first.age_s) == (None, None)
    assert (second.freshness, second.found) == (1.0, 1)


def test_a_page_that_has_vanished_is_not_fresh() -> None:
    """It has no age."""
    (window,) = over_time([download(1, b"a", 0)], lambda *_: None, 2 * HOUR_S)
    assert (window.freshness, window.age_s) == (0.0, None)


def test_windows_are_three_hours_and_the_last_one_ends_with_the_crawl() -> None:
    """A download at a border belongs to the window before it."""
    world = changes({b"a": [0.0], b"b": [0.0]})
    downloads = [download(0, b"a", 0), download(3, b"b", 0), download(4, b"b", 0)]
    windows = over_time(downloads, world, 4 * HOUR_S)
    assert [(each.end_s / HOUR_S, each.downloaded, each.sent, each.found) for each in windows] == [
        (3, 2, 2, 2),
        (4, 1, 0, 0),
    ]
    assert over_time([], world, 0.0) == []


@given(
    st.lists(
        st.tuples(st.floats(0, 1e7), st.integers(0, 3), st.integers(0, 5), st.floats(-1e5, 0))
    ),
    st.floats(0, 1e9),
)
def test_every_window_is_a_count_and_a_share(
    drawn: list[tuple[float, int, int, float]], after_s: float
) -> None:
    """At most a hundred windows; their counts add up to everything, found ≤ sent ≤ downloaded."""
    downloads = [
        Download(at_s, agent, bytes([page]), at_s + back)
        for at_s, agent, page, back in sorted(drawn)
    ]
    until_s = (downloads[-1].at_s if downloads else 0.0) + after_s + 1
    windows = over_time(downloads, lambda page, now_s: now_s / 2 if page > b"\1" else None, until_s)
    assert 1 <= len(windows) <= 100
    sent, found = sent_and_found(downloads)
    totals = [
        sum(getattr(each, name) for each in windows) for name in ("downloaded", "sent", "found")
    ]
    assert totals == [len(downloads), len(sent), len(found)]
    for each in windows:
        assert each.found <= each.sent <= each.downloaded
        assert each.freshness is None or 0 <= each.freshness <= 1
        assert each.age_s is None or each.age_s >= 0


def test_ratios_of_nothing() -> None:
    """They count as zero, except for URLs found."""
    assert fresh.efficiency(1, 4) == 0.25
    assert fresh.efficiency(0, 0) is None
    assert fresh.mean_of([None, 1.0, 3.0]) == 2.0
    assert fresh.mean_of([None]) is None
    assert fresh.relative_found_url(5, 100) == 0.05
    assert fresh.relative_found_url(0, 0) == 0.0
