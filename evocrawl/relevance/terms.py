"""Converts text to the terms that are compared: stems of words in one spelling.

One analyser reads pages, anchors, URLs and queries, for relevance models and for link models:
`analyser_of` returns it for a query. `evocrawl.core.text` splits the text into words and gives each
word one spelling. A word then becomes a term by

- stemming with the Snowball algorithm of the query's language, where there is one; Hebrew has
  `evocrawl.relevance.hebrew`;
- removal of accents, in languages whose writers leave them out in URLs, anchors and queries. A
  language's own letters stay, as the Swedish ``å ä ö``; in English accents go before stemming;
- the spelling of the query: ``havsforsurning`` in a URL is the query's ``havsförsurning``.

In languages that write compounds as one word a compound gives its own term and those of its parts
(`evocrawl.relevance.compounds`). Text in another language is read by the rules of the query's
language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import chain
from sys import intern

from evocrawl.core.errors import SettingError
from evocrawl.core.text.segmentation import segments
from evocrawl.core.text.spelling import plain_arabic, without_accents
from evocrawl.core.text.words import (
    is_one_sign,
    rough_words,
    rough_words_of_each,
    runs,
    signs,
    words,
)
from evocrawl.relevance.compounds import GRAMMARS, compounds
from evocrawl.relevance.hebrew import HEBREW, HebrewStemmer
from evocrawl.relevance.query_language import language_of
from evocrawl.relevance.stemming import of_one_and_each, singular, stemmer_of

_TAG = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*", re.ASCII | re.IGNORECASE)
_DOTTED_I = ("tr", "az")
_KEPT_LETTERS = {
    "az": "çəğıöşü", "da": "åæø", "et": "äõöüšž", "eu": "ñ", "es": "ñ", "fi": "åäö",
    "fo": "áíóúýðæø", "gl": "ñ", "hu": "áéíóöőúüű", "is": "áéíóúýðþæö", "nb": "åæø", "nn": "åæø",
    "no": "åæø", "sv": "åäö", "tr": "çğıöşü",
}  # fmt: skip
"""Letters that readers do not take for another letter with an accent."""
_OPTIONAL_ACCENTS = _KEPT_LETTERS.keys() | {
    "af", "bs", "ca", "cs", "de", "en", "fil", "fr", "hr", "id", "it", "lb", "lt", "lv", "ms", "nl",
    "pl", "pt", "ro", "sh", "sk", "sl", "sq", "sr",
}  # fmt: skip
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_KNOWN_WORDS = 20_000
"""Words of one generation: see `_Known`."""
LONGEST_KNOWN_WORD = 40
"""Characters of the longest word that is remembered; a sentence in Chinese is one rough word."""

Terms = tuple[str, ...]
_NO_TERM = ("",)


def primary_language(tag: str) -> str:
    """Return the primary subtag of a language tag: "pt" of "pt-BR", "" of "".

    Raises SettingError for a malformed tag.
    """
    found = _TAG.fullmatch(tag)
    if tag and found is None:
        raise SettingError("language", tag, 'a language tag such as "en" or "pt-BR"')
    return found[1].lower() if found else ""


@lru_cache(maxsize=16)
def analyser_of(query: str, language: str = "") -> Analyser:
    """Return the analyser for a query, the same one for each model that asks.

    `language` is a BCP 47 tag of which the primary subtag counts; "" determines it by the query.
    Raises SettingError for a malformed tag.
    """
    primary = primary_language(language) or language_of(query)
    if query.isascii():
        return _plain_analyser(primary)
    plain = Analyser(primary)
    letters = letters_of(plain.count(plain.words(query)))
    stem = HebrewStemmer(words(query)).stem if primary == HEBREW else None
    return Analyser(primary, letters, _spellings(query, Analyser(primary, letters)), stem=stem)


@lru_cache(maxsize=4)
def _plain_analyser(language: str) -> Analyser:
    """Return the analyser of all queries without letters of their own; they share its words."""
    return Analyser(language)


@lru_cache(maxsize=16)
def link_analyser_of(query: str, language: str = "") -> Analyser:
    """Return the analyser of a query for link models.

    It differs in English alone: it removes the s of a plural and no other ending. Stems instead of
    this rule changed the recall AUC of `evo` by −0.011 [−0.035, 0.006] (28 crawls of a recorded
    encyclopedia).
    """
    analyser = analyser_of(query, language)
    return (
        Analyser("en", analyser.letters, stem=singular) if analyser.language == "en" else analyser
    )


def letters_of(terms: Iterable[str]) -> frozenset[str]:
    """Return those of `terms` that are one character of a script without spaces."""
    return frozenset(filter(is_one_sign, terms))


class Analyser:
    """Counts the terms of texts by the rules of `language` (a primary subtag, "de").

    `letters` are single signs of a script without spaces that count beside the words: the query
    `鲸` (whale) has to meet the page `鲸鱼`. `spellings` maps stems of other spellings of the
    query's words to the terms of these words. With `parts_compounds` a compound gives its own term
    and those of its parts, in the languages of `evocrawl.relevance.compounds`. `stem` takes the
    place of the language's stemmer.
    """

    def __init__(
        self,
        language: str,
        letters: frozenset[str] = frozenset(),
        spellings: Mapping[str, Terms] | None = None,
        *,
        parts_compounds: bool = True,
        stem: Callable[[str], str] | None = None,
    ) -> None:
        self.language = language
        self.letters = letters
        self._spellings = spellings or {}
        self._stem, self._stem_each = (
            stemmer_of(language) if stem is None else of_one_and_each(stem)
        )
        self._kept = _KEPT_LETTERS.get(language, "")
        self.parts_compounds = parts_compounds and language in GRAMMARS
        self._is_plain = not self._spellings and not self.parts_compounds
        self._known = _Known(self._read)

    def words(self, text: str) -> list[str]:
        """Return the rough words of any `text`: words that are not ASCII are not yet split."""
        return rough_words(_dotted(text) if self.language in _DOTTED_I else text)

    def words_of_each(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the rough words of each text, as `words` does, in fewer calls."""
        if self.language in _DOTTED_I:
            texts = [*map(_dotted, texts)]
        return rough_words_of_each(texts)

    def terms(self, word: str) -> Terms:
        """Return the terms of a rough `word` in their order, with repetitions. O(characters)."""
        return self._known[word]

    def having(self, terms: AbstractSet[str], words: Collection[str]) -> set[str]:
        """Return those of some rough words that have one of `terms`, for a caller that remembers.

        Nothing is kept here. O(characters).
        """
        found, rest = set[str](), words
        if self._is_plain:
            plain = [*filter(str.isascii, words)]
            stems = self._stem_each(plain)
            found.update(word for word, stem in zip(plain, stems, strict=True) if stem in terms)
            rest = [word for word in words if not word.isascii()] if len(plain) < len(words) else ()
        known, read, are_strangers = self._known.get, self._read, terms.isdisjoint
        found.update(word for word in rest if not are_strangers(known(word) or read(word)))
        return found

    def first_terms(self, words: Sequence[str]) -> list[str]:
        """Return the first term of each rough word, "" without one, for a caller that remembers.

        They are not kept here.
        """
        known, read = map(self._known.get, words), self._read
        if not self._is_plain:
            return [
                (terms or read(word) or _NO_TERM)[0]
                for word, terms in zip(words, known, strict=True)
            ]
        stem = self._stem
        return [
            terms[0] if terms else stem(word) if word.isascii() else (read(word) or _NO_TERM)[0]
            for word, terms in zip(words, known, strict=True)
        ]

    def _read(self, word: str) -> Terms:
        if word.isascii():
            # One object for each term, here and in tables: less memory, and sooner compared.
            return (intern(self._stem(word)),) if self._is_plain else self._of_word(word)
        terms: list[str] = []
        for run, is_packed in runs(word, self.language):
            terms += self._of_packed(run) if is_packed else self._of_word(run)
        return tuple(terms)

    def read(self, words: Iterable[str]) -> list[str]:
        """Return the terms of rough `words` in their order, with repetitions."""
        return [*self._terms(words)]

    def count(self, words: Iterable[str]) -> dict[str, int]:
        """Return how often each term occurs in rough `words`; each word is looked up once."""
        times = Counter(words)
        counts: dict[str, int] = {}
        so_far = counts.get
        for terms, n in zip(map(self._known.__getitem__, times), times.values(), strict=True):
            for term in terms:
                counts[term] = so_far(term, 0) + n
        return counts

    def count_once(self, words: Iterable[str]) -> dict[str, int]:
        """Return the same as `count` of words that do not occur again: none is remembered."""
        return Counter(chain.from_iterable(map(self._read, words)))

    def count_few(self, words: Iterable[str]) -> dict[str, int]:
        """Return the same as `count`, faster for few words."""
        counts: dict[str, int] = {}
        so_far = counts.get
        for term in self._terms(words):
            counts[term] = so_far(term, 0) + 1
        return counts

    def _terms(self, words: Iterable[str]) -> Iterator[str]:
        return chain.from_iterable(map(self._known.__getitem__, words))

    def _of_word(self, word: str) -> Terms:
        term = self._term(word)
        spelt = self._spellings.get(term)
        if spelt is not None or not self.parts_compounds:
            return spelt or (term,)
        parts = compounds(self.language).parts(word)
        return (term, *map(self._term, parts)) if parts else (term,)

    def _term(self, word: str) -> str:
        if word.isascii():
            return self._stem(word)
        if self.language == "en":
            return self._stem(without_accents(word))
        term = plain_arabic(self._stem(word))
        return without_accents(term, self._kept) if self.language in _OPTIONAL_ACCENTS else term

    def _of_packed(self, run: str) -> list[str]:
        words = segments(run)
        if not self.letters or is_one_sign(run):
            return words
        return words + [sign for sign in signs(run) if sign in self.letters]


