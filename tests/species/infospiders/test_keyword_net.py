"""The words near a link, and the net of one unit that estimates and learns."""

from __future__ import annotations

import math

import pytest
from crawled import to
from hypothesis import given, settings
from hypothesis import strategies as st

from evocrawl.relevance.lexicon import Lexicon
from evocrawl.species.infospiders.keyword_net import Net, near

WORDS = Lexicon("coral")
CONTEXT = "stone river bridge coral harbour market garden"


def test_words_are_kept_by_their_distance_in_words() -> None:
    """Those of the anchor have distance 1, the neighbours 2, up to the window."""
    link = to("x", "coral", CONTEXT)
    assert near(link, WORDS, 3).split("\n") == ["coral", "bridg harbour", "river market"]
    assert near(link, WORDS, 1) == "coral"


def test_common_words_are_left_out_but_count_for_the_distance() -> None:
    """The stone is two words away."""
    assert near(to("x", "coral", "coral of stone"), WORDS, 5).split("\n") == ["coral", "", "stone"]


def test_an_anchor_that_is_not_in_the_context_gives_the_only_words() -> None:
    """A link without words has none near it."""
    assert near(to("x", "coral reef", CONTEXT), WORDS, 5) == "coral reef"
    assert near(to("x", "", CONTEXT), WORDS, 5) == ""


def test_a_stuffed_anchor_is_read_in_part() -> None:
    """Repeated words have no effect."""
    assert near(to("x", "coral " * 1000), WORDS, 5).split() == ["coral"] * 16


def test_the_weight_of_a_keyword_depends_on_its_distance() -> None:
    """λ = tanh(b + Σ w/dist)."""
    net = Net({"coral": 0.5, "reef": -0.4}, 0.1)
    assert net.estimate("coral\nreef stone\ncoral") == pytest.approx(
        math.tanh(0.1 + 0.5 - 0.4 / 2 + 0.5 / 3)
    )
    assert net.estimate("") == pytest.approx(math.tanh(0.1))


def test_the_delta_rule_is_the_usual_one() -> None:
    """Δw = η (t − λ) (1 − λ²) in, also for the bias."""
    net = Net({"coral": 0.5, "reef": 0.2})
    output = math.tanh(0.5 + 0.5 / 2)
    net.learn("coral\ncoral", 0.1, 0.3)
    step = 0.3 * (0.1 - output) * (1 - output**2)
    assert net.weights == {"coral": pytest.approx(0.5 + step * 1.5), "reef": 0.2}
    assert net.bias == pytest.approx(step)


@pytest.mark.parametrize("target", [-0.5, 0.0, 0.8])
def test_learning_often_makes_the_estimate_the_target(target: float) -> None:
    """This holds for any estimate before."""
    net = Net({"coral": 1.0})
    for _ in range(2000):
        net.learn("coral", target, 0.1)
    assert net.estimate("coral") == pytest.approx(target, abs=0.01)


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b c", "a a a\nb", ""]), st.floats(-3, 3)), max_size=60
    ),
    st.floats(0, 10),
)
def test_weights_stay_bounded_for_any_lessons(
    lessons: list[tuple[str, float]], rate: float
) -> None:
    """B041: estimates lie in [−1, 1]."""
    net = Net({"a": 0.5, "b": -0.5})
    for words, target in lessons:
        net.learn(words, target, rate)
        assert all(abs(weight) <= 8 for weight in (*net.weights.values(), net.bias))
        assert -1 <= net.estimate(words) <= 1


@settings(max_examples=40)
@given(st.text(), st.text(), st.integers(1, 9))
def test_any_words_can_be_near_a_link(anchor: str, around: str, window: int) -> None:
    """There are at most as many distances as the window has, and each belongs to a word."""
    found = near(to("x", anchor, around + anchor + around), WORDS, window)
    assert len(found.split("\n")) <= window
    assert not found.endswith("\n")
