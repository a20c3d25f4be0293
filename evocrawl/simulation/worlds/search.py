"""The search engine of a world: BM25 over its pages."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from evocrawl.relevance.terms import Analyser
from evocrawl.simulation.worlds.base import Document

K1 = 1.2
B = 0.75


class Index:
    """Ranks documents by Okapi BM25 (Robertson & Zaragoza 2009, §3.5, idf as Lucene has it).

    ``score(d, q) = Σ_t ln(1 + (N − n_t + ½)/(n_t + ½)) · f / (f + K1 (1 − B + B |d|/avg))`` with
    f the frequency of term t in title and text of d. Terms are stems in `language`. Documents with
    equal scores keep their order, so the ranking of a world is always the same.

    >>> page = lambda url, text: Document(url, b"", "", text, "en", ())
    >>> index = Index([page("http://a.test/", "a cat"), page("http://b.test/", "two cats, a cat")])
    >>> index.search("cats", 5)
    ['http://b.test/', 'http://a.test/']
    """

    def __init__(self, documents: Iterable[Document], language: str = "en") -> None:
        self._analyser = Analyser(language)
        self._postings: dict[str, array[int]] = {}
        self.urls: list[str] = []
        lengths = array("I")
        for number, document in enumerate(documents):
            counts = self._count(f"{document.title} {document.text}")
            self.urls.append(document.url)
            lengths.append(sum(counts.values()))
            for term, times in counts.items():
                self._postings.setdefault(term, array("I")).extend((number, times))
        size = np.array(lengths, dtype=np.float64)
        mean = size.mean() if size.any() else 1.0
        self._norm = K1 * (1 - B + B * size / mean)

    def __len__(self) -> int:
        return len(self.urls)

    def search(self, query: str, k: int) -> list[str]:
        """Return the URLs of the `k` best documents with a term of `query`, best first."""
        scores = self.scores(query)
        hits = np.flatnonzero(scores)
        best = hits[np.argsort(-scores[hits], kind="stable")][:k]
        return [self.urls[number] for number in best]

    def scores(self, query: str) -> NDArray[np.float64]:
        """Return the score of every document, in order; 0 without a common term."""
        scores = np.zeros(len(self))
        for term in self._count(query):
            postings = np.array(self._postings.get(term, ()), dtype=np.int64).reshape(-1, 2)
            holders, times = postings[:, 0], postings[:, 1]
            rarity = math.log1p((len(self) - len(holders) + 0.5) / (len(holders) + 0.5))
            scores[holders] += rarity * times / (times + self._norm[holders])
        return scores

    def _count(self, text: str) -> dict[str, int]:
        return self._analyser.count(self._analyser.words(text))
