"""Words as numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.links.words import (
    ANCHOR,
    BUCKETS,
    LINK_WIDTH,
    PAGE_WORDS,
    URL,
    Hasher,
    plain,
    readable,
)


def test_a_word_is_the_same_number_in_anchor_url_and_page_once_made_plain() -> None:
    """So that a profile of pages can read links."""
    hasher = Hasher()
    anchor = np.array(hasher.link("Fossils", "", "")[: ANCHOR.width], np.uint16)
    url = np.array(hasher.url("/big/fossil"), np.uint16)
    page, _ = hasher.page("fossil", "")
    assert anchor[0] != url[1]
    assert plain(anchor, ANCHOR)[0] == plain(url, URL)[1] == page[0] > 0


def test_words_of_the_anchor_are_not_counted_in_its_context() -> None:
    """The anchor stands in the middle of its context."""
    hasher = Hasher()
    assert hasher.link("coral reef", "coral reef", "") == hasher.link("coral reef", "", "")


def test_the_words_of_a_page_are_those_mentioned_most_of_length_one() -> None:
    """A word in the title counts three times."""
    ids, weights = Hasher().page("coral", "stone stone apple")
    assert ids[0] == Hasher()["coral"]
    assert list(np.argsort(-weights[:3], kind="stable")) == [0, 1, 2]
    assert np.isclose(np.linalg.norm(weights), 1.0)
    assert not Hasher().page("", "")[1].any()


@given(st.text(), st.text(), st.text(), st.text())
def test_any_text_gives_rows_of_numbers_in_range(a: str, b: str, c: str, url: str) -> None:
    """Whatever strangers write."""
    hasher = Hasher()
    row = [*hasher.link(a, b, c), *hasher.url(readable(url))]
    assert len(row) == LINK_WIDTH + URL.width
    assert all(0 <= each < BUCKETS for each in row)
    ids, weights = hasher.page(a, b)
    assert ids.shape == weights.shape == (PAGE_WORDS,)
    assert np.isfinite(weights).all()


def test_a_url_is_read_without_its_ending() -> None:
    """And a malformed one not at all."""
    assert readable("http://a.test/Red_Kite.htm?x=1").split() == ["/Red", "Kite", "x=1"]
    assert readable("http://[/x") == readable("http://a.test/\x00") == ""
