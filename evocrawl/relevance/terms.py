"""Converts text to the terms that are compared: stems of words, or bigrams of characters.

Words are maximal runs of letters, digits and the marks on them; everything else separates. So
``bird's`` is ``bird`` and ``s``, ``C++`` is ``c``. They are compared after

- removal of soft hyphens, zero-width and direction characters, which are joints and no gaps;
- Unicode NFKC, so that composed, decomposed and full-width forms are one;
- full case folding (Unicode `toCasefold`: ``Straße`` is ``strasse``); ``İ`` becomes ``i``, and in
  Turkish and Azerbaijani ``I`` becomes ``ı``;
- in English, where accents are optional spelling, their removal (``café``, ``El Niño``);
- stemming by the Snowball algorithm of the language, where there is one.

Scripts that write no spaces between words (and Hangul, whose particles cling to the noun) give
every pair of neighbouring characters, a run of one character that character (as Lucene's
CJKAnalyzer does). Which rule applies is decided by script, not by language: mixed text works.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise

import regex
import Stemmer

from evocrawl.core.writing_systems import language_by_script

_PACKED = (
    r"[\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Bopomofo}\p{Hangul}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
)
_RUN = regex.compile(
    rf"(?P<packed>{_PACKED}+)"
    rf"|[[\p{{L}}\p{{N}}]--{_PACKED}][[\p{{L}}\p{{N}}\p{{M}}]--{_PACKED}]*",
    regex.V1,
)
_ONE_PACKED = regex.compile(_PACKED)
_INVISIBLE = dict.fromkeys(
    map(
        ord,
        "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
        "\u2060\u2061\u2062\u2063\u2064\u2065\u2066\u2067\u2068\u2069\ufe00\ufe01\ufe02\ufe03\ufe04"
        "\ufe05\ufe06\ufe07\ufe08\ufe09\ufe0a\ufe0b\ufe0c\ufe0d\ufe0e\ufe0f\ufeff",
    )
)
_ACCENTS = regex.compile(r"(?<=\p{Latin})\p{Mn}+")
_DOTTED_I = ("tr", "az")

# One pass over UTF-8 bytes: ASCII letters to lower case, other ASCII but digits to a space.
# Bytes of other characters pass through, and are looked at only in words seen for the first time.
_ASCII_WORDS = bytes(
    byte if byte >= 128 else ord(chr(byte).lower()) if chr(byte).isalnum() else ord(" ")
    for byte in range(256)
)
_KNOWN_WORDS = 10_000
LONGEST_KNOWN_WORD = 40
"""Characters of the longest word that is remembered; a sentence in Chinese is one rough word."""

# Longer words are read in parts: normalisation takes quadratic time for thousands of marks on one
# letter, and makes eighteen characters of one like U+FDFA.
_PART = 1_000


def language_of(query: str) -> str:
    """Return the likeliest language of a query by its script alone; Latin script is English.

    A few words are too little to tell English from German: who asks in another language that is
    written in Latin letters has to name it.

    >>> language_of("深海采矿"), language_of("deep-sea mining"), language_of("глубина")
    ('zh', 'en', 'ru')
    """
    return language_by_script(query) or "en"


def letters_of(terms: Iterable[str]) -> frozenset[str]:
    """Return those of `terms` that are one character of a script without spaces."""
    return frozenset(term for term in terms if _ONE_PACKED.fullmatch(term))


class Analyser:
    """Counts the terms of texts as a reader of `language` (a primary subtag, "de") tells them.

    `letters` are single characters of a script without spaces that count besides the bigrams: the
    query `鲸` (whale) has to meet the page `鲸鱼`.
    """

    def __init__(self, language: str, letters: frozenset[str] = frozenset()) -> None:
        self._language = language
        self._letters = letters
        self._stem = _stemmer(language)
        self._known = _Known(self.terms)

    def words(self, text: str) -> list[str]:
        """Return the words of any `text`, rough: those that are not ASCII are not yet parted."""
        if self._language in _DOTTED_I:
            text = text.replace("I\u0307", "i").replace("I", "ı").replace("İ", "i")
        return text.encode("utf-8", "replace").translate(_ASCII_WORDS).decode().split()

    def terms(self, word: str) -> tuple[str, ...]:
        """Return the terms of a rough `word` in their order, with repetitions."""
        if word.isascii():
            return (self._stem(word),)
        terms: list[str] = []
        for start in range(0, len(word), _PART):
            part = self._fold(word[start : start + _PART])[: 2 * _PART]
            for run in _RUN.finditer(part):
                if run["packed"]:
                    terms.extend(self._read_packed(run[0]))
                else:
                    terms.append(self._stem(run[0]))
        return tuple(terms)

    def read(self, words: Iterable[str]) -> list[str]:
        """Return the terms of rough `words` in their order, with repetitions."""
        return [*self._terms(words)]

    def count(self, words: Iterable[str]) -> dict[str, int]:
        """Return how often each term occurs in rough `words`."""
        return Counter(self._terms(words))

    def count_few(self, words: Iterable[str]) -> dict[str, int]:
        """Return the same as `count`, sooner where words are few."""
        counts: dict[str, int] = {}
        so_far = counts.get
        for term in self._terms(words):
            counts[term] = so_far(term, 0) + 1
        return counts

    def _terms(self, words: Iterable[str]) -> Iterator[str]:
        return chain.from_iterable(map(self._known.__getitem__, words))

    def _read_packed(self, run: str) -> list[str]:
        if len(run) == 1:
            return [run]
        pairs = [first + second for first, second in pairwise(run)]
        return pairs + [letter for letter in run if letter in self._letters]

    def _fold(self, word: str) -> str:
        word = unicodedata.normalize("NFKC", word.translate(_INVISIBLE))[: 2 * _PART]
        word = unicodedata.normalize("NFD", word.casefold()).replace("i\u0307", "i")
        if self._language == "en":
            word = _ACCENTS.sub("", word)
        return unicodedata.normalize("NFKC", word)


def _stemmer(language: str) -> Callable[[str], str]:
    """The Snowball stemmer of a language; words stay whole where there is none."""
    language = "no" if language in ("nb", "nn") else language
    try:
        stem: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    except KeyError:
        return str
    return stem


class _Known(dict[str, tuple[str, ...]]):
    """The terms of the words seen so far. Bounded: a crawl meets ever new words."""

    def __init__(self, read: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, word: str) -> tuple[str, ...]:
        terms = self._read(word)
        if len(word) <= LONGEST_KNOWN_WORD:
            if len(self) >= _KNOWN_WORDS:
                self.clear()
            self[word] = terms
        return terms
