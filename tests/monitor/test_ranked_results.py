"""The pages of a crawl in the order of their relevance, and those that a filter shows."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.monitor.results import Filter, Result, Results
from evocrawl.monitor.steps import whole


def some_result(visit: int, relevance: float, **more: Any) -> Result:
    values = {
        "url": f"http://a.test/{visit}",
        "title": "",
        "host": "a.test",
        "agent": 1,
        "depth": 0,
    }
    values |= {"parent": "", "anchor": "", "energy": 0.0, "language": "", "seconds": 0.0}
    return Result(visit=visit, relevance=relevance, **{**values, **more})


@given(st.lists(st.tuples(st.integers(1, 30), st.floats(0, 1), st.sampled_from("ab")), max_size=60))
def test_results_are_ranked_and_filtered(rows: list[tuple[int, float, str]]) -> None:
    """Like a sorted list of the latest visit of each page."""
    results, latest = Results(), {}
    for visit, relevance, host in rows:
        results.add(some_result(visit, relevance, host=host))
        latest[visit] = (relevance, host)
    order = sorted(latest, key=lambda each: (-latest[each][0], each))
    assert [each.visit for each in results.best(100)] == order
    at_once = Results()
    at_once.add_all(some_result(visit, relevance, host=host) for visit, relevance, host in rows)
    assert at_once.best(100) == results.best(100)
    assert [each.visit for each in results.best(5, 3)] == order[3:8]
    total, best = whole(results.shown(Filter(least=0.5), 5, 1))
    good = [each for each in order if latest[each][0] >= 0.5]
    assert (total, [each.visit for each in best]) == (len(good), good[1:6])


WORDS = ("Reef", "CORAL", "bird")
CHANGES = st.tuples(
    st.integers(1, 9), st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from("ab"),
    st.integers(1, 2), st.lists(st.sampled_from(WORDS), max_size=2), st.none() | st.booleans(),
)  # fmt: skip
FILTERS = st.builds(
    Filter, st.sampled_from(["", "reef", "coral  REEF", "/3", "x"]), st.sampled_from(["", "a"]),
    st.sampled_from([None, 1]), st.sampled_from([0.0, 0.5]), st.booleans(),
)  # fmt: skip


@given(st.lists(CHANGES, max_size=20), st.lists(st.tuples(FILTERS, CHANGES), max_size=5))
def test_a_filter_shows_what_passes_it_while_the_crawl_goes_on(
    rows: list[Any], asked: list[tuple[Filter, Any]]
) -> None:
    """Pages that come, change or are marked between two steps of an answer count in the next."""
    results = Results()

    def change(row: Any) -> None:
        visit, relevance, host, agent, words, mark = row
        results.add(
            some_result(visit, relevance, host=host, agent=agent, title=" ".join(words).lower(),
                        url=f"http://{host}.test/{visit}", anchor=words[0] if words else "")
        )  # fmt: skip
        if results.get(visit):
            results.mark(visit, mark)

    def passing(only: Filter) -> list[Result]:
        return [each for each in results.best(100) if only.passes(each, only.text.lower().split())]

    for row in rows:
        change(row)
    with patch("evocrawl.monitor.results._STEP", 2), patch("evocrawl.monitor.results._FEW", 3):
        for only, row in asked:
            for _ in results.shown(only, 3):
                change(row)
            expected = passing(only)
            total, shown = whole(results.shown(only, 3, 1))
            assert (total, shown) == (len(expected), expected[1:4])
            change(row)
            expected = passing(only)
            assert whole(results.shown(only, 9)) == (len(expected), expected[:9])


def test_each_word_of_a_filter_is_looked_for() -> None:
    """In title, address and anchor together, in any case; they need not stand side by side."""
    page = some_result(1, 0.5, title="Coral Bleaching", url="http://a.test/reef", anchor="Why?")
    results = Results()
    results.add(page)
    for text in ("bleaching coral", "REEF coral", "why? a.test", " ", "bleach"):
        assert whole(results.shown(Filter(text), 5)) == (1, [page])
    assert whole(results.shown(Filter("coral fish"), 5)) == (0, [])
