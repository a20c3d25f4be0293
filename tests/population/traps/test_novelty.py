"""The share of new content of pages."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evocrawl.core.model import Content
from evocrawl.population.traps.novelty import NoveltyIndex, NoveltyVerdict, alike

WORDS = np.array([f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "lmnrst"])


def prose(rng: np.random.Generator, words: int = 200) -> str:
    """Return some sentences."""
    return " ".join(rng.choice(WORDS, words))


def verdict_of(
    novelty: NoveltyIndex, name: str, text: str, title: str = "", kind: str = "a.test/"
) -> NoveltyVerdict:
    """Return the verdict on a page, and add the page."""
    content = Content(title, text)
    found = novelty.look(name.encode(), kind, content)
    novelty.add(name.encode(), kind, content)
    return found


def test_a_copy_is_not_new_and_names_its_original(rng: np.random.Generator) -> None:
    """Case, punctuation and white space make no difference."""
    novelty, text = NoveltyIndex(), prose(rng)
    assert verdict_of(novelty, "1", text).is_new
    copy = verdict_of(novelty, "2", text.upper().replace(" ", ",\n"))
    assert (copy.is_new, copy.twin, copy.novelty) == (False, b"1", 0.0)


@pytest.mark.parametrize("kind", ["a.test/", "a.test/?s"])
def test_generated_ids_of_a_response_are_not_new(rng: np.random.Generator, kind: str) -> None:
    """B112: ids of sessions and requests, also in a shown address; a long word is no id."""
    novelty, text = NoveltyIndex(), prose(rng, 60)
    for number, made_up in enumerate(
        ("0123456789abcdef", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/s/lit3py55t21z5v55vlm25s55/")
    ):
        found = verdict_of(novelty, str(number), f"{text} Request: {made_up}. {text}", kind=kind)
        assert found.is_new is (number == 0)
    long = "珊瑚礁在海水变暖时会白化" * 2 + " donaudampfschifffahrt" * 2
    assert verdict_of(novelty, "long", f"{text} {long}", kind=kind).is_new


def test_a_near_copy_is_not_new(rng: np.random.Generator) -> None:
    """Some words differ."""
    novelty, text = NoveltyIndex(), prose(rng, 400)
    verdict_of(novelty, "1", text)
    words = text.split()
    words[7] = words[300] = "otherwise"
    near = verdict_of(novelty, "2", " ".join(words))
    assert (near.is_new, near.twin) == (False, b"1")
    assert 0 < near.novelty < 0.05


def test_a_list_of_known_entries_is_not_new(rng: np.random.Generator) -> None:
    """The products of a shop, filtered by another criterion."""
    novelty, things = NoveltyIndex(), [prose(rng, 120) for _ in range(20)]
    verdict_of(novelty, "1", " ".join(things[:12]))
    verdict_of(novelty, "2", " ".join(things[8:]))
    assert verdict_of(novelty, "3", " ".join(things[::-1])).is_new is False


def test_a_page_with_a_new_paragraph_is_new(rng: np.random.Generator) -> None:
    """Even if all else is repeated."""
    novelty, text = NoveltyIndex(), prose(rng, 3000)
    verdict_of(novelty, "1", text)
    assert verdict_of(novelty, "2", f"{text} {prose(rng, 120)}").is_new


def test_a_page_that_repeats_itself_is_not_new() -> None:
    """R17: keywords are repeated five thousand times."""
    found = verdict_of(NoveltyIndex(), "1", "coral bleaching " * 5000)
    assert (found.is_new, found.twin) == (False, None)


def test_pages_that_differ_only_in_numbers_are_copies_if_their_address_has_a_query() -> None:
    """B110: a calendar; numbered pages without a query are pages."""
    novelty = NoveltyIndex()
    for kind, differ in (("a.test/?y", False), ("a.test/n/#", True)):
        assert verdict_of(novelty, f"{kind}1", f"{kind} in 2025", kind=kind).is_new
        assert verdict_of(novelty, f"{kind}2", f"{kind} in 2026", kind=kind).is_new is differ


def test_short_pages_are_compared_by_title_and_text() -> None:
    """A short page does not count as a copy because it is short."""
    novelty = NoveltyIndex()
    assert verdict_of(novelty, "1", "Buy now", "Red").is_new
    assert verdict_of(novelty, "2", "Buy now", "Blue").is_new
    assert verdict_of(novelty, "3", "buy  NOW", "Red").twin == b"1"


def test_the_novelty_of_a_page_without_text_is_unknown() -> None:
    """It is neither new nor barren."""
    novelty = NoveltyIndex()
    assert verdict_of(novelty, "1", "").is_new is verdict_of(novelty, "2", "").is_new is None


def test_a_page_is_not_compared_with_itself(rng: np.random.Generator) -> None:
    """It may be fetched again."""
    novelty, text = NoveltyIndex(), prose(rng)
    verdict_of(novelty, "1", text)
    assert verdict_of(novelty, "1", text).is_new


def test_a_word_is_new_once(rng: np.random.Generator) -> None:
    """The shares are of different words."""
    novelty, text = NoveltyIndex(), prose(rng)
    assert verdict_of(novelty, "1", text).new_words == 1
    assert verdict_of(novelty, "2", " ".join(reversed(text.split()))).new_words == 0


@pytest.mark.parametrize("pages", [300])
def test_pages_of_one_vocabulary_are_no_copies(rng: np.random.Generator, pages: int) -> None:
    """The same words in another order are another text."""
    novelty = NoveltyIndex()
    assert all(verdict_of(novelty, str(number), prose(rng)).is_new for number in range(pages))


@example([("mer \u00e9 \ud800 profonde", "\udfff")], False)
@given(st.lists(st.tuples(st.text(max_size=300), st.text(max_size=9)), max_size=6), st.booleans())
def test_any_text_gets_a_verdict(texts: list[tuple[str, str]], has_query: bool) -> None:
    """Shares stay in [0, 1]; a second copy is not new."""
    novelty, kind = NoveltyIndex(), "a.test/?x" if has_query else "a.test/"
    for number, (text, title) in enumerate(texts):
        found = verdict_of(novelty, str(number), text, title, kind)
        assert 0 <= found.novelty <= 1
        assert found.new_words is None or 0 <= found.new_words <= 1
        again = verdict_of(novelty, f"{number} again", text, title, kind)
        assert again.is_new is (None if not text and not title else False)


def test_pages_with_nearly_the_same_text_are_similar(rng: np.random.Generator) -> None:
    """Except numbers, and a tenth of it; a server may repeat the requested address."""
    text = prose(rng)
    asked = Content("Oh", f"No page 17 here. {text}")
    assert alike(asked, Content("Oh", f"No page 4711 here. {text}"))
    assert alike(Content("Oh", "Not here: 1"), Content("Oh", "not here: 2"))
    assert not alike(asked, Content("Oh", prose(rng)))
    assert not alike(asked, Content("Oh", ""))
    assert not alike(Content("Oh", "Not here"), Content("Well", "Not here"))
