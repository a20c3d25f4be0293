"""From the pages of a crawl follows an estimate of what is left."""

from __future__ import annotations

import math
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.budget import Budget
from evocrawl.core.events import VisitSettled
from evocrawl.core.model import Lead, Visit
from evocrawl.estimation.coefficients import GAIN, REMAINING, Coefficients
from evocrawl.estimation.forecast import FIRST, Forecast, interval
from evocrawl.estimation.negative_binomial import quantiles
from evocrawl.estimation.outlook import HORIZON, Outlook

LEVELS = (0.05, 0.5, 0.95)
MEANS = st.floats(0.01, 5000)
SHAPES = st.floats(0.2, 50)


def crawl(relevant: list[bool]) -> Forecast:
    """Return the forecast of a crawl with one request a page, each relevant or not."""
    budget = Budget()
    forecast = Forecast(0.5, budget)
    for number, is_relevant in enumerate(relevant, 1):
        lead = Lead(f"http://a.test/{number}", bytes([number % 256]), "a.test", b"", 1, 0.0)
        visit = Visit(number, 1, lead, 0.0)
        budget.spend(None)
        forecast.note(VisitSettled(visit, "fetched", "", float(is_relevant), first=True))
    return forecast


def outlook(relevant: list[bool]) -> Outlook:
    found = crawl(relevant).outlook()
    assert found is not None
    return found


@given(MEANS, SHAPES)
def test_quantiles_rise_and_hold_the_middle(mean: float, shape: float) -> None:
    """Also where probabilities are too small for a float, and where the mean is large."""
    low, middle, high = quantiles(mean, shape, LEVELS)
    assert 0 <= low <= middle <= high < math.inf


def test_a_large_shape_has_the_quantiles_of_a_poisson_count() -> None:
    """The chance of the count 0 is then too small for a float."""
    low, middle, high = quantiles(1500.0, 1e6, LEVELS)
    assert middle == pytest.approx(1500, abs=2)
    assert (middle - low, high - middle) == (pytest.approx(64, abs=2), pytest.approx(64, abs=2))


@pytest.mark.parametrize("shape", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("mean", [0.7, 12.0, 400.0])
def test_nine_in_ten_draws_lie_in_the_interval(mean: float, shape: float) -> None:
    """Draws of a Poisson count whose rate is Gamma distributed."""
    rng = Random(3)
    low, _, high = quantiles(mean, shape, LEVELS)

    def draw() -> int:
        rate, count, left = rng.gammavariate(shape, mean / shape), 0, 0.0
        if rate > 300:
            return round(rng.gauss(rate, math.sqrt(rate)))
        while (left := left + rng.expovariate(1.0)) < rate:
            count += 1
        return count

    inside = sum(low <= draw() <= high for _ in range(4000)) / 4000
    assert inside >= 0.88  # a count has steps: the interval may hold more than nine in ten
    assert sum(low < draw() < high for _ in range(4000)) / 4000 <= 0.92


def test_there_is_no_outlook_before_a_hundred_requests() -> None:
    """And there is one from then on, also where nothing was found."""
    assert crawl([True] * (FIRST - 1)).outlook() is None
    found = outlook([False] * FIRST)
    assert (found.requests, found.relevant, found.recall.middle) == (FIRST, 0, 0.0)
    assert found.gain.low == 0


def test_a_crawl_that_finds_less_and_less_has_less_to_come() -> None:
    """The gain falls and the recall rises with the requests after the last find."""
    at_once = [True] * 100
    outlooks = [outlook(at_once + [False] * n) for n in (0, 100, 300, 600)]
    gains = [each.gain.middle for each in outlooks]
    recalls = [each.recall.middle for each in outlooks]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 5 * gains[-1]
    assert recalls == sorted(recalls)
    assert recalls[-1] > 0.8


@given(st.lists(st.booleans(), min_size=FIRST, max_size=500))
def test_intervals_are_in_order_and_in_range(relevant: list[bool]) -> None:
    """A request brings one page at most; a share lies between 0 and 1."""
    found = outlook(relevant)
    for each in (found.gain, found.remaining, found.recall):
        assert 0 <= each.low <= each.middle <= each.high
    assert found.gain.high <= HORIZON
    assert found.recall.high <= 1
    assert found.relevant == sum(relevant)
    assert found.yields == found.gain.middle / HORIZON


@pytest.mark.parametrize("of", [GAIN, REMAINING])
def test_more_finds_of_late_mean_more_to_come(of: Coefficients) -> None:
    """The mean rises with the rate of the last requests."""
    means = [of.mean(n / 200) for n in range(1, 201, 10)]
    assert means == sorted(means)
    assert interval(of, 1.0).low > interval(of, 0.001).high


def test_a_second_visit_or_a_failure_is_no_find() -> None:
    """A page counts once; a visit without a page counts as a request only."""
    budget = Budget()
    forecast = Forecast(0.5, budget)
    lead = Lead("http://a.test/", b"a", "a.test", b"", 1, 0.0)
    for number in range(FIRST):
        budget.spend(None)
        visit = Visit(number + 1, 1, lead, 0.0)
        forecast.note(VisitSettled(visit, "fetched", "", 0.9, first=number == 0))
        forecast.note(VisitSettled(visit, "dead", "404"))
    found = forecast.outlook()
    assert found is not None
    assert found.relevant == 1


def test_nothing_is_left_where_all_links_are_followed() -> None:
    """Also in a crawl of few requests, and where nothing was found."""
    for relevant, recall in (([True, False] * 5, 1.0), ([False] * 150, 0.0)):
        forecast = crawl(relevant)
        forecast.population = SimpleNamespace(ended="exhausted")
        found = forecast.outlook()
        assert found is not None
        assert found.gain.high == found.remaining.high == 0
        assert found.recall.low == found.recall.high == recall
