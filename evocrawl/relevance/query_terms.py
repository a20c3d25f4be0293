"""The terms of the query, and what is needed to find them on pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from evocrawl.core.errors import QueryError, SettingError
from evocrawl.relevance.reading import Reader
from evocrawl.relevance.term_frequencies import background
from evocrawl.relevance.terms import Analyser, language_of, letters_of

_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*", re.ASCII | re.IGNORECASE)


class QueryTerms:
    """The terms of a query that can be compared: those that not nearly every page has.

    `language` is a BCP 47 tag of which the primary subtag counts; "" guesses it by the query's
    script, Latin being English. `mentions` maps each term to how often the query has it, `reader`
    reads pages as a reader of that language does. Raises QueryError for a query without a usable
    term, SettingError for a malformed tag.
    """

    def __init__(self, query: str, language: str = "") -> None:
        self.language = primary_subtag(language) or language_of(query)
        asked = Analyser(self.language)
        mentions = asked.count(asked.words(query))
        letters = letters_of(mentions)
        self.background = background(self.language, letters)
        self.reader = _reader(self.language, letters)
        common = self.background.common
        self.mentions = {term: n for term, n in mentions.items() if term not in common}
        if all(term.isdecimal() and len(term) < 3 for term in self.mentions):
            raise QueryError(_why(query, mentions))

    def idf(self, term: str) -> float:
        """Return the weight of a term in its language."""
        return self.background.idf.get(term, self.background.unknown)


@lru_cache(maxsize=8)
def _reader(language: str, letters: frozenset[str]) -> Reader:
    """All models of a mix share a reader, and so read a page once."""
    return Reader(Analyser(language, letters))


def primary_subtag(language: str) -> str:
    """Return the primary subtag of a language tag: "pt" of "pt-BR", "" of ""."""
    if not language:
        return ""
    found = _LANGUAGE.fullmatch(language)
    if found is None:
        raise SettingError("language", language, 'a language tag such as "en" or "pt-BR"')
    return found[1].lower()


def _why(query: str, terms: Mapping[str, int]) -> str:
    if not terms:
        return f"the query {query[:100]!r} has no word in it: say in words what to look for"
    return (
        f"the query {query[:100]!r} has only words or numbers that most pages have"
        f" ({', '.join(sorted(terms)[:10])}): add a word that names the topic"
    )
