"""Relevance by meaning, and the small API of texts as vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.errors import QueryError, SettingError, UnknownWordsError
from evocrawl.core.model import Content
from evocrawl.relevance import create
from evocrawl.relevance.terms import Analyser
from evocrawl.relevance.vectors import Embedding, centroid, cosine, shipped
from evocrawl.relevance.vectors.model import Vectors
from evocrawl.relevance.vectors.table import save_table

REEF = "The reef is dying from heat stress, and the polyps expel their algae."
RAILWAY = "The committee approved the budget of the railway company on Tuesday."
GERMAN = "Die Korallen im Riff sterben ab, weil das Meer zu warm geworden ist."
WORDS = st.lists(
    st.sampled_from(["coral", "reef", "sea", "railway", "company", "budget", "music", "war"])
)


@pytest.fixture(scope="module")
def embedding() -> Embedding:
    """Return the shipped table, read as English."""
    return Embedding(shipped(), Analyser("en"))


def test_a_page_without_a_word_of_the_query_is_similar_by_meaning() -> None:
    """tf-idf gives it the score 0."""
    near, far = Content("", REEF, "en"), Content("", RAILWAY, "en")
    assert create("tfidf", "coral bleaching").page(near) == 0
    model = create("vectors", "coral bleaching", calibrated=False)
    assert model.page(near) > 0.4 > 0.2 > model.page(far)


def test_a_page_in_another_language_is_scored_by_the_other_models() -> None:
    """By its words: a table of English has no German words."""
    page = Content("", GERMAN + " coral", "de")
    assert create("vectors", "coral bleaching").page(page) == 0
    tfidf, mix = create("tfidf", "coral bleaching"), create("tfidf+vectors", "coral bleaching")
    assert mix.page(page) == tfidf.page(page) > 0


def test_a_page_of_unknown_language_counts_if_half_of_its_terms_are_known() -> None:
    """Extraction gives no language for short texts."""
    model = create("vectors", "coral bleaching", calibrated=False)
    assert model.page(Content("", REEF)) == model.page(Content("", REEF, "en-GB")) > 0.4
    assert model.page(Content("", GERMAN)) == 0


@pytest.mark.parametrize(("query", "language"), [("Korallenbleiche", "de"), ("xqzzy", "en")])
def test_a_query_without_a_known_word_leaves_the_mix_to_the_others(
    query: str, language: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The log reports it; alone, the model refuses the query."""
    with pytest.raises(UnknownWordsError, match="write relevance=tfidf"):
        create("vectors", query, language)
    mix, page = create("tfidf+vectors", query, language), Content("", query, language)
    assert mix.page(page) == create("tfidf", query, language).page(page) > 0
    assert "is left out" in caplog.text


def test_a_query_without_a_topic_is_refused_in_a_mix() -> None:
    """Known words do not matter."""
    with pytest.raises(QueryError, match="most pages have"):
        create("tfidf+vectors", "the of and")


def test_a_folder_of_vectors_is_named_by_its_path(tmp_path: Path) -> None:
    """A table of any number of dimensions and of another language."""
    save_table(tmp_path, ["korall", "riff", "bahn"], np.array([[1, 0], [0.9, 0.1], [0, 1]]),
               {"language": "de"})  # fmt: skip
    model = create(f"vectors:{tmp_path}", "Korallen", "de", calibrated=False)
    assert model.page(Content("", "Riffe", "de")) > 0.9
    assert model.page(Content("", "Bahnen", "de")) < 0.1


BILINGUAL = {
    "coral": (1, 0, 0), "koralle": (1, 0, 0), "korallen": (1, 0, 0), "reef": (0.9, 0.1, 0),
    "riff": (0.9, 0.1, 0), "railway": (0, 0, 1), "eisenbahn": (0, 0, 1), "budget": (0, 0.2, 0.9),
}  # fmt: skip
"""Words of two languages with vectors of one space."""


