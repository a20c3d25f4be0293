"""Pages in another language than the query are read in that of the query, by a dictionary."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import tiny_dictionary as tiny
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.errors import SettingError, UnknownWordsError
from evocrawl.core.model import Content
from evocrawl.relevance import create
from evocrawl.relevance.language_check import check_for
from evocrawl.relevance.translation.dictd import Dictd
from evocrawl.relevance.translation.dictionary import Dictionary
from evocrawl.relevance.translation.glosses import glosses
from evocrawl.relevance.translation.making import Source, make_dictionary
from evocrawl.relevance.translation.translator import Translator
from evocrawl.relevance.vectors.model import query_vectors_of

DEFAULT = "tfidf+2*vectors+opening"
ABOUT = Content("Korallenbleiche", "Die Korallen in den Riffen sterben im warmen Meer.", "de")
OTHER = Content("Straßen", "Die Straße und das Haus.", "de")


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the file of a small dictionary of German and English."""
    return tiny.german(tmp_path_factory.mktemp("dictionary"))


def test_words_are_translated_by_form_stem_and_parts_and_others_stay(german: str) -> None:
    into_english = Translator(Dictionary(german), "de", "en")

    assert into_english.text("Koralle, KORALLEN; Riffe!") == "coral coral reef"
    assert into_english.text("Korallenbleiche") == "coral bleaching"
    assert into_english.text("die Straßen der Polypen 1998") == "the street polypen 1998"
    assert into_english.text("Strasse") == "street"
    assert into_english.text("") == ""


def test_a_dictionary_serves_both_directions(german: str) -> None:
    assert Translator(Dictionary(german), "en", "de").text("Coral reefs") == "koralle riff"


def test_words_of_a_script_without_spaces_are_found_in_a_sentence(tmp_path: Path) -> None:
    words = {"珊瑚": "珊瑚\ncoral\n", "珊瑚礁": "珊瑚礁\ncoral reef\n", "白化": "白化\nbleaching\n"}
    source = Source(Dictd(tiny.write_dictd(tmp_path, "tiny", words)), "zh", "en")
    make_dictionary([source], tmp_path / "chinese")

    into_english = Translator(Dictionary(str(tmp_path / "chinese")), "zh", "en")

    assert into_english.text("大堡礁的珊瑚礁正在白化。珊瑚") == "coral reef bleaching coral"


@given(text=st.text(max_size=200))
def test_any_text_can_be_translated(german: str, text: str) -> None:
    assert isinstance(Translator(Dictionary(german), "de", "en").text(text), str)


@given(text=st.text(max_size=200))
def test_glosses_are_short_and_in_order(text: str) -> None:
    found = [*glosses(text)]

    assert [place for _, place in found] == [*range(len(found))]
    assert all(0 < len(gloss) <= 60 for gloss, _ in found)


def test_the_translation_with_the_most_weight_is_the_best(tmp_path: Path) -> None:
    one = tiny.write_dictd(tmp_path, "one", {"Bank": "Bank\nbench, bank\n"})
    other = tiny.write_dictd(tmp_path, "other", {"bank": "bank\nBank\n"})
    sources = [Source(Dictd(one), "de", "en"), Source(Dictd(other), "en", "de")]

    make_dictionary(sources[:1], tmp_path / "first")
    make_dictionary(sources, tmp_path / "both")

    assert Translator(Dictionary(str(tmp_path / "first")), "de", "en").text("Bank") == "bench"
    assert Translator(Dictionary(str(tmp_path / "both")), "de", "en").text("Bank") == "bank"


@pytest.mark.parametrize("mix", ["tfidf", "bm25", "vectors", "opening", DEFAULT])
def test_a_query_in_english_finds_pages_in_german(german: str, mix: str) -> None:
    alone = create(mix, "coral bleaching", "en")
    model = create(mix, "coral bleaching", "en", dictionaries=(german,))

    assert alone.page(ABOUT) == 0
    assert model.page(ABOUT) > 5 * model.page(OTHER)
    assert model.page(ABOUT) > 0.1


