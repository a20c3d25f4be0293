"""Scores as chances."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.config.config import Config
from evocrawl.core.model import Content
from evocrawl.relevance import create
from evocrawl.relevance.calibration import (
    Calibration,
    Pool,
    calibration_of,
    chance_of,
    log_odds_of,
    pool_of,
)

QUERY = "coral bleaching"
ON_TOPIC = Content(
    "Coral bleaching", "Coral bleaching is when corals lose their algae. " * 20, "en"
)
NEAR = Content("Reefs", "Fish live in the warm sea around the reef. " * 20, "en")
OFF = Content("Railway", "The committee approved the budget of the railway. " * 20, "en")
MIXES = ["tfidf", "bm25", "vectors", "opening", "tfidf+vectors", "bm25+vectors", Config().relevance]


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("query", [QUERY, "corals", "reef corals that lose algae in a warm sea"])
def test_a_page_on_the_topic_is_above_the_threshold_and_another_far_below(
    mix: str, query: str
) -> None:
    """Whichever model and however long the query: 0.5 is the threshold."""
    model = create(mix, query)
    assert model.page(ON_TOPIC) > 0.5
    assert model.page(OFF) < 0.1
    assert model.page(Content()) == 0


@pytest.mark.parametrize("mix", ["tfidf", "bm25", "vectors", "opening"])
def test_a_calibration_keeps_the_order_of_the_pages(mix: str) -> None:
    """It says what a score means, and nothing else."""
    own, chance = create(mix, QUERY, calibrated=False), create(mix, QUERY)
    pages = [ON_TOPIC, NEAR, OFF, Content("", "coral " + OFF.text, "en")]
    assert sorted(pages, key=own.page) == sorted(pages, key=chance.page)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-20, 20), st.floats(0.1, 50))
def test_a_greater_score_never_has_a_smaller_chance(
    one: float, other: float, offset: float, slope: float
) -> None:
    """Every calibration rises with the score."""
    for power in (0.5, 1.0):
        calibration = Calibration(offset, slope, power)
        low, high = sorted((one, other))
        assert calibration.log_odds(low) <= calibration.log_odds(high)
        assert (
            0 <= chance_of(calibration.log_odds(low)) <= chance_of(calibration.log_odds(high)) <= 1
        )


@given(st.floats(allow_nan=False))
def test_any_log_odds_are_a_chance(log_odds: float) -> None:
    """Infinite ones too."""
    assert 0 <= chance_of(log_odds) <= 1


@given(st.floats(0.03, 0.97))
def test_log_odds_are_the_inverse_of_a_chance(chance: float) -> None:
    """Within the bounds beyond which no model is believed."""
    assert chance_of(log_odds_of(chance)) == pytest.approx(chance)


def test_a_model_without_calibration_is_never_certain_in_a_mix() -> None:
    """A pattern that occurs does not outweigh all other models."""
    assert log_odds_of(1.0) == -log_odds_of(0.0) == pytest.approx(math.log(49))
    assert create("regex:coral", "").page(ON_TOPIC) == 1
    mix = create("tfidf+regex:zebra", QUERY)
    assert create("tfidf", QUERY).page(ON_TOPIC) > mix.page(ON_TOPIC) > 0.1


def test_weights_shift_a_mix_towards_their_model() -> None:
    """NEAR has no word of the query; only vectors see that it is near."""
    pages = [create(f"{weight}*vectors+tfidf", QUERY).page(NEAR) for weight in (0.2, 1, 5)]
    assert pages == sorted(pages)
    assert pages[0] < pages[2]


def test_a_page_without_any_sign_has_no_chance() -> None:
    """Exactly 0, as an empty page."""
    assert create("tfidf+bm25", QUERY).page(NEAR) == create("tfidf", QUERY).page(NEAR) == 0


def test_long_queries_and_rare_words_are_calibrated_apart() -> None:
    """The same score means another chance for another query."""
    assert calibration_of("bm25", [9.0] * 6).offset != calibration_of("bm25", [4.0]).offset


def test_careful_chances_move_no_page_across_the_threshold() -> None:
    """Chances below it are lower and those above it are nearer to it, in the same order."""
    careful, plain = pool_of(["tfidf", "vectors", "opening"]), pool_of(["tfidf", "classifier"])
    assert plain == Pool()
    means = [number / 4 for number in range(-40, 40)]
    odds = [careful.offset + careful.slope * mean for mean in means]
    found = [careful.log_odds(mean) for mean in means]
    assert found == sorted(found)
    assert all((one > 0) == (other > 0) for one, other in zip(found, odds, strict=True))
    assert all(one < other for one, other in zip(found, odds, strict=True))


def test_every_mix_of_models_that_compare_words_is_calibrated_together() -> None:
    """By its models, in any order."""
    models = ("bm25", "opening", "tfidf", "vectors")
    for size in range(1, 5):
        for names in combinations(models, size):
            assert pool_of(names) == pool_of(reversed(names)) != Pool()
