"""The scores that a lexicon gives to short texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.relevance.lexicon import Lexicon

ENGLISH = Lexicon("the coral reefs")


def test_the_query_is_its_terms_without_those_of_every_text() -> None:
    """They are compared as stems; words such as "the" are left out."""
    assert ENGLISH.query == ("coral", "reef")
    assert "the" in ENGLISH.common


def test_terms_are_read_in_their_order_with_repetitions() -> None:
    """Distances are counted in terms."""
    assert ENGLISH.read("Reefs: the coral's reef") == ["reef", "the", "coral", "s", "reef"]
    assert ENGLISH.count("Reefs: the coral's reef")["reef"] == 2


def test_scripts_without_spaces_are_read_in_pairs() -> None:
    """A query of one character matches them."""
    assert Lexicon("鲸").read("鲸鱼") == ["鲸鱼", "鲸"]


def test_terms_without_a_topic_have_no_weight() -> None:
    """Common words, numbers and single letters; a rare word weighs more than a known one."""
    assert [ENGLISH.weight(term) for term in ("the", "1998", "x")] == [0.0, 0.0, 0.0]
    assert 0 < ENGLISH.weight("water") < ENGLISH.weight("coral")


def test_an_empty_query_has_no_terms() -> None:
    """Crawls without a query have none."""
    assert Lexicon("").query == ()


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    """Reading and counting agree, and terms have no white space."""
    terms = ENGLISH.read(text)
    assert sum(ENGLISH.count(text).values()) == len(terms)
    assert all(term and term.split() == [term] for term in terms)
