"""Computes how frequent a term is in its language, from word lists and not from crawled pages.

A crawl's own pages are a poor background: they are few at first, and the better the crawl is, the
more common are the words of the query on them, which would lower their weight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from evocrawl.relevance.terms import Analyser
from evocrawl.relevance.word_lists import frequency_list

COMMON = 0.003
"""Terms of which a text has three or more in a thousand words ("the", "and") name no topic."""


@dataclass(frozen=True, slots=True)
class Background:
    """Weight `idf` of each known term, that of an `unknown` one, and the terms that are `common`.

    With f the share of a term among the words of the language and f_max that of the commonest
    term, ``idf = ln(f_max / f)``: 0 for the commonest term, about 11 for one that the list lacks.
    It is Spärck Jones' ln(N / n) up to a constant where the number n of texts with a term grows as
    the frequency of the term. A language without a list gives every term the weight 1.
    """

    idf: Mapping[str, float]
    unknown: float
    common: frozenset[str]


@lru_cache(maxsize=8)
def background(language: str, letters: frozenset[str] = frozenset()) -> Background:
    """Return the background for terms as ``Analyser(language, letters)`` makes them.

    Compounds are whole here: their parts would take a second to find.

    Source: R. Speer, wordfreq 3 (word lists to one in a million words, 2021); the words that
    share a stem, or a pair of characters, add up.
    """
    try:
        buckets = frequency_list(language)
    except LookupError:
        return Background({}, 1.0, frozenset())
    frequency = _by_term(buckets, Analyser(language, letters, parts_compounds=False))
    most, least = max(frequency.values()), _frequency(len(buckets))
    weights = {share: math.log(most / share) for share in frequency.values()}
    return Background(
        # Terms of one frequency share one number: less memory, which is read sooner.
        idf={term: weights[share] for term, share in frequency.items()},
        unknown=math.log(most / least),
        common=frozenset(term for term, share in frequency.items() if share >= min(COMMON, most)),
    )


def _by_term(buckets: list[list[str]], analyser: Analyser) -> dict[str, float]:
    frequency: dict[str, float] = {}
    so_far = frequency.get
    for centibels, words in enumerate(buckets):
        share = _frequency(centibels)
        for term, times in analyser.count_once(analyser.words(" ".join(words))).items():
            frequency[term] = so_far(term, 0.0) + times * share
    return frequency


def _frequency(centibels: int) -> float:
    """Return the share of a word `centibels` below "every word", 100 to a factor of ten."""
    return 10 ** (-centibels / 100)