def test_a_query_in_german_finds_pages_in_english_and_has_meaning(german: str) -> None:
    english = Content("Reefs", "Corals of the reef are bleaching in the warm ocean.", "en")
    model = create(DEFAULT, "Korallenbleiche", "de", dictionaries=(german,))
    by_meaning = create("vectors", "Korallenbleiche", "de", dictionaries=(german,))

    assert create("tfidf", "Korallenbleiche", "de").page(english) == 0
    assert model.page(english) > 0.5
    assert by_meaning.page(english) > 0.5
    assert by_meaning.page(ABOUT) > 0.5 > by_meaning.page(OTHER)
    with pytest.raises(UnknownWordsError, match="option dictionaries"):
        create("vectors", "Korallenbleiche", "de")


def test_pages_in_the_language_of_the_query_and_in_a_third_stay_as_they_are(german: str) -> None:
    alone = create(DEFAULT, "coral bleaching", "en")
    model = create(DEFAULT, "coral bleaching", "en", dictionaries=(german,))

    for language in ("en", "fr", ""):
        content = Content("Coral", "The coral reef is bleaching; Koralle, Meer.", language)
        assert model.page(content) == alone.page(content)


def test_models_that_do_not_compare_words_get_the_page_as_it_is(german: str) -> None:
    model = create("regex:Korallen+tfidf", "coral", "en", dictionaries=(german,))

    assert model.page(ABOUT) > 0.9


def test_the_words_of_links_are_compared_in_both_languages(german: str) -> None:
    model = create("tfidf", "coral reef", "en", dictionaries=(german,))

    assert model.link("Korallenriff", "") == model.link("coral reef", "") > 0.5
    assert model.link("Straße", "") == 0
    assert [*model.meets(["Korallen", "reef", "Straße"])] == [True, True, False]


def test_the_explanation_adds_up_and_names_words_of_the_query(german: str) -> None:
    model = create("tfidf", "coral bleaching", "en", dictionaries=(german,), calibrated=False)

    found = model.explain(ABOUT)

    assert {each.term for each in found if each.share} == {"coral", "bleach"}
    assert sum(each.share for each in found) == pytest.approx(model.page(ABOUT))


def test_a_user_s_mark_of_a_translated_page_moves_the_query(german: str) -> None:
    model = create(DEFAULT, "coral", "en", dictionaries=(german,))
    dying = Content("Riffe", "Riffe sterben im warmen Meer.", "de")
    before = model.page(dying)

    model.learn(ABOUT, True)

    assert model.page(dying) > before


def test_no_warning_comes_for_pages_that_are_translated(german: str) -> None:
    model = create(DEFAULT, "coral bleaching", "en", dictionaries=(german,))
    check = check_for(model)
    assert check is not None

    assert not any(check.add("de") for _ in range(30))
    assert any(check.add("fr") for _ in range(30)) is False  # the first pages are known by now
    other = check_for(model)
    assert other is not None
    assert any(other.add("fr") for _ in range(30))


def test_species_get_the_vectors_of_the_query_in_its_own_language_only(german: str) -> None:
    own = create(DEFAULT, "coral bleaching", "en", dictionaries=(german,))
    other = create(DEFAULT, "Korallenbleiche", "de", dictionaries=(german,))

    assert query_vectors_of(own) is not None
    assert query_vectors_of(other) is None


def test_dictionaries_without_the_language_of_the_query_are_refused(german: str) -> None:
    with pytest.raises(SettingError, match="French \\(fr\\), the language of the query"):
        create(DEFAULT, "blanchiment des coraux", "fr", dictionaries=(german,))


@pytest.mark.parametrize("content", [None, b"", b"text", b"SQLite format 3\0" + b"\xff" * 200])
def test_a_file_that_is_no_dictionary_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bad.dictionary"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(SettingError) as caught:
        create(DEFAULT, "coral", "en", dictionaries=(str(path),))

    assert "bad.dictionary" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_of_another_version_is_refused(german: str, tmp_path: Path) -> None:
    path = tmp_path / "old.dictionary"
    path.write_bytes(Path(german).read_bytes())
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE about SET value = 'evocrawl dictionary 0' WHERE name = 'format'")

    with pytest.raises(SettingError, match="make it anew"):
        Dictionary(str(path))


def test_a_word_that_cannot_be_read_is_reported_once_and_stays(
    german: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "damaged.dictionary"
    path.write_bytes(Path(german).read_bytes())
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE words SET best = CAST(x'ff' AS TEXT)")

    into_english = Translator(Dictionary(str(path)), "de", "en")

    assert into_english.text("Koralle Riff") == "koralle riff"
    assert caplog.text.count("a word cannot be read") == 1
