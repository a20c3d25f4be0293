"""One spelling for each word."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.text.spelling import plain_arabic, spelt, without_accents


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("الْعَرَبِيَّة", "العربية", "ar"),  # harakat
        ("العـــربية", "العربية", "ar"),  # tatweel
        ("أحمد", "احمد", "ar"),  # hamza on alef
        ("ﻛﺘﺎب", "كتاب", "ar"),  # presentation forms
        ("کتاب", "كتاب", "ar"),  # a Persian kaf in an Arabic text
        ("كتاب", "کتاب", "fa"),
        ("علي", "علی", "ur"),
        ("שָׁלוֹם", "שלום", "he"),  # niqqud
        ("אַלְמֻגִּים", "אלמוגים", "he"),  # u is a letter where there are no points
        ("हिन्दी", "हिंदी", "hi"),  # a nasal before its class
        ("सम्बन्ध", "संबंध", "hi"),
        ("ज़्यादा", "ज्यादा", "hi"),  # nukta
        ("ज़", "\u095b", "hi"),  # composed and decomposed nukta
        ("चाँद", "चांद", "hi"),  # candrabindu
        ("श्री\u200dमान", "श्रीमान", "hi"),  # ZWJ
        ("ന്\u200d", "ൻ", "ml"),  # chillu
        ("ত্\u200d", "ৎ", "bn"),  # khanda ta
        ("২০২৪", "2024", "bn"),
        ("۲۰۲۴", "2024", "fa"),
        ("ΜΈΛΙΣΣΑΣ", "μελισσας", "el"),  # tonos and final sigma
        ("Μαΐου", "μαιου", "el"),
        ("ёлка", "елка", "ru"),
        ("Моско\u0301вский", "московский", "ru"),  # a stress mark
        ("STRASSE", "straße", "de"),
        ("ＦＵＬＬ－width", "full-width", "en"),
        ("co\u0301ral", "córal", "fr"),
        ("がぎ", "か\u3099き\u3099", "ja"),
        ("ｶﾞｷﾞ", "ガギ", "ja"),
    ],
)
def test_spellings_that_writers_choose_freely_are_one(one: str, other: str, language: str) -> None:
    """A query in one spelling finds pages in the other."""
    assert spelt(one, language) == spelt(other, language)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("мой", "мои", "ru"),  # й is a letter, no и with a mark
        ("ёй", "ей", "be"),  # Belarusian has both letters
        ("ќ", "к", "mk"),
        ("їжак", "іжак", "uk"),
        ("কড়া", "কডা", "bn"),  # Bengali always writes the dot
        ("か", "が", "ja"),
        ("अन्न", "अंन", "hi"),
    ],
)
def test_letters_that_differ_stay_different(one: str, other: str, language: str) -> None:
    """A mark that makes another letter is kept."""
    assert spelt(one, language) != spelt(other, language)


@pytest.mark.parametrize(("written", "parts"), [("می‌خواهم", 2), ("کتاب‌ها", 2), ("क्‌ष", 1)])
def test_a_zero_width_non_joiner_separates_words_in_arabic_script_only(
    written: str, parts: int
) -> None:
    """Persian uses it like a space; Indic scripts use it to shape a syllable."""
    assert len(spelt(written, "fa").split()) == parts


def test_yeh_kaf_and_heh_are_one_letter_each_after_stemming() -> None:
    """So that names are the same in Arabic and Persian."""
    assert plain_arabic("مدرسة") == plain_arabic("مدرسه")
    assert plain_arabic("علی") == plain_arabic("علي") == plain_arabic("على")


@pytest.mark.parametrize(
    ("word", "keep", "bare"),
    [
        ("écologique", "", "ecologique"),
        ("łódź", "", "lodz"),
        ("øl", "", "ol"),
        ("œuvre", "", "oeuvre"),
        ("smörgås à", "åäö", "smörgås a"),
        ("ñandú", "ñ", "ñandu"),
        ("Việt", "", "Viet"),
        ("ёлка", "", "ёлка"),
        ("がぎ", "", "がぎ"),
    ],
)
def test_accents_go_from_latin_letters_alone(word: str, keep: str, bare: str) -> None:
    """Letters that differ in a language are kept."""
    assert without_accents(word, keep) == bare


@given(st.text(max_size=300), st.sampled_from(["", "en", "ar", "fa", "hi", "be", "tr"]))
def test_a_spelling_is_in_normal_form_and_its_own_spelling(word: str, language: str) -> None:
    """No text raises an error."""
    once = spelt(word, language)
    assert unicodedata.is_normalized("NFKC", once)
    assert spelt(once, language) == once
    assert unicodedata.is_normalized("NFKC", without_accents(once))
