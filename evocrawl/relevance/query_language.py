"""Determines the language of a query by its script and by the frequencies of its words.

::

    score(language) = Σ_w zipf(w, language)        w a word of the query

with the Zipf value (the logarithm to base 10 of mentions in a thousand million words) of wordfreq's
short lists (Speer 2021), and `_UNKNOWN` for a word that a list lacks. A word counts for at most
`_MOST`, since a query has few function words: the "dock" of "taskbar panel dock" is a frequent
word of Swedish ("however"). An unknown word that consists of two known ones counts more, since it
may be a compound, one with a foreign letter less. The result is English, or the likeliest language
of another script, unless another language is ahead by `_AHEAD`: few words are weak evidence, and
many are words of several languages. Names and technical words are in English queries more often
than in lists of frequent words, so English has its long list, whose words count for at least
`_RARE`. A query such as "Gift" or "Chat" counts as English; the option `language` names another
language.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from evocrawl.core.text.scripts import language_by_script
from evocrawl.core.text.words import words
from evocrawl.relevance.word_lists import frequency_list

_LATIN = (
    "en", "de", "fr", "es", "it", "pt", "nl", "sv", "fi", "da", "nb", "pl", "cs", "tr", "hu", "ro",
    "id", "ca", "vi", "sh", "sk", "sl", "lt", "lv", "fil", "is",
)  # fmt: skip
_RIVALS = {"": _LATIN, "ru": ("ru", "uk", "bg", "mk"), "ar": ("ar", "fa", "ur"), "fa": ("fa", "ur")}
"""Languages that share a script, the likeliest first; "" is Latin script."""
_UNKNOWN, _COMPOUND, _FOREIGN = 2.2, 3.0, 1.0
_RARE, _MOST = 3.0, 5.5
_AHEAD = 0.7
_MOST_WORDS = 12
_SHORTEST_PART, _LONGEST_COMPOUND = 4, 60
_FREQUENT = 500
"""Centibels of the words whose letters are the alphabet: ten in a million words and more."""


@lru_cache(maxsize=64)
def language_of(query: str) -> str:
    """Return the likeliest language of a query, as a primary subtag; "en" for one without letters.

    Takes some tenths of a second for a query in Latin script whose words are not all English.

    >>> [language_of(each) for each in ("深海采矿", "deep-sea", "глубина", "förnybar energi")]
    ['zh', 'en', 'ru', 'sv']
    """
    by_script = language_by_script(query)
    rivals = _RIVALS.get(by_script, ())
    asked = [word for word in dict.fromkeys(words(query)) if not word.isdecimal()][:_MOST_WORDS]
    if not rivals or not asked:
        return by_script or "en"
    first = _known(rivals[0], asked)
    if all(word in first.zipf for word in asked):
        return rivals[0]
    if rivals[0] == "en":
        first = first.with_rare(asked)
    scores = {rivals[0]: first.total(asked) + _AHEAD}
    scores |= {language: _known(language, asked).total(asked) for language in rivals[1:]}
    return max(scores, key=scores.__getitem__)


@dataclass(frozen=True, slots=True)
class _Known:
    """The Zipf values that a list has of some words, and the letters of its frequent words."""

    zipf: dict[str, float]
    letters: frozenset[str]

    def with_rare(self, asked: Iterable[str]) -> _Known:
        """Return the same with the words of the long list of English, for words that are no parts.

        The long list has parts of compounds of other languages, such as "kraftwerk".
        """
        return _Known(_zipf(frequency_list("en", "large"), {*asked}) | self.zipf, self.letters)

    def total(self, asked: Iterable[str]) -> float:
        """Return the sum over the words asked for."""
        return sum(map(self._of, asked))

    def _of(self, word: str) -> float:
        zipf = self.zipf.get(word)
        return self._of_unknown(word) if zipf is None else min(max(zipf, _RARE), _MOST)

    def _of_unknown(self, word: str) -> float:
        if not self.letters.issuperset(word):
            return _FOREIGN
        is_compound = any(one in self.zipf and other in self.zipf for one, other in _halves(word))
        return _COMPOUND if is_compound else _UNKNOWN


def _known(language: str, asked: Iterable[str]) -> _Known:
    wanted = {part for word in asked for two in _halves(word) for part in two} | {*asked}
    buckets = frequency_list(language)
    letters = frozenset("".join(word for bucket in buckets[:_FREQUENT] for word in bucket))
    return _Known(_zipf(buckets, wanted), letters)


def _zipf(buckets: list[list[str]], wanted: set[str]) -> dict[str, float]:
    return {
        word: 9 - centibels / 100
        for centibels, bucket in enumerate(buckets)
        for word in wanted.intersection(bucket)
    }


def _halves(word: str) -> list[tuple[str, str]]:
    """Return the ways to cut a word in two; none of a word that is too long to be a compound."""
    if len(word) > _LONGEST_COMPOUND:
        return []
    ends = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
    return [(word[:end], word[end:]) for end in ends]
