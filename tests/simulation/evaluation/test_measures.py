"""The measures of a crawl, compared with values computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.simulation.evaluation import measures

REQUESTS = st.sets(st.integers(1, 60), max_size=20)


def test_hits_are_the_first_fetches_of_relevant_pages() -> None:
    """A page that is fetched twice counts once, at its first fetch; others do not count."""
    fetched = [(1, b"x"), (3, b"a"), (2, b"b"), (9, b"a")]
    assert measures.hits_of(fetched, {b"a", b"b", b"c"}) == [2, 3]


def test_harvest_rate_and_recall_at_some_request() -> None:
    """Two hits within four requests, of five relevant pages."""
    hits = [1, 4, 9]
    assert measures.harvest_rate(hits, 4) == 0.5
    assert measures.recall(hits, 4, relevant=5) == 0.4
    assert measures.harvest_rate([], 0) == measures.recall([], 3, 0) == 0.0


def test_recall_auc_by_hand() -> None:
    """B = 4, |T| = 2, hits at 2 and 4: (0/1 + 1/2 + 1/2 + 2/2) / 4."""
    assert measures.recall_auc([2, 4], budget=4, relevant=2) == pytest.approx(0.5)


def test_recall_auc_with_a_budget_smaller_than_the_topic() -> None:
    """min(b, |T|) is always b: (1/1 + 1/2 + 2/3) / 3."""
    assert measures.recall_auc([1, 3], budget=3, relevant=10) == pytest.approx(
        (1 + 0.5 + 2 / 3) / 3
    )


def test_recall_auc_without_topic_budget_or_hits_is_zero() -> None:
    """No topic, no budget or no hit."""
    assert measures.recall_auc([], 5, 3) == 0
    assert measures.recall_auc([1], 0, 3) == measures.recall_auc([], 5, 0) == 0


@given(st.integers(1, 20), st.integers(1, 100))
def test_recall_auc_is_1_when_every_relevant_page_comes_first(relevant: int, budget: int) -> None:
    """For any topic and budget."""
    assert measures.recall_auc(range(1, relevant + 1), budget, relevant) == pytest.approx(1.0)


@given(REQUESTS, st.integers(1, 60), st.integers(0, 10))
def test_recall_auc_is_a_share_and_falls_when_a_hit_comes_later(
    hits: set[int], budget: int, more: int
) -> None:
    """In [0, 1], equal to the sum of its definition, and not higher for later hits."""
    relevant = len(hits) + more
    value = measures.recall_auc(sorted(hits), budget, relevant)
    assert 0 <= value <= 1
    if relevant:
        total = sum(measures.hits_at(hits, b) / min(b, relevant) for b in range(1, budget + 1))
        assert value == pytest.approx(total / budget)
    assert measures.recall_auc([hit + 1 for hit in hits], budget, relevant) <= value


@given(REQUESTS)
def test_hits_within_counts_at_every_request(hits: set[int]) -> None:
    """The curve is the count, request by request."""
    curve = measures.hits_within(sorted(hits), 70).tolist()
    assert curve == [measures.hits_at(hits, b) for b in range(1, 71)]


def test_precision_over_pages() -> None:
    """It is the running share of relevant pages."""
    flags = [True, False, True, True]
    assert measures.precision_over_pages(flags).tolist() == [1.0, 0.5, pytest.approx(2 / 3), 0.75]


def test_requests_to_the_first_k() -> None:
    """None if there were never so many."""
    assert measures.requests_to([7, 2, 5], 2) == 5
    assert measures.requests_to([7], 2) is None


def test_hosts_and_groups_count_once() -> None:
    """Two pages of a host are one host, two near-duplicates one page."""
    assert measures.relevant_hosts(["http://a.test/1", "http://A.test/2", "http://b.test/"]) == 2
    groups = {b"a": 0, b"b": 0, b"c": 1, b"d": 2}
    assert measures.distinct_pages([b"a", b"b", b"c", b"other"], groups) == 2


def test_s_throughput() -> None:
    """Energy for each connection; none without connections."""
    assert measures.s_throughput(30.0, 10) == 3.0
    assert measures.s_throughput(0.0, 0) == 0.0
