"""Freshness, age and efficiencies, against values worked out by hand."""

from __future__ import annotations

import pytest

from evocrawl.evaluation import freshness as fresh

HOUR_S = 3600.0


def test_a_copy_is_fresh_until_its_page_changes() -> None:
    """`a` missed a change at 6, `b` was fetched after its change, `c` never changes."""
    copies = {b"a": 5.0, b"b": 5.0, b"c": 0.0}
    changes = {b"a": [2.0, 6.0, 8.0], b"b": [4.0]}
    assert fresh.freshness(copies, changes, at_s=10.0) == pytest.approx(2 / 3)
    assert fresh.age_s(copies, changes, at_s=10.0) == pytest.approx(4.0 / 3)
    assert fresh.freshness(copies, changes, at_s=5.5) == 1.0


def test_no_copies_are_fresh() -> None:
    """Nothing is out of date."""
    assert (fresh.freshness({}, {}, 1.0), fresh.age_s({}, {}, 1.0)) == (1.0, 0.0)


def test_fetching_again_makes_fresh() -> None:
    """The last fetch counts, and only what was fetched by then."""
    fetches = [(1.0, b"a"), (25.0, b"a"), (35.0, b"b")]
    points = fresh.over_time(fetches, {b"a": [15.0]}, until_s=40.0, every_s=10.0)
    assert points == [(10.0, 1.0, 0.0), (20.0, 0.0, 5.0), (30.0, 1.0, 0.0), (40.0, 1.0, 0.0)]


def test_efficiency_in_windows_of_three_hours() -> None:
    """One of two documents, none of one, and an empty window."""
    all_s = [1 * HOUR_S, 2 * HOUR_S, 4 * HOUR_S]
    found = fresh.efficiency([2 * HOUR_S], all_s, until_s=9 * HOUR_S)
    assert found.tolist() == [0.5, 0.0, 0.0]


def test_relative_found_url() -> None:
    """URLs found for each download."""
    assert fresh.relative_found_url(5, 100) == 0.05
    assert fresh.relative_found_url(0, 0) == 0.0
