"""Models that are not ours."""

import math
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.model import Content
from evocrawl.relevance import create, registry
from evocrawl.relevance.base import bounded, met_by

WILD = [math.nan, math.inf, -math.inf, 1e300, -1.0, 2]


class Wild:
    """A model that returns the number in the text or anchor."""

    reads: frozenset[str] = frozenset()

    def __init__(self, query: str, language: str = "") -> None:  # noqa: ARG002
        self.query = query

    def page(self, content: Content) -> float:
        return float(content.text)

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        return float(anchor)


@pytest.mark.parametrize("score", WILD)
def test_what_another_package_scores_is_kept_in_the_unit_interval(
    monkeypatch: pytest.MonkeyPatch, score: float
) -> None:
    """R17: no NaN reaches a rank, a price or an export."""
    ours = registry._known()
    wild = EntryPoint("wild", "test_bounded:Wild", registry.GROUP)
    monkeypatch.setattr(registry, "_known", lambda: {**ours, "wild": wild})
    model = create("wild", "coral")
    assert 0 <= model.page(Content(text=str(score))) <= 1
    assert 0 <= model.link(str(score), "") <= 1
    assert model.page(Content(text="0.25")) == model.link("0.25", "") == 0.25


@pytest.mark.parametrize(
    ("answer", "met"),
    [([1, 0], [True, False]), ([], [True, True]), ([True] * 3, [True, True]), (7, [True, True])],
)
def test_a_model_may_say_which_links_it_need_not_score(
    monkeypatch: pytest.MonkeyPatch, answer: object, met: list[bool]
) -> None:
    """Where its answer does not fit the texts, each link is scored."""
    wild = EntryPoint("wild", "test_bounded:Wild", registry.GROUP)
    monkeypatch.setattr(registry, "_known", lambda: {**registry._OURS, "wild": wild})
    model = create("wild", "coral")
    assert [*met_by(model, ["a", "b"])] == [True, True]
    monkeypatch.setattr(Wild, "meets", lambda *_: answer, raising=False)
    assert [*met_by(model, ["a", "b"])] == met


class Broken(Wild):
    """A model that gives no number, or raises an exception."""

    def page(self, content: Content) -> float:
        return None if content.text else 1 / 0  # type: ignore[return-value]


def test_a_model_that_fails_scores_0_and_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The crawl goes on, with the other models of the mix."""
    broken = EntryPoint("broken", "test_bounded:Broken", registry.GROUP)
    monkeypatch.setattr(registry, "_known", lambda: {**registry._OURS, "broken": broken})
    model = create("broken", "coral")
    assert [model.page(Content(text=text)) for text in ("", "coral")] == [0, 0]
    assert model.link("coral", "") == 0
    assert [each.getMessage() for each in caplog.records] == [
        "relevance: the model Broken failed; the score is 0"
    ]
    assert create("tfidf+broken", "coral").page(Content("", "coral " * 9, "en")) > 0


@given(st.floats())
def test_bounds_keep_what_is_within(score: float) -> None:
    """R17: anything else becomes the nearest bound, or 0."""
    kept = bounded(score)
    assert kept == score if 0 <= score <= 1 else kept in (0.0, 1.0)
