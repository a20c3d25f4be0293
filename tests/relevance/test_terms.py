"""How text becomes terms."""

from __future__ import annotations

import unicodedata
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.relevance import terms as terms_module
from evocrawl.relevance.query_language import language_of
from evocrawl.relevance.terms import Analyser, letters_of


def terms(text: str, language: str = "en") -> dict[str, int]:
    """Return the counted terms of `text`."""
    analyser = Analyser(language)
    return analyser.count(analyser.words(text))


def test_invisible_characters_join_the_word_they_stand_in() -> None:
    """B031: soft hyphens and zero-width spaces do not separate words."""
    assert terms("deep\u00adsea mi\u200bning") == {"deepsea": 1, "mine": 1}


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_composed_and_decomposed_letters_are_one_term(language: str) -> None:
    """B031: NFC and NFD spell the same word."""
    assert list(terms("café cafe\u0301", language).values()) == [2]


def test_accents_are_optional_where_writers_leave_them_out() -> None:
    """URLs and queries in French and Spanish leave them out; in Swedish they make other letters."""
    assert terms("café cafe", "en") == {"cafe": 2}
    assert len(terms("écologique ecologique", "fr")) == 1
    assert len(terms("oceánico oceanico", "es")) == 1
    assert len(terms("caña cana", "es")) == 2
    assert len(terms("får far", "sv")) == 2


def test_dotted_capital_i_is_an_i() -> None:
    """B031: `İstanbul` is one word, the same as `Istanbul`, in English and in Turkish spelling."""
    assert terms("İstanbul Istanbul I\u0307STANBUL") == {"istanbul": 3}
    assert terms("İstanbul istanbul", "tr") == {"istanbul": 2}


def test_turkish_capital_i_has_no_dot() -> None:
    """`IRMAK` (river) is `ırmak`."""
    assert terms("IRMAK ırmak", "tr") == {"ırmak": 2}


def test_punctuation_separates_words_ascii_or_not() -> None:
    """Typographic quotes, dashes, ellipses and apostrophes are no letters."""
    assert terms("“whale”—shark…ray’s low/high") == dict.fromkeys(
        ["whale", "shark", "ray", "s", "low", "high"], 1
    )


def test_marks_do_not_split_words() -> None:
    """Vowel signs of Hindi are marks, not letters, and belong to the word."""
    assert sum(terms("हिन्दी भाषा", "hi").values()) == 2


def test_inflected_words_share_a_stem() -> None:
    """By Snowball, in the query's language."""
    assert terms("mining mined mines") == {"mine": 3}
    assert len(terms("Häuser Hauses", "de")) == 1


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("深海采矿", ["深海", "海采", "采矿"]),
        ("ปลา", ["ปล", "ลา"]),
        ("鲸", ["鲸"]),
        ("テスト", ["テス", "スト"]),
    ],
)
def test_scripts_without_spaces_give_pairs_of_characters(
    text: str, pairs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A single character is a term. This is without the dictionaries of an extra."""
    monkeypatch.setattr("evocrawl.core.text.segmentation.dictionaries", lambda: None)
    assert list(terms(text, "zh")) == pairs


def test_scripts_mix_within_a_text() -> None:
    """Latin words inside Chinese text are words."""
    assert terms("深海mining研究", "en") == {"深海": 1, "mine": 1, "研究": 1}


def test_wanted_letters_count_besides_the_pairs() -> None:
    """A query of one character matches it within longer words."""
    assert letters_of(["鲸", "深海", "c"]) == {"鲸"}
    analyser = Analyser("zh", frozenset("鲸"))
    assert analyser.count(["鲸鱼"]) == {"鲸鱼": 1, "鲸": 1}


@pytest.mark.parametrize(
    "word",
    ["e" + "\u0301\u0323" * 50_000, "\u0301" * 100_000, "\ufdfa" * 100_000, "é" * 100_000],
    ids=["marks on a letter", "marks alone", "a character that expands", "one long word"],
)
def test_hostile_words_are_read_in_bounded_parts(word: str) -> None:
    """Read as a whole, each would take seconds or minutes."""
    found = Analyser("en").terms(word)
    assert len(found) <= 40_000
    assert max(map(len, found), default=0) <= 2_000


def test_a_long_sentence_is_read_to_its_end() -> None:
    """Parts lose only the pair across their border."""
    assert terms("深海采矿" * 1000 + "鲸鱼", "zh")["鲸鱼"] == 1


@given(st.text("abs 鲸鱼Éß") | st.text())
def test_few_words_are_counted_in_the_same_order_as_many(text: str) -> None:
    """So sums over them are the same to the last bit."""
    analyser = Analyser("en")
    words = analyser.words(text)
    assert [*analyser.count_few(words).items()] == [*analyser.count(words).items()]


def test_memory_is_bounded_by_forgetting_without_changing_the_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A crawl always finds new words."""
    monkeypatch.setattr("evocrawl.relevance.terms._KNOWN_WORDS", 3)
    analyser = Analyser("en")
    text = "one two three four five whales whale"
    assert analyser.count(analyser.words(text)) == terms(text)
    assert len(analyser._known) <= 3


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("深海采矿", "zh"),
        ("深海の採鉱", "ja"),
        ("심해", "ko"),
        ("глубина", "ru"),
        ("deep sea", "en"),
    ],
)
def test_the_language_of_a_query_is_found_by_its_script(query: str, language: str) -> None:
    """Latin letters alone count as English."""
    assert language_of(query) == language


@given(st.text(max_size=200))
def test_any_text_gives_terms_without_spaces_and_in_normal_form(text: str) -> None:
    """No text raises an error, and no term is empty."""
    for term in terms(text, "xx"):
        assert term
        assert not any(character.isspace() for character in term)
        assert unicodedata.is_normalized("NFKC", term)


def test_words_are_remembered_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that occur again are kept, others are removed, and the terms stay the same."""
    monkeypatch.setattr(terms_module, "_KNOWN_WORDS", 10)
    stemmed: list[str] = []

    def stem(word: str) -> str:
        stemmed.append(word)
        return word.removesuffix("s")

    analyser = Analyser("en", stem=stem)
    for number in range(100):
        assert analyser.read(["reefs", f"w{number}s"]) == ["reef", f"w{number}"]
    assert stemmed.count("reefs") == 1
    assert len(analyser._known) + len(analyser._known._before) <= 20


@pytest.mark.parametrize("language", ["en", "de", "tr", "he", "th"])
@given(text=st.text("aIs İi\u0307-έл鲸ไฟฟ้", max_size=40))
def test_texts_are_read_together_as_they_are_one_by_one(language: str, text: str) -> None:
    """Their words are the same, the first term of each word, known or not, and who has a term."""
    once, often = Analyser(language), Analyser(language)
    words = once.words(text)
    assert once.words_of_each([text, "", text]) == [words, [], words]
    firsts = [(*often.terms(word), "")[0] for word in words]
    assert once.first_terms(words) == often.first_terms(words) == firsts
    terms = {*chain.from_iterable(map(often.terms, words[::2]))}
    having = {word for word in words if not terms.isdisjoint(often.terms(word))}
    assert once.having(terms, words) == often.having(terms, {*words}) == having
