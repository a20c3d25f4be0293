"""The words of texts in any script."""

from __future__ import annotations

import re
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.text.words import (
    iter_words,
    pairs,
    rough_words,
    rough_words_of_bytes,
    rough_words_of_each,
    signs,
    whole_words,
    words,
)


@given(st.text(st.characters(max_codepoint=127)))
def test_words_of_ascii_are_the_runs_of_letters_and_digits(text: str) -> None:
    """The bytes give the same words as the characters."""
    assert words(text) == re.findall(r"[^\W_]+", text.lower())


@given(st.lists(st.text("aB9 -\0\n\u00a0\ud800é鲸")))
def test_texts_are_split_together_as_they_are_one_by_one(texts: list[str]) -> None:
    """Also a text that has the sign which is put between two texts."""
    assert rough_words_of_each(texts) == [*map(rough_words, texts)]


@given(st.text("abÉéßдЖ9_-.\u00a0\ud800 "))
def test_words_are_the_runs_of_letters_and_digits(text: str) -> None:
    """In any script with spaces; `ß` is folded to `ss`."""
    assert words(text) == re.findall(r"[^\W_]+", text.casefold())


@pytest.mark.parametrize(
    "word",
    ["தமிழ்நாடு", "לָמָּה", "الْعَرَبِيَّة", "हिन्दी", "co\u0301ral", "İstanbul", "mi\u200bning",
     "deep\u00adsea", "ಕನ್ನಡ", "മലയാളം", "తెలుగు", "සිංහල", "ਪੰਜਾਬੀ", "አማርኛ", "Հայերեն", "ქართული"],
)  # fmt: skip
def test_marks_and_joiners_split_no_word(word: str) -> None:
    """Vowel signs, points and accents belong to the letter before them."""
    assert len(words(word)) == 1
    assert words(f"see {word}, x")[1:2] == words(word)


@pytest.mark.parametrize(
    "sentence",
    ["प्रवाल विरंजन।समुद्र", "深海。采矿", "သန္တာ။ကျောက်", "ភ្លៀង។ទឹក", "བོད་སྐད།", "“whale”—shark",
     "ray’s", "دریا،ماهی", "אלמוגים־ים", "سمك؟بحر"],
)  # fmt: skip
def test_punctuation_of_any_script_separates(sentence: str) -> None:
    """Danda, full stops and commas are in no word."""
    assert len(words(sentence)) > 1
    assert all(not re.search(r"[।。။។།”—’،־؟]", word) for word in words(sentence))


@pytest.mark.parametrize(
    ("run", "seen"),
    [
        ("น้ำแข็ง", ["น้ำ", "แ", "ข็", "ง"]),
        ("ខ្មែរ", ["ខ្មែ", "រ"]),
        ("深海", ["深", "海"]),
        ("が", ["が"]),
        ("မြန်မာ", ["မြ", "န်", "မ", "ာ"]),
    ],
)
def test_characters_keep_their_marks_and_subscript_letters(run: str, seen: list[str]) -> None:
    """No vowel, tone mark or coeng is separated."""
    assert signs(run) == seen
    assert "".join(signs(run)) == run


def test_pairs_overlap_by_one_character() -> None:
    """A run of one character is one word."""
    assert pairs("深海采矿") == ["深海", "海采", "采矿"]
    assert pairs("น้ำ") == ["น้ำ"]


@pytest.mark.parametrize(
    ("run", "found"),
    [
        ("サンゴの白化", ["サン", "ンゴ", "白化"]),
        ("猫の病気", ["猫", "病気"]),
        ("コーヒーを飲む", ["コー", "ーヒ", "ヒー", "飲む"]),
        ("りんごジャム", ["りん", "んご", "ジャ", "ャム"]),
        ("気温が上がる", ["気温", "上が", "がる"]),
        ("増やす", ["増や", "やす"]),
        ("食べ物", ["食べ", "べ物"]),
        ("きのこ", ["きの", "のこ"]),
        ("の", ["の"]),
        ("のは", ["のは"]),
        ("らーめん", ["らー", "ーめ", "めん"]),
    ],
)
def test_no_pair_crosses_a_japanese_particle(run: str, found: list[str]) -> None:
    """A word in hiragana, or one that ends in it, stays in one piece."""
    assert pairs(run) == found


@given(st.text("サンの白がるりー珊x é。"))
def test_words_are_found_one_by_one_and_by_bytes_as_well(text: str) -> None:
    """One by one, for code that needs only the first; as bytes, for code that hashes them."""
    assert [*iter_words(text)] == words(text)
    assert [each.decode() for each in rough_words_of_bytes(text.encode())] == rough_words(text)
    assert {word for word, is_packed in whole_words(text) if not is_packed} <= {*words(text)}


@pytest.mark.parametrize(
    ("one", "other"),
    [("深海采矿的影响", "关于深海采矿"), ("พลังงานลม", "โรงไฟฟ้าพลังงานลม"), ("風力発電", "洋上風力"),
     ("ພະລັງງານລົມແລະແສງຕາເວັນ", "ກ່ຽວກັບພະລັງງານລົມແລະແສງຕາເວັນ"),
     ("풍력발전", "해상풍력발전소"), ("ថាមពលខ្យល់", "អំពីថាមពលខ្យល់")],
)  # fmt: skip
def test_texts_of_scripts_without_spaces_share_words(one: str, other: str) -> None:
    """A whole sentence as one word would never be found again."""
    assert len(words(one)) > 1
    assert set(words(one)) & set(words(other))


@pytest.mark.parametrize("text", ["córal naïve Ångström", "Việt Nam", "їжак", "がぎぐ", "য়"])
def test_composed_and_decomposed_words_are_one(text: str) -> None:
    """Both are ways to write the same word."""
    assert words(normalize("NFC", text)) == words(normalize("NFD", text))
