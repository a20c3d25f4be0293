"""A quick look at a text: is any of the terms in it at all?

Most pages and nearly all links of a crawl have no word of the query. Words once found to hold none
of its terms are remembered, so that such a text costs one set difference.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from evocrawl.relevance.terms import LONGEST_KNOWN_WORD, Analyser

_KNOWN_STRANGERS = 200_000


class Screen:
    """Tells whether words, as `analyser` splits and reads them, hold one of `terms`."""

    def __init__(self, analyser: Analyser, terms: Container[str]) -> None:
        self._analyser = analyser
        self._terms = terms
        self._strangers: set[str] = set()

    def passes(self, words: Iterable[str]) -> bool:
        """Return True when at least one of `words` gives one of the terms."""
        found = False
        for word in set(words) - self._strangers:
            if any(term in self._terms for term in self._analyser.terms(word)):
                found = True
            elif len(word) <= LONGEST_KNOWN_WORD:
                self._remember(word)
        return found

    def _remember(self, word: str) -> None:
        if len(self._strangers) >= _KNOWN_STRANGERS:
            self._strangers.clear()
        self._strangers.add(word)
