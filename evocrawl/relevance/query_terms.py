"""Makes the terms of the query, and the reader that finds them on pages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from evocrawl.core.errors import QueryError
from evocrawl.relevance.reading import Reader
from evocrawl.relevance.term_frequencies import background
from evocrawl.relevance.terms import Analyser, analyser_of


class QueryTerms:
    """The terms of a query that can be compared: terms that are not on nearly every page.

    `language` is a BCP 47 tag of which the primary subtag counts; "" determines it by the query.
    `mentions` maps each term to how often the query has it, `reader` reads pages by the rules of
    that language. Raises QueryError for a query without a usable term, SettingError for a malformed
    tag.
    """

    def __init__(self, query: str, language: str = "") -> None:
        analyser = analyser_of(query, language)
        mentions = analyser.count(analyser.words(query))
        self.language = analyser.language
        self.background = background(self.language, analyser.letters)
        self.reader = reader_of(analyser)
        common = self.background.common
        self.mentions = {term: n for term, n in mentions.items() if term not in common}
        if all(term.isdecimal() and len(term) < 3 for term in self.mentions):
            raise QueryError(_why(query, mentions))

    def idf(self, term: str) -> float:
        """Return the weight of a term in its language."""
        return self.background.idf.get(term, self.background.unknown)


@lru_cache(maxsize=8)
def reader_of(analyser: Analyser) -> Reader:
    """Return the reader with this analyser; models of a mix share it, and so read a page once."""
    return Reader(analyser)


def _why(query: str, terms: Mapping[str, int]) -> str:
    if not terms:
        return f"the query {query[:100]!r} has no word in it: say in words what to look for"
    return (
        f"the query {query[:100]!r} has only words or numbers that most pages have"
        f" ({', '.join(sorted(terms)[:10])}): add a word that names the topic"
    )
