"""Words of scripts without spaces, with dictionaries and without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.text import segmentation
from evocrawl.core.text.segmentation import dictionaries, segments
from evocrawl.core.text.words import pairs

needs_icu = pytest.mark.skipif(dictionaries() is None, reason="needs the extra segmentation")
RUNS = ["深海采矿的影响", "再生可能エネルギー", "พลังงานลมในทะเล", "ພະລັງງານລົມ", "ភាសាខ្មែរ", "한국어"]


@pytest.mark.parametrize("run", RUNS)
def test_without_dictionaries_each_pair_of_characters_is_a_word(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing needs to be installed."""
    monkeypatch.setattr(segmentation, "dictionaries", lambda: None)
    assert segments(run) == pairs(run)


@needs_icu
@pytest.mark.parametrize(
    ("run", "found"),
    [
        ("พลังงานลมในทะเล", ["พลังงาน", "ลม", "ใน", "ทะเล"]),
        ("ພະລັງງານລົມແລະແສງຕາເວັນ", ["ພະລັງງານ", "ລົມ", "ແລະ", "ແສງ", "ຕາເວັນ"]),
        ("ភាសាជាភាសា", ["ភាសា", "ជា", "ភាសា"]),
    ],
)
def test_dictionaries_find_words_of_thai_lao_and_khmer(run: str, found: list[str]) -> None:
    """They take the place of the pairs."""
    assert segments(run) == found


@needs_icu
def test_dictionaries_add_long_words_of_chinese_and_japanese() -> None:
    """The pairs stay, so that a word that is split in another way is found, too."""
    run = "再生可能エネルギー"
    assert segments(run) == [*pairs(run), "エネルギー"]


def test_korean_is_read_in_pairs() -> None:
    """Its particles follow the noun without a boundary."""
    assert segments("한국어는") == ["한국", "국어", "어는"]


@given(st.text("深海พลัງងานខ្មែរ한\U00020000", min_size=1))
def test_words_of_dictionaries_are_parts_of_the_run(run: str) -> None:
    """Characters outside the basic plane count as one."""
    assert all(word in run for word in segments(run))


@pytest.mark.parametrize("run", ["ツ", "鲸", "深海", "한국어", "བོད"])
def test_no_dictionary_is_loaded_for_text_that_it_cannot_split(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dictionary takes 9 MB of memory; a character in an English text needs none."""
    loaded: list[str] = []
    monkeypatch.setattr(segmentation, "dictionaries", lambda: loaded.append(run))
    assert segments(run) == pairs(run)
    assert loaded == []
