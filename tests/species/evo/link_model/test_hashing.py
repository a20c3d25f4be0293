"""Words as numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.urls.readable import readable
from evocrawl.relevance.terms import Analyser
from evocrawl.species.evo.link_model import hashing
from evocrawl.species.evo.link_model.hashing import (
    ANCHOR_COLUMNS,
    LINK_WIDTH,
    PAGE_WORDS,
    URL,
    URL_COLUMNS,
    WIDTH,
    Hasher,
    plain,
)
from evocrawl.species.evo.link_model.latest_words import LatestWords

ENGLISH = Analyser("en")


def test_a_word_has_the_same_number_in_anchor_url_and_page() -> None:
    """So that a profile of pages can read links."""
    hasher = Hasher(ENGLISH)
    own, url = hasher.links([("Fossils", "", "")]), hasher.urls(["/big/fossil"])
    words = plain(np.concatenate((own, url), axis=1))[0]
    page, _ = hasher.page("fossil", "")
    assert own[0, 0] != url[0, 1]
    assert words[ANCHOR_COLUMNS][0] == words[URL_COLUMNS][1] == page[0] > 0


def test_words_of_the_anchor_are_not_counted_in_its_context() -> None:
    """The anchor is in the middle of its context."""
    hasher = Hasher(ENGLISH)
    with_context, without = hasher.links([("coral reef", "coral reef", ""), ("coral reef", "", "")])
    assert (with_context == without).all()


def test_the_words_of_a_page_are_its_most_frequent_ones() -> None:
    """A word in the title counts three times; the vector has length one."""
    ids, weights = Hasher(ENGLISH).page("coral", "stone stone apple")
    assert ids[0] == Hasher(ENGLISH)["coral"]
    assert list(np.argsort(-weights[:3], kind="stable")) == [0, 1, 2]
    assert np.isclose(np.linalg.norm(weights), 1.0)
    assert not Hasher(ENGLISH).page("", "")[1].any()


@given(st.text(), st.text(), st.text(), st.text())
def test_any_text_gives_rows_of_numbers_in_range(a: str, b: str, c: str, url: str) -> None:
    """This holds for hostile text, too."""
    hasher = Hasher(ENGLISH)
    links, urls = hasher.links([(a, b, c)] * 2), hasher.urls([readable(url)])
    assert links.shape == (2, LINK_WIDTH)
    assert urls.shape == (1, URL.width)
    assert links.dtype == urls.dtype == np.uint16
    assert (links[0] == links[1]).all()
    ids, weights = hasher.page(a, b)
    assert ids.shape == weights.shape == (PAGE_WORDS,)
    assert np.isfinite(weights).all()


@pytest.mark.parametrize(
    ("language", "anchor", "title"),
    [
        ("en", "Naïve Whales", "the naive whale"),
        ("de", "Die Häuser", "Haus"),
        ("hi", "हिन्दी भाषा", "हिंदी"),
        ("th", "โรงไฟฟ้าพลังงานลม", "พลังงานลม"),
        ("lo", "ກ່ຽວກັບພະລັງງານລົມ", "ພະລັງງານລົມ"),
        ("ja", "洋上風力", "風力発電"),
        ("ar", "الطاقةُ المتجدّدة", "الطاقة المتجددة"),
        ("ru", "Китами ещё", "кит еще"),
    ],
)
def test_words_of_a_link_and_of_a_page_match_in_any_language(
    language: str, anchor: str, title: str
) -> None:
    """They are the terms that relevance compares."""
    hasher = Hasher(Analyser(language))
    own = plain(np.concatenate((hasher.links([(anchor, "", "")]), hasher.urls([""])), axis=1))
    page, _ = hasher.page(title, "")
    assert set(own[0, ANCHOR_COLUMNS].tolist()) & set(page[page > 0].tolist())


def test_words_keep_their_numbers_when_the_cache_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are hashed once if they occur again before the cache is full a second time."""
    monkeypatch.setattr(hashing, "_KNOWN_WORDS", 4)
    met: list[str] = []
    hasher = Hasher(ENGLISH, lambda keys, _: met.extend(keys))
    words = ["coral", "reef", "coral", "stone", "road", "coral", "", "reef", "coral"]
    assert [hasher[word] for word in words] == [Hasher(ENGLISH)[word] for word in words]
    assert met == ["coral", "reef", "stone", "road"]
    assert len(hasher) <= 4


@given(st.lists(st.integers(0, 12), max_size=12))
def test_the_last_words_are_kept_in_their_order(sizes: list[int]) -> None:
    """However many are added at once."""
    kept, total = LatestWords(5), 0
    for size in sizes:
        kept.add(np.repeat(np.arange(total, total + size, dtype=np.uint16)[:, None], WIDTH, axis=1))
        total += size
        count = min(total, 5)
        assert kept.latest(count)[:, -1].tolist() == [*range(total - count, total)]
        assert min(total, 5) <= len(kept) <= 10
