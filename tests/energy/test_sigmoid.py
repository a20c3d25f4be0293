"""The sigmoid energy model."""

from __future__ import annotations

import math
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.energy import Sigmoid
from evocrawl.frontier import RelevanceRanks

RELEVANCE = st.one_of(st.sampled_from([0.0, 5e-324, 0.5, 1.0]), st.floats(0, 1))
SLOPES: tuple[Literal["steep", "literal"], ...] = ("steep", "literal")
MODELS = st.builds(Sigmoid, st.floats(1e-3, 100), st.floats(0, 100), st.sampled_from(SLOPES))
EACH_SLOPE = pytest.mark.parametrize("slope", SLOPES)


@given(MODELS, st.lists(RELEVANCE, max_size=30), RELEVANCE)
def test_energy_lies_between_minus_cost_and_gain(
    model: Sigmoid, seen: list[float], relevance: float
) -> None:
    """This holds for any pages, so energy is never NaN or infinite."""
    assert -model.cost <= model.price(relevance, RelevanceRanks(seen)) <= model.gain


@given(MODELS, st.lists(RELEVANCE, min_size=3, max_size=3), RELEVANCE, RELEVANCE)
def test_more_relevance_never_means_less_energy(
    model: Sigmoid, bounds: list[float], one: float, other: float
) -> None:
    """This holds for given r_m, R and r_M."""
    lowest, threshold, highest = sorted(bounds)
    steepness = model.steepness(lowest, highest, threshold)
    low, high = sorted((one, other))
    assert model.delta(low, threshold, steepness) <= model.delta(high, threshold, steepness)


@given(MODELS, st.lists(RELEVANCE, max_size=30))
def test_a_page_of_no_relevance_costs_under_the_steep_reading(
    model: Sigmoid, seen: list[float]
) -> None:
    """With r + R, as printed, it would bring energy."""
    steep = Sigmoid(model.gain, model.cost, "steep")
    rest = (model.gain + model.cost) * math.exp(-7.99)
    assert steep.price(0.0, RelevanceRanks(seen)) <= -model.cost + rest


@EACH_SLOPE
@pytest.mark.parametrize("relevance", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("count", [0, 1, 30])
def test_a_page_like_all_others_costs(
    slope: Literal["steep", "literal"], relevance: float, count: int
) -> None:
    """The first page, pages all alike, all of no relevance: R = r_m = r_M."""
    model = Sigmoid(8.0, 0.5, slope)
    assert model.price(relevance, RelevanceRanks([relevance] * count)) == -0.5


@EACH_SLOPE
def test_a_threshold_at_the_least_relevance_makes_a_step(
    slope: Literal["steep", "literal"],
) -> None:
    """R = r_m: nearly all pages are of no relevance, and the first that is gets G."""
    model = Sigmoid(8.0, 0.5, slope)
    ranks = RelevanceRanks([0.0] * 40)
    assert model.price(1e-6, ranks) == 8.0
    assert model.price(0.0, ranks) == -0.5


@EACH_SLOPE
def test_a_threshold_at_the_greatest_relevance_makes_a_step(
    slope: Literal["steep", "literal"],
) -> None:
    """R = r_M: so few pages that the best of them is at the rank."""
    model = Sigmoid(8.0, 0.5, slope)
    ranks = RelevanceRanks([0.1, 0.2])
    assert model.threshold(ranks, 0.9) == 0.9
    assert [model.price(value, ranks) for value in (0.9, 0.15, 0.0)] == [-0.5, -0.5, -0.5]


def test_the_steep_reading_takes_the_larger_slope() -> None:
    """λ = 8 / min(R − r_m, r_M − R)."""
    model = Sigmoid(1.0, 1.0, "steep")
    assert model.steepness(0.0, 1.0, 0.25) == 8 / 0.25
    assert model.steepness(0.0, 1.0, 0.75) == 8 / 0.25
    assert model.steepness(0.5, 1.0, 0.625) == 8 / 0.125


def test_the_literal_reading_compares_what_is_printed() -> None:
    """8/(R − r_m) against r_M − R: within [0, 1] the second is always smaller."""
    model = Sigmoid(1.0, 1.0, "literal")
    assert model.steepness(0.0, 1.0, 0.25) == 8 / 0.75
    assert model.steepness(0.0, 1.0, 0.75) == 8 / 0.25
    assert model.steepness(0.0, 100.0, 1.0) == 8 / 1.0
    assert model.steepness(1.0, 7.0, 5.0) == 8 / 4.0


@EACH_SLOPE
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_no_slope_is_nan_or_negative(
    slope: Literal["steep", "literal"], one: float, two: float, three: float
) -> None:
    """This holds if the differences are too small for their reciprocals, too."""
    low, middle, high = sorted((one, two, three))
    assert Sigmoid(1.0, 1.0, slope).steepness(low, high, middle) >= 8


@given(MODELS, st.floats(0.01, 0.99), st.floats(8, 1e300))
def test_the_middle_of_the_sigmoid_is_at_the_threshold(
    model: Sigmoid, threshold: float, steepness: float
) -> None:
    """Figure 1 of the paper: centred on R."""
    middle = model.delta(threshold, threshold, steepness)
    assert middle == pytest.approx((model.gain - model.cost) / 2)
    assert math.isfinite(model.delta(1.0, threshold, steepness))
    assert math.isfinite(model.delta(0.0, threshold, steepness))
