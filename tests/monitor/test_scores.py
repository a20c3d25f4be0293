"""A score is shown with its word, and its digits never contradict the word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.monitor.scores import scored


@given(st.floats(0, 1), st.integers(0, 100))
def test_the_digits_agree_with_the_word(relevance: float, percent: int) -> None:
    """A score shown as 0.12 with a threshold of 0.12 is relevant."""
    relevant_at = percent / 100
    number, _, word = scored(relevance, relevant_at).partition(" ")
    assert word == ("relevant" if relevance >= relevant_at else "not relevant")
    if abs(relevance - relevant_at) > 1e-5:
        assert (float(number) >= relevant_at) == (relevance >= relevant_at)
    assert abs(float(number) - relevance) <= 0.005 + 1e-12  # 0.12 and 0.125 are no binary numbers
