"""Shark-Search: the scores of the paper's figure 2, and the inherited score."""

import pytest
from crawled import Pages, WordsAreNumbers, order, to

from evocrawl.core.model import Lead, Page
from evocrawl.species.shark_search import Scent

SHARK = Scent(WordsAreNumbers(), 0.5, 0.8, 0.5)


def page(relevance: float) -> Page:
    """Return a page of this relevance."""
    return Page("http://a.test/", b"page", relevance, 0.0)


def via(inherited: float) -> Lead:
    """Return the lead to a page, with an inherited score."""
    return Lead("http://a.test/", b"page", "a.test", b"", 1, 0.0, features=inherited)


@pytest.mark.parametrize(
    ("relevance", "anchor", "context", "score", "inherited"),
    [
        (0.6, "", "", 0.5 * 0.3, 0.3),
        (0.0, "", "", 0.5 * 0.2, 0.2),
        (0.6, "0.5", "0.1", 0.5 * 0.3 + 0.5 * (0.8 * 0.5 + 0.2), 0.3),
        (0.6, "", "0.5", 0.5 * 0.3 + 0.5 * 0.2 * 0.5, 0.3),
        (0.0, "1", "1", 0.5 * 0.2 + 0.5, 0.2),
    ],
)
def test_the_score_is_that_of_the_paper(
    relevance: float, anchor: str, context: str, score: float, inherited: float
) -> None:
    """Computed by hand with δ = 0.5, β = 0.8, γ = 0.5; a word in the anchor makes the context 1."""
    link = to("x", anchor, context)
    assert SHARK.appraise(link, page(relevance), via(0.4)) == pytest.approx((score, inherited))


def test_an_inherited_score_lasts_over_pages_without_relevance() -> None:
    """Two steps after a relevant page are better than one step after none."""
    web: Pages = {
        "seed": (0.0, [to("good"), to("void", "0.1", "0.1")]),
        "void": (0.0, [to("lost"), to("lost2")]),
        "good": (0.9, [to("dry")]),
        "dry": (0.0, [to("behind")]),
        "behind": (0.0, [to("far")]),
        "far": (0.0, []),
        "lost": (0.0, []),
        "lost2": (0.0, []),
    }
    visited = order("shark_search", web)
    assert visited == ["seed", "void", "good", "dry", "behind", "far", "lost", "lost2"]
