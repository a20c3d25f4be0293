"""Reads the terms of short texts, for species that use the words around links."""

from __future__ import annotations

from evocrawl.relevance.term_frequencies import background
from evocrawl.relevance.terms import analyser_of

LONGEST_TEXT = 100_000
"""Characters of a text that are read."""

_SHORTEST = 2
"""A single letter of an alphabet names nothing, and neither does a number."""


class Lexicon:
    """Reads texts by the rules of the query's language, into the terms that relevance compares.

    `language` is a BCP 47 tag; "" determines it by the query. `query` are the terms of the query
    without those that nearly every text has. An empty query has none.
    """

    def __init__(self, query: str, language: str = "") -> None:
        self.analyser = analyser_of(query, language)
        self._background = background(self.analyser.language, self.analyser.letters)
        self.common = self._background.common
        self.query = tuple(term for term in self.count(query) if term not in self.common)

    def read(self, text: str) -> list[str]:
        """Return the terms of a text in their order, with repetitions. O(characters)."""
        return self.analyser.read(self.analyser.words(text[:LONGEST_TEXT]))

    def count(self, text: str) -> dict[str, int]:
        """Return how often each term occurs in a text. O(characters)."""
        return self.analyser.count(self.analyser.words(text[:LONGEST_TEXT]))

    def weight(self, term: str) -> float:
        """Return how rare a term is in its language, idf ≥ 0; 0 for one that names no topic.

        >>> lexicon = Lexicon("coral reefs")
        >>> lexicon.weight("the"), lexicon.weight("1998"), round(lexicon.weight("coral"))
        (0.0, 0.0, 9)
        """
        is_name = term not in self.common and not term.isdecimal() and len(term) >= _SHORTEST
        return self._background.idf.get(term, self._background.unknown) if is_name else 0.0
