"""The language of a query, and pages in another one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from evocrawl.relevance import create, query_language
from evocrawl.relevance.language_check import LanguageCheck, check_for, name_of
from evocrawl.relevance.query_language import language_of
from evocrawl.relevance.vectors.table import save_table
from evocrawl.relevance.word_lists import frequency_list

OWN = "tfidf+relevance_models.Longest"


@pytest.fixture(scope="module", autouse=True)
def word_lists_in_memory() -> Iterator[None]:
    """Read the list of each language once: most queries are compared with 26 of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query_language, "frequency_list", cache(frequency_list))
        yield


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("coral bleaching", "en"),
        ("full-text search", "en"),
        ("C R", "en"),
        ("xylophone zzyzx", "en"),
        ("silokus vokemum timefet", "en"),
        ("", "en"),
        ("1984", "en"),
        ("x" * 200_000, "en"),
        ("Korallenbleiche", "de"),
        ("Balkonkraftwerk", "de"),
        ("changement climatique", "fr"),
        ("calentamiento oceanico", "es"),
        ("sbiancamento dei coralli", "it"),
        ("mudanças climáticas", "pt"),
        ("duurzame energie", "nl"),
        ("förnybar energi", "sv"),
        ("uusiutuva energia", "fi"),
        ("zmiany klimatu", "pl"),
        ("změna klimatu", "cs"),
        ("iklim değişikliği", "tr"),
        ("perubahan iklim", "id"),
        ("biến đổi khí hậu", "vi"),
        ("изменение климата", "ru"),
        ("зміна клімату", "uk"),
        ("سفید شدن مرجان‌ها", "fa"),
        ("ابيضاض المرجان", "ar"),
        ("ปะการังฟอกขาว", "th"),
        ("ປະກາລັງຟອກຂາວ", "lo"),
        ("ផ្កាថ្ម", "km"),
        ("サンゴの白化", "ja"),
    ],
)
def test_the_language_of_a_query_is_found_by_script_and_words(query: str, language: str) -> None:
    """It is not read as English if its words are those of another language."""
    assert language_of(query) == language


@pytest.mark.parametrize(
    "query",
    [
        "gift",
        "chat",
        "kind",
        "Python",
        "reefs",
        "bitcoin wallet",
        "taskbar panel dock",
        "tofu marinade",
    ],
)
def test_words_of_several_languages_are_english(query: str) -> None:
    """The option `language` names another one."""
    assert language_of(query) == "en"


def test_a_crawl_is_warned_once_of_pages_in_another_language() -> None:
    """The warning names both languages and what to do."""
    check = LanguageCheck("en")
    warnings = list(filter(None, (check.add("de") for _ in range(100))))
    assert len(warnings) == 1
    assert "German (de)" in warnings[0]
    assert "English (en)" in warnings[0]
    assert "language=de" in warnings[0]


@pytest.mark.parametrize(
    "languages",
    [["en"] * 50, ["de", "en"] * 50, ["de"] * 7 + ["en"] * 93, [""] * 100, ["de"] * 7],
    ids=["own", "mixed", "few at first", "unknown", "too few"],
)
def test_there_is_no_warning_if_pages_of_the_query_s_language_are_found(
    languages: list[str],
) -> None:
    """A few pages are not enough, and pages of unknown language do not count."""
    check = LanguageCheck("en")
    assert not any(check.add(language) for language in languages)


def test_codes_of_one_language_are_one() -> None:
    """Norwegian pages have three codes."""
    check = LanguageCheck("nb")
    assert not any(check.add(("no", "nn", "nb")[turn % 3]) for turn in range(60))


@pytest.mark.parametrize(
    "mix", ["tfidf", "tfidf+0.5*bm25", "tfidf+vectors", "recency", "bm25+semantic"]
)
@pytest.mark.parametrize("calibrated", [True, False])
def test_models_that_compare_words_have_a_check(mix: str, calibrated: bool) -> None:
    """The shipped vectors are for English, so they compare words, too."""
    assert check_for(create(mix, "coral", calibrated=calibrated)) is not None


@pytest.mark.parametrize("mix", ["semantic", "regex:coral", "markup:Recipe", "recency", OWN])
def test_models_that_do_not_compare_words_have_no_check(mix: str) -> None:
    """Nor has a mix with a model of another package, which may work across languages."""
    assert check_for(create(mix, "coral" if mix == OWN else "")) is None


def test_word_vectors_of_any_language_have_no_check(tmp_path: Path) -> None:
    """They work across languages, as does a mix with them."""
    save_table(tmp_path, ["coral", "korall"], np.eye(2), {"language": ""})
    model = create(f"tfidf+vectors:{tmp_path}", "coral")
    assert check_for(model) is None


def test_a_language_without_a_name_is_called_by_its_code() -> None:
    """The list of names is not complete."""
    assert name_of("tlh") == "tlh"
