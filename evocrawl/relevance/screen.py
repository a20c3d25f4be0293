"""A quick look at a text: is any of the terms in it at all?

Most pages and nearly all links of a crawl have no word of the query. Words once found to hold none
of its terms are remembered, and those that hold one: such a text costs a look at each word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evocrawl.relevance.terms import LONGEST_KNOWN_WORD, Analyser

_KNOWN_WORDS = 20_000


class Screen:
    """Tells whether words, as `analyser` splits and reads them, hold one of `terms`."""

    def __init__(self, analyser: Analyser, terms: Mapping[str, float]) -> None:
        self._read = analyser.terms
        self._are_strangers = terms.keys().isdisjoint
        self._strangers: set[str] = set()
        self._friends: set[str] = set()

    def passes(self, words: Sequence[str]) -> bool:
        """Return True when at least one of `words` gives one of the terms."""
        # Both look at a list of words as it is; a set made of it would cost more than either.
        if self._strangers.issuperset(words):
            return False
        if not self._friends.isdisjoint(words):
            return True
        return self._meets(set(words) - self._strangers)

    def _meets(self, words: Iterable[str]) -> bool:
        """Read words that are not known yet, and remember what they are."""
        found = False
        for word in words:
            is_stranger = self._are_strangers(self._read(word))
            found = found or not is_stranger
            if len(word) <= LONGEST_KNOWN_WORD:
                known = self._strangers if is_stranger else self._friends
                if len(known) >= _KNOWN_WORDS:
                    known.clear()
                known.add(word)
        return found
