"""Marks of a user move the query of "tfidf" towards pages like those that were marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.model import Content
from evocrawl.relevance.mix import MeanScore, MixedModel
from evocrawl.relevance.tfidf import TfIdf

REEF = Content(
    "Reef", "The coral reef suffers from bleaching; zooxanthellae leave the polyps. " * 3
)
POLYPS = Content("Polyps", "Zooxanthellae and polyps live in symbiosis; polyps are small animals.")
HAIR = Content("Hair", "Bleaching of hair with peroxide: the hairdresser does the bleaching.")
TRAINS = Content("Trains", "Timetables of trains and railway stations.")


def test_pages_like_a_marked_one_get_higher_scores() -> None:
    """Also those that share no word with the query.

    A page marked as not relevant gets a lower one.
    """
    model = TfIdf("coral bleaching")
    assert model.page(POLYPS) == 0
    hair, reef = model.page(HAIR), model.page(REEF)
    assert model.link("polyps", "") == 0
    model.learn(REEF, True)
    assert model.page(POLYPS) > 0.02
    assert model.link("polyps", "") > 0
    assert model.page(REEF) >= 0.99 * reef
    assert model.page(TRAINS) == 0
    middle = model.page(HAIR)
    assert middle < hair
    model.learn(HAIR, False)
    assert model.page(HAIR) <= middle


def test_the_scores_of_marked_pages_do_not_change() -> None:
    """So a threshold of relevance stays valid."""
    model = TfIdf("coral bleaching")
    before = model.page(REEF)
    model.learn(REEF, True)
    assert abs(model.page(REEF) - before) < 1e-6


def test_a_mix_teaches_its_parts() -> None:
    parts = [TfIdf("coral"), TfIdf("bleaching")]
    model = MeanScore([MixedModel("tfidf", 1.0, part) for part in parts])
    model.learn(REEF, True)
    assert all(part.page(POLYPS) > 0 for part in parts)


@given(st.lists(st.tuples(st.text(max_size=60), st.booleans()), max_size=8), st.text(max_size=60))
def test_any_marks_leave_scores_between_0_and_1(marks: list[tuple[str, bool]], text: str) -> None:
    model = TfIdf("coral bleaching")
    for marked, relevant in marks:
        model.learn(Content(marked, marked), relevant)
    for score in (model.page(Content(text, text)), model.link(text, text), model.page(REEF)):
        assert 0 <= score <= 1
    assert model.page(REEF) > 0
