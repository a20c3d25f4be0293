"""The balance threshold R and the ranks it is read from."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.energy import Sigmoid
from evocrawl.energy.threshold import balance_share
from evocrawl.frontier import RelevanceRanks

RELEVANCE = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1))
SHARE = st.floats(0, 1, exclude_min=True)


def oracle(values: list[float], share: float) -> float:
    """The definition: sort, take rank share·n, rounded, within 1..n."""
    rank = min(max(round(share * len(values)), 1), len(values))
    return sorted(values)[rank - 1]


@given(st.lists(RELEVANCE, min_size=1, max_size=40), SHARE)
def test_the_rank_is_exact(values: list[float], share: float) -> None:
    """R is the relevance of a page, from the first page on."""
    ranks = RelevanceRanks()
    for count, value in enumerate(values):
        seen = values[: count + 1]
        before = (len(ranks), ranks.at_share(share) if count else None)
        assert ranks.at_share(share, value) == oracle(seen, share)
        assert ranks.bounds(value) == (min(seen), max(seen))
        assert (len(ranks), ranks.at_share(share) if count else None) == before
        ranks.add(value)
        assert ranks.at_share(share) == oracle(seen, share)
        assert ranks.bounds() == (min(seen), max(seen))


def test_ranks_of_no_page_are_an_error() -> None:
    """There is no threshold without a page."""
    with pytest.raises(IndexError):
        RelevanceRanks().at_share(0.5)


def test_about_one_page_in_twenty_lies_above_the_threshold() -> None:
    """C = 0.5 and G = 10, the paper's example."""
    share = balance_share(gain=10.0, cost=0.5)
    assert share == pytest.approx(0.952, abs=0.001)
    values = np.random.default_rng(5).random(2100).tolist()
    threshold = Sigmoid(gain=10.0, cost=0.5).threshold(RelevanceRanks(values))
    assert sum(value > threshold for value in values) == 100


@given(st.floats(1e-3, 1e3), st.floats(0, 1e3))
def test_the_expected_energy_of_the_step_function_is_zero(gain: float, cost: float) -> None:
    """−C·P(r ≤ R) + G·P(r > R) = 0 defines the share."""
    share = balance_share(gain, cost)
    assert 0 < share <= 1
    assert -cost * share + gain * (1 - share) == pytest.approx(0, abs=1e-9 * (gain + cost))


@pytest.mark.parametrize("name", ["rare", "common", "even"])
def test_pages_of_any_topic_have_little_mean_energy(name: str) -> None:
    """Pages priced one by one give little energy in the mean, however often the topic occurs."""
    draws = np.random.default_rng(3).random(3000)
    values = {"rare": draws**8, "common": draws**0.2, "even": draws}[name].tolist()
    model, ranks, earned = Sigmoid(gain=8.0, cost=1.0), RelevanceRanks(), []
    for value in values:
        earned.append(model.price(value, ranks))
        ranks.add(value)
    assert abs(float(np.mean(earned))) < 0.5


def test_the_threshold_follows_the_pages_seen() -> None:
    """A rise of the pages' relevance raises R."""
    ranks, model = RelevanceRanks(), Sigmoid(gain=4.0, cost=1.0)
    thresholds = []
    for value in np.linspace(0, 1, 50):
        ranks.add(float(value))
        thresholds.append(model.threshold(ranks))
    assert all(earlier <= later for earlier, later in pairwise(thresholds))
    assert thresholds[0] < thresholds[-1]
