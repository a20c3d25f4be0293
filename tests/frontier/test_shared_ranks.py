"""Ranks of several populations add up to those of all pages."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.frontier.relevance_ranks import RANGES, RelevanceRanks
from evocrawl.frontier.shared_ranks import RankSharing

SHARE = st.floats(0, 1)
PAGES = st.lists(st.one_of(SHARE, st.sampled_from([0.0, 1.0])), max_size=30)


@given(st.lists(PAGES, min_size=1, max_size=4), PAGES, st.floats(0.01, 1), st.none() | SHARE)
def test_ranks_are_those_of_all_pages_to_half_of_a_range(
    others: list[list[float]], own: list[float], share: float, also: float | None
) -> None:
    """Zeros are exact: most pages are not relevant at all, and R may be 0."""
    if not own and also is None:
        own = [0.5]
    ranks, whole = RelevanceRanks(own), RelevanceRanks([*own, *chain(*others)])
    sharing = RankSharing(ranks)
    sharing.merge([sharing.unpack(RankSharing(RelevanceRanks(each)).pack()) for each in others])
    found, exact = ranks.at_share(share, also), whole.at_share(share, also)
    assert found == pytest.approx(exact, abs=1 / RANGES)
    assert (found == 0) == (exact == 0)
    assert ranks.bounds(also) == pytest.approx(whole.bounds(also), abs=0.5 / RANGES + 1e-9)
    assert sum(sharing.unpack(sharing.pack())) == len(own)
    sharing.merge([])
    assert ranks.at_share(share, also) == RelevanceRanks(own).at_share(share, also)


@pytest.mark.parametrize("row", [b"", b"evoR", b"\0" * (8 + 4 * (RANGES + 1))])
def test_bytes_that_are_no_ranks_are_refused(row: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        RankSharing(RelevanceRanks()).unpack(row)


def test_counts_are_bounded_by_the_pages() -> None:
    ranks = RelevanceRanks(np.linspace(0, 1, 5000).tolist())
    assert len(RankSharing(ranks).pack()) == 8 + 4 * (RANGES + 1)


@given(st.lists(st.one_of(SHARE, st.integers(0, 8).map(lambda n: n / 8)), max_size=40))
def test_a_page_counts_below_the_first_edge_that_it_does_not_exceed(pages: list[float]) -> None:
    edges = [n / 8 for n in range(8)]
    counts = RelevanceRanks(pages).counts_between(edges)
    below = [-np.inf, *edges]
    expected = [
        sum(low < each <= high for each in pages)
        for low, high in zip(below, [*edges, 1.0], strict=True)
    ]
    assert counts == expected
