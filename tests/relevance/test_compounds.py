"""Compounds and their parts."""

from __future__ import annotations

import pytest
from compound_words import COMPOUNDS, LATER, SIMPLE
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.model import Content
from evocrawl.relevance import create
from evocrawl.relevance.compounds import GRAMMARS, compounds
from evocrawl.relevance.terms import Analyser, analyser_of


def cuts(pieces: tuple[str, ...] | list[str]) -> set[int]:
    """The places between the pieces."""
    return {sum(map(len, pieces[:end])) for end in range(1, len(pieces))}


def recall_and_precision(language: str, written: str, simple: str) -> tuple[float, float]:
    """Of compounds cut at right places only, among all compounds and among all words cut."""
    splitter = compounds(language)
    right = wrong = missed = 0
    for entry in written.casefold().split():
        word, parts = entry.split("=")
        found = cuts(splitter.pieces(word))
        right += bool(found) and found <= cuts(parts.split("+"))
        wrong += not found <= cuts(parts.split("+"))
        missed += not found
    wrong += sum(bool(splitter.pieces(word)) for word in simple.casefold().split())
    return right / (right + wrong + missed), right / (right + wrong)


@pytest.mark.parametrize("language", GRAMMARS)
def test_compounds_are_cut_and_other_words_are_not(language: str) -> None:
    """Measured on the words that were written down before."""
    recall, precision = recall_and_precision(language, COMPOUNDS[language], SIMPLE[language])
    assert recall >= 0.9
    assert precision >= 0.95


@pytest.mark.parametrize("language", GRAMMARS)
def test_words_of_a_later_list_are_cut_as_well(language: str) -> None:
    """Rarer words; one in four may stay whole."""
    recall, precision = recall_and_precision(language, *LATER[language])
    assert recall >= 0.75
    assert precision >= 0.9


@pytest.mark.parametrize(
    ("language", "query", "text", "other"),
    [
        ("de", "Korallenbleiche", "Die Bleiche der Korallen nimmt zu.", "Der Friseur färbt Haare."),
        ("de", "Bleiche der Korallen", "Eine Korallenbleiche trifft das Riff.", "Wäsche bleichen"),
        ("de", "Schutz der Küste", "Der Küstenschutz kostet viel.", "Der Schutz der Privatsphäre"),
        ("nl", "zeespiegel", "De spiegel van de zee stijgt.", "Er hangt een foto aan de muur."),
        (
            "nl",
            "kwaliteit van water",
            "De waterkwaliteit in onze sloten daalt",
            "De kwaliteit van het brood in onze winkels daalt",
        ),
        ("sv", "skogsbrand", "Det är brand i en skog.", "Vi cyklar hem."),
        ("sv", "skydd av miljö", "Starkt miljöskydd behövs.", "Ett skydd mot regn"),
        ("fi", "merenpinta", "Meren pinta nousee.", "Auto on punainen."),
        ("fi", "vesi ja voima", "Suomen vesivoima riittää.", "Hänen voimansa loppui."),
    ],
)
def test_a_compound_and_the_phrase_of_its_parts_meet(
    language: str, query: str, text: str, other: str
) -> None:
    """In both directions, and better than a page that shares one word or none."""
    model = create("tfidf", query, language)
    assert model.page(Content("", text, language)) > model.page(Content("", other, language))
    assert model.link(text, "") > model.link(other, "")


def test_the_compound_itself_is_a_term_beside_its_parts() -> None:
    """A page with the very word is about it more than one with the parts."""
    assert Analyser("de").terms("Korallenbleiche".lower()) == ("korallenbleich", "korall", "bleich")
    model = create("tfidf", "Korallenbleiche", "de")
    page = Content("", "Forscher untersuchen die Korallenbleiche im Meer", "de")
    parts = Content("", "Forscher untersuchen Korallen mit einer Bleiche im Meer", "de")
    assert model.page(page) > model.page(parts) > 0


def test_parts_are_found_in_the_spelling_of_urls() -> None:
    """German writes ä as ae where it must be ASCII; the rest goes by the query's own words."""
    assert compounds("de").parts("kuestenschutz") == ("küste", "schutz")
    assert analyser_of("havsförsurning", "sv").terms("havsforsurning") == analyser_of(
        "havsförsurning", "sv"
    ).terms("havsförsurning")


def test_an_english_word_is_never_cut() -> None:
    """English writes most compounds as two words."""
    assert Analyser("en").terms("earthquake") == ("earthquak",)
    assert not Analyser("en").parts_compounds


@given(st.text("abcdehilnrstäöß", max_size=60), st.sampled_from(sorted(GRAMMARS)))
def test_the_pieces_of_any_word_are_the_word(word: str, language: str) -> None:
    """Or the language has no compounds."""
    pieces = compounds(language).pieces(word)
    assert not pieces or "".join(pieces) == word
    assert len(pieces) != 1
