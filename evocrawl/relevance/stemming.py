"""Stemmers of languages: Snowball's, that of Hebrew, and the rule for plurals in English links."""

from __future__ import annotations

from collections.abc import Callable

import Stemmer

from evocrawl.relevance.hebrew import HEBREW, HebrewStemmer

Stem = Callable[[str], str]
StemEach = Callable[[list[str]], list[str]]

_STEMMERS = {"nb": "no", "nn": "no", "hr": "sr", "bs": "sr", "sh": "sr"}
"""Languages that are stemmed by the rules of another one."""


def stemmer_of(language: str) -> tuple[Stem, StemEach]:
    """Return the stemmer of a language, of one word and of several; words stay whole without."""
    if language == HEBREW:
        return of_one_and_each(HebrewStemmer().stem)
    try:
        stemmer = Stemmer.Stemmer(_STEMMERS.get(language, language), 0)
    except KeyError:
        return of_one_and_each(str)
    return stemmer.stemWord, stemmer.stemWords


def of_one_and_each(stem: Stem) -> tuple[Stem, StemEach]:
    """Return a stemmer of one word, and that of several."""
    return stem, lambda words: [*map(stem, words)]


def singular(word: str) -> str:
    """Remove the s of a plural: a rough rule, also for names."""
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word