@pytest.mark.parametrize("mix", ["vectors:{}", "tfidf+vectors:{}", "bm25+2*vectors:{}"])
@pytest.mark.parametrize(("query", "language"), [("coral reef", "en"), ("Korallen", "de")])
def test_a_table_of_two_languages_finds_pages_in_the_other_language(
    tmp_path: Path, mix: str, query: str, language: str
) -> None:
    """Its language is "": words of all languages are read like those of the query."""
    read = Analyser(language).terms
    rows = {read(word)[0]: row for word, row in BILINGUAL.items()}
    save_table(tmp_path, [*rows], np.array([*rows.values()]), {"language": ""})
    model = create(mix.format(tmp_path), query, language)
    german, far = Content("", GERMAN, "de"), Content("", "Die Eisenbahn hat ein Budget.", "de")
    english, other = Content("", "The coral on the reef", "en"), Content("", RAILWAY, "en")
    assert model.page(german) > 0.5 > 0.1 > model.page(far)
    assert model.page(english) > 0.5 > 0.1 > model.page(other)
    alone = create("tfidf", query, language)
    assert min(alone.page(german), alone.page(english)) == 0


@pytest.mark.parametrize("place", ["nowhere", "empty"])
def test_a_folder_without_vectors_is_refused(tmp_path: Path, place: str) -> None:
    """Nothing is downloaded instead."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingError, match=r"^relevance is 'vectors:") as raised:
        create(f"vectors:{tmp_path / place}", "coral")
    assert "\n" not in str(raised.value)


def test_a_static_model_of_model2vec_is_read_from_its_folder(tmp_path: Path) -> None:
    """With its own tokenizer and dimensions."""
    model2vec = pytest.importorskip("model2vec")
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(
        models.WordLevel({"[UNK]": 0, "coral": 1, "reef": 2, "rail": 3}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    rows = np.array([[0, 0, 0], [1, 0, 0], [0.9, 0.1, 0], [0, 0, 1]], np.float32)
    model2vec.StaticModel(rows, tokenizer).save_pretrained(str(tmp_path))
    model = Vectors("coral", "en", argument=str(tmp_path))
    assert model.page(Content("", "reef", "de")) > 0.9
    assert model.page(Content("", "rail", "")) < 0.1
    assert model.page(Content("", "unknown", "")) == model.page(Content("", "", "")) == 0
    with pytest.raises(UnknownWordsError):
        Vectors("zebra", "en", argument=str(tmp_path))


@given(WORDS, WORDS)
def test_a_text_is_the_sum_of_its_words(
    embedding: Embedding, one: list[str], other: list[str]
) -> None:
    """Each distinct word adds its vector; the order does not matter."""
    distinct = {*one, *other}
    total = sum((embedding.of_text(word) for word in sorted(distinct)),
                np.zeros(embedding.dimensions, np.float32))  # fmt: skip
    assert np.allclose(embedding.of_text(" ".join(distinct)), total)
    assert cosine(embedding.of_text(" ".join(one)), embedding.of_text(" ".join(one[::-1]))) == (
        pytest.approx(1 if one else 0)
    )


def test_a_centroid_lies_between_its_texts(embedding: Embedding) -> None:
    """Weights move it towards a text; lengths do not."""
    reef, rail = embedding.of_text("coral reef"), embedding.of_text("railway " * 500)
    mean, drawn = centroid([reef, rail]), centroid([reef, rail], [3, 1])
    assert cosine(mean, reef) == pytest.approx(cosine(mean, rail), abs=1e-5)
    assert cosine(drawn, reef) > cosine(mean, reef)
    assert not centroid([embedding.of_text("")]).any()


@given(st.text(max_size=200))
def test_any_text_has_a_finite_vector(embedding: Embedding, text: str) -> None:
    """For any text."""
    vector = embedding.of_text(text)
    assert vector.shape == (embedding.dimensions,)
    assert np.isfinite(vector).all()
    assert -1 <= cosine(vector, embedding.of_text("coral")) <= 1
