"""Models by name, mixes of them, and what is refused before a crawl."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from evocrawl.core.errors import QueryError, SettingError
from evocrawl.core.model import Content
from evocrawl.relevance import create
from evocrawl.relevance.patterns import Patterns
from evocrawl.relevance.quality import Quality

PAGE = Content("Corals", "Coral bleaching happens when the sea is warm. " * 3, "en")


def test_a_mix_is_the_weighted_mean_of_its_models() -> None:
    """Weights count by their proportion."""
    mix, tfidf, bm25 = (
        create(name, "coral bleaching", calibrated=False)
        for name in ("3*tfidf+bm25", "tfidf", "bm25")
    )
    assert mix.page(PAGE) == pytest.approx(0.75 * tfidf.page(PAGE) + 0.25 * bm25.page(PAGE))
    link = ("Corals", "the reef")
    assert mix.link(*link) == pytest.approx(0.75 * tfidf.link(*link) + 0.25 * bm25.link(*link))


def test_a_mix_reads_what_any_of_its_models_reads() -> None:
    """A model of age in a mix scores again when the page gets older."""
    assert create("tfidf+recency+semantic", "coral").reads == {"age", "formats"}


@pytest.mark.parametrize(
    ("mix", "hint"),
    [
        ("tfdif", "did you mean tfidf?"),
        ("tfidf+Bm25", "did you mean bm25?"),
        ("zzz", "the models are bm25, "),
        ("tfidf:x", "tfidf without an argument"),
        ("regex", "a pattern"),
        ("regex:(", "does not compile"),
        ("regex:a*", "does not match empty text"),
        ("markup", "types of schema.org"),
        ("markup:Recipe;Event", "types of schema.org"),
        ("quality", "a function of your own"),
        ("quality:relevance_models:nothing", "a name that relevance_models has"),
        ("quality:relevance_models:not_callable", "a function"),
        ("quality:no.such.module:f", "No module named"),
        ("quality:nowhere.py:f", "there is no file nowhere.py"),
        ("relevance_models.NoModel", "the methods page and link"),
        ("relevance_models:Longest", "the models are"),
        ("relevance_models.Longest:x", "relevance_models.Longest"),
    ],
)
def test_a_model_that_cannot_be_made_is_refused_with_advice(mix: str, hint: str) -> None:
    """One line, before the first request."""
    with pytest.raises(SettingError, match=r"^relevance is") as raised:
        create(mix, "coral bleaching")
    assert hint in str(raised.value)
    assert "\n" not in str(raised.value)


def test_examples_without_a_model_that_learns_are_refused() -> None:
    """The option would have no effect."""
    with pytest.raises(SettingError, match=r"^examples is 'x'"):
        create("tfidf", "coral", examples="x")


def test_a_model_of_the_user_is_named_by_its_path(tmp_path: Path) -> None:
    """As package.module.Class, package.module:Class or file.py:Class; an argument may follow."""
    file = tmp_path / "own.py"
    file.write_text(Path(__file__).with_name("relevance_models.py").read_text())
    assert create("relevance_models.Longest", "coral").page(Content(text="x" * 50)) == 0.5
    assert create(f"{file}:Longest", "coral").page(Content(text="x" * 50)) == 0.5
    assert create(f"{file}:Longest:200", "coral").page(Content(text="x" * 50)) == 0.25
    assert create(f"{file}:Longest:2", "coral").page(Content(text="x" * 50)) == 1.0


def test_a_pattern_is_found_in_any_case_and_anywhere() -> None:
    """Unless the pattern says otherwise."""
    model = create(r"""regex:"coral\s+bleach" """, "")
    assert model.page(PAGE) == model.page(Content("CORAL BLEACHING")) == 1
    assert model.page(Content("", "a bleached coral")) == 0
    assert create("regex:(?-i:Python)", "").page(Content("", "a python ate it")) == 0
    assert (model.link("coral bleaching", ""), model.link("", "coral bleaching")) == (
        0.8,
        pytest.approx(0.2),
    )


def test_a_pattern_that_takes_too_long_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    """Some patterns take exponential time on some pages of the web."""
    model = Patterns("", argument=r"(a|a|aa)+$")
    assert model.page(Content("", "a" * 5000 + "b")) == 0
    assert model.page(Content("", "a" * 5000 + "b")) == 0
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_markup_finds_types_in_any_case_and_spelling() -> None:
    """A type may be written as a name, with its prefix, or as its address."""
    page = Content("", "", "", ("json-ld", "schema:Recipe"))
    for argument in ("Recipe", "event, recipe", "schema:Recipe", "https://schema.org/Recipe"):
        assert create(f"markup:{argument}", "").page(page) == 1
    assert create("markup:Event", "").page(page) == create("markup:Json", "").page(page) == 0


@pytest.mark.parametrize("name", ["fail", "no_number"])
def test_a_quality_function_that_fails_gives_no_relevance(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The crawl continues, and the log reports it once."""
    model = Quality("", argument=f"relevance_models:{name}")
    assert model.page(Content("", "text")) == model.page(Content("", "more")) == 0
    assert len(caplog.records) == 1


def test_an_empty_query_is_refused_unless_no_model_needs_it() -> None:
    """A pattern, a type of markup and a function of quality need no query."""
    assert create("regex:coral+markup:Recipe", "").page(PAGE) == 0.5
    with pytest.raises(QueryError):
        create("regex:coral+tfidf", "")
