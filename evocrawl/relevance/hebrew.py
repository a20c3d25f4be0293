"""Stems Hebrew words: removes the particles before them, and endings.

The particles for "and", "the", "in", "to", "from", "as" and "that" are written as one word with the
next: ``האלמוגים`` (the corals), ``ובאלמוגים`` (and in corals). But many words begin with these
letters: ``מלך`` (king) is no ``מ`` and ``לך``. So the word lists decide (Speer 2021): particles go
if what is left is a known word that is frequent enough beside the whole word. ::

    zipf(rest) ≥ zipf(word) + margin        zipf: log10 of mentions in a thousand million words

The article goes also where the list has neither, but not where it may begin a verb (``הת``).
Then an ending of number, gender or possession goes if three letters stay, and a letter with a form
for the end of words has its other form: ``אלמוגים`` (corals) and ``אלמוג`` (coral) are ``אלמוג``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import product

from evocrawl.relevance.word_lists import frequency_list

HEBREW = "he"
"""Its primary subtag."""
_MARGINS = {"ה": -1.0, "ו": 0.0, "מ": 1.0}
"""About half of all nouns have the article; most words that begin with ``מ`` are whole."""
_MARGIN, _BEFORE_LONG = 0.2, -1.0
"""Margin of the other particles before a rest of few letters, and before one of many."""
_LONG_REST = 6
_OF_UNKNOWN = 2.5
"""Zipf value of a word that is not in the list."""
_SHORTEST = {"ה": 2, "ו": 3}
_SHORTEST_REST = 3
_SHORTEST_UNKNOWN = 4
_PARTICLES = {"".join(each) for each in product(("", "ו"), ("", "ש", "כש"), ("", *"הבלכמ"))} - {""}
_LONGEST = max(map(len, _PARTICLES))
_ENDINGS = ("ויות", "אות", "יות", "יים", "יי", "ים", "ות", "ה", "ת", "י")
_SHORTEST_STEM = 3
_ORDINARY_FORMS = str.maketrans("ךםןףץ", "כמנפצ")


class HebrewStemmer:
    """Stems words in one spelling (`evocrawl.core.text.spelling`).

    `known` are words that count as known beside those of the list, as a query's.

    >>> stem = HebrewStemmer().stem
    >>> [stem(word) for word in ("האלמוגים", "ואלמוג", "אלמוגי", "מלך", "המלכים")]
    ['אלמוג', 'אלמוג', 'אלמוג', 'מלכ', 'מלכ']
    """

    def __init__(self, known: Collection[str] = ()) -> None:
        self._zipf = _frequencies()
        self._known = frozenset(known)

    def stem(self, word: str) -> str:
        """Return the stem of a word. O(letters)."""
        rest = self._without_particles(word)
        for ending in _ENDINGS:
            if rest.endswith(ending) and len(rest) - len(ending) >= _SHORTEST_STEM:
                rest = rest[: -len(ending)]
                break
        return rest.translate(_ORDINARY_FORMS)

    def _without_particles(self, word: str) -> str:
        rest = self._shorter(word)
        while rest != word:
            word, rest = rest, self._shorter(rest)
        return word

    def _shorter(self, word: str) -> str:
        """Return the word without the particles that leave the most frequent word, or the word."""
        if word in self._known:
            return word
        whole = self._zipf.get(word, _OF_UNKNOWN)
        best, rest = 0.0, word
        for end in range(1, min(_LONGEST, len(word) - 2) + 1):
            value = self._value(word[:end], word[end:], whole)
            if value > best:
                best, rest = value, word[end:]
        return word[1:] if rest is word and self._has_article(word) else rest

    def _has_article(self, word: str) -> bool:
        """Return whether a word that is not in the list begins with the article."""
        is_unknown = word not in self._zipf and len(word) > _SHORTEST_UNKNOWN
        return is_unknown and word[0] == "ה" and word[1] != "ת"

    def _value(self, particles: str, rest: str, whole: float) -> float:
        """Return how frequent the rest is, 0 where the particles are a part of the word."""
        if particles not in _PARTICLES or len(rest) < _SHORTEST.get(particles, _SHORTEST_REST):
            return 0.0
        if rest in self._known:
            return 10.0
        value = self._zipf.get(rest, 0.0)
        usual = _MARGIN if len(rest) < _LONG_REST else _BEFORE_LONG
        return value if value >= whole + _MARGINS.get(particles, usual) else 0.0


@lru_cache(maxsize=1)
def _frequencies() -> Mapping[str, float]:
    return {
        word: 9 - centibels / 100
        for centibels, words in enumerate(frequency_list(HEBREW))
        for word in words
    }
