"""Relevance by BM25, the ranking function of most search engines.

::

    s(d, q) = Σ_t idf(t) · n(t, d) (k₁ + 1) / (n(t, d) + k₁ (1 − b + b · |d| / l))
    relevance(d, q) = s(d, q) / Σ_t idf(t) (k₁ + 1)        in [0, 1)

over the terms t of the query; n(t, d) are the mentions of t in page d, |d| all its terms.
Source: Robertson & Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond, §3.4.
The denominator is the score of a page that repeats every query term for ever.

The idf comes from the language's word list, as that of "tfidf": a crawl's own pages are a poor
background. For the same reason l, the length of a mean page, is a constant. The library bm25s
indexes a whole collection at once and ranks its documents; it has no score for one page at a time
against a background from elsewhere, which a crawl needs.

==========  =====  =============================================================
symbol      value  a greater value
==========  =====  =============================================================
k₁          1.2    lets further mentions of a term count for more
b           0.75   takes more from long pages
l           600    takes less from long pages
==========  =====  =============================================================
"""

from __future__ import annotations

from collections.abc import Mapping

from evocrawl.core.model import Content
from evocrawl.relevance.base import ANCHOR_SHARE, Contribution, Extra
from evocrawl.relevance.calibration import calibration_of
from evocrawl.relevance.query_terms import QueryTerms

K1 = 1.2
B = 0.75
MEAN_TERMS = 600

_LONGEST_PHRASE = 2_000


class Bm25:
    """The relevance model "bm25"; `query` and `language` are those of `QueryTerms`."""

    reads: frozenset[Extra] = frozenset()

    def __init__(self, query: str, language: str = "") -> None:
        terms = QueryTerms(query, language)
        self.needs_language = terms.language
        self._reader = terms.reader
        idf = {term: terms.idf(term) for term in terms.mentions}
        self._idf = idf
        self.calibration = calibration_of("bm25", idf.values())
        self._most = (K1 + 1) * sum(idf.values())

    def page(self, content: Content) -> float:
        """Return the score of a page over the greatest possible. O(characters)."""
        return self._score(self._reader.read(content).mentions)

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        """Return the weighted mean of the scores of anchor and context."""
        return ANCHOR_SHARE * self._phrase(anchor) + (1 - ANCHOR_SHARE) * self._phrase(context)

    def explain(self, content: Content) -> tuple[Contribution, ...]:
        """Return what each query term adds to `page`'s score, the largest share first."""
        mentions = self._reader.read(content).mentions
        drag = self._drag(mentions)
        contributions = (
            Contribution(term, mentions.get(term, 0), idf, self._share(term, mentions, drag))
            for term, idf in self._idf.items()
        )
        return tuple(sorted(contributions, key=lambda one: (-one.share, one.term)))

    def _phrase(self, text: str) -> float:
        if not text:
            return 0.0
        analyser = self._reader.analyser
        return self._score(analyser.count_few(analyser.words(text[:_LONGEST_PHRASE])))

    def _score(self, mentions: Mapping[str, int]) -> float:
        found = [term for term in self._idf if term in mentions]
        if not found:
            return 0.0
        drag = self._drag(mentions)
        return min(1.0, sum(self._share(term, mentions, drag) for term in found))

    def _share(self, term: str, mentions: Mapping[str, int], drag: float) -> float:
        n = mentions.get(term, 0)
        return self._idf[term] * n * (K1 + 1) / (n + drag) / self._most if n else 0.0

    def _drag(self, mentions: Mapping[str, int]) -> float:
        """Return k₁ times the length of the page, shrunken by b."""
        return K1 * (1 - B + B * sum(mentions.values()) / MEAN_TERMS)