def _spellings(query: str, analyser: Analyser) -> dict[str, Terms]:
    """Return the stems of the query's words without their marks, with the terms of each word."""
    found: dict[str, Terms] = {}
    for rough in analyser.words(query):
        for run, is_packed in () if rough.isascii() else runs(rough, analyser.language):
            terms = () if is_packed else analyser.terms(run)
            for written in (run.translate(_DIGRAPHS), run):
                bare = without_accents(written)
                if terms and bare != run and analyser.terms(bare) != terms:
                    found[analyser.terms(bare)[0]] = terms
    return found


def _dotted(text: str) -> str:
    """Return a text with small i's, for a language that has an i with and without a dot."""
    return text.replace("I\u0307", "i").replace("I", "ı").replace("İ", "i")


class _Known(dict[str, Terms]):
    """The terms of the words seen lately. The number is bounded: a crawl always meets new words.

    A full generation of words becomes the previous one. Words that occur again move to the present
    generation; the others are dropped with the previous one.
    """

    def __init__(self, read: Callable[[str], Terms]) -> None:
        super().__init__()
        self._read = read
        self._before: dict[str, Terms] = {}

    def __missing__(self, word: str) -> Terms:
        terms = self._before.get(word) or self._read(word)
        if len(word) <= LONGEST_KNOWN_WORD:
            if len(self) >= _KNOWN_WORDS:
                self._before = dict(self)
                self.clear()
            self[intern(word)] = terms  # often its own term
        return terms
