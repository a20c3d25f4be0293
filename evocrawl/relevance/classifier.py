"""Relevance by examples: a classifier learns from pages that are marked relevant or not.

Logistic regression on hashed terms (Weinberger et al. 2009, Feature hashing for large scale
multitask learning), by stochastic gradient descent (scikit-learn's SGDClassifier, `partial_fit`) ::

    x_t(d) = (1 + ln n(t, d)) · idf(t), |x| = 1        n(t, d): mentions of term t in page d

Both classes count the same, however many examples they have.

Without irrelevant examples it learns from positive and unlabelled pages: each page that the crawl
fetches is an irrelevant example. Some of them are relevant, which lowers all chances by one factor
and leaves the order of the pages as it is (Elkan & Noto 2008, Learning classifiers from only
positive and unlabeled data, lemma 1). Until there are some, texts of random words of the language,
drawn by their frequency, stand for them.

The state follows from the examples and from the pages in the order in which they were settled, so
that a crawl that is resumed has the same classifier again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier
from sklearn.utils import murmurhash3_32

from evocrawl.core.errors import QueryError, SettingError
from evocrawl.core.model import Content, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.relevance.base import ANCHOR_SHARE, Contribution, Extra
from evocrawl.relevance.calibration import calibration_of, chance_of
from evocrawl.relevance.examples import Example, read_examples
from evocrawl.relevance.query_language import language_of
from evocrawl.relevance.query_terms import QueryTerms, reader_of
from evocrawl.relevance.reading import Reader
from evocrawl.relevance.term_frequencies import Background, background
from evocrawl.relevance.terms import Analyser, primary_language

SIZE = 2**16
"""Number of features."""

_EPOCHS = 40
_BATCH = 8
"""Pages of the crawl that are learnt at once, with as many relevant examples."""
_PASSES = 4
_RANDOM_TEXTS, _RANDOM_WORDS = 40, 300
_KNOWN_TERMS = 50_000
_LONGEST_PHRASE = 2_000

Row = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]
"""Places and values of the non-zero features of a text."""


class Classifier:
    """The relevance model "classifier", which learns from the pages at `examples`.

    `query` and `language` only determine in which language the pages are read. Raises SettingError
    for examples that are missing or cannot be used: see `evocrawl.relevance.examples`.
    """

    reads: frozenset[Extra] = frozenset()
    needs_language = ""
    """The examples may be in any language, and they define which pages are relevant."""

    def __init__(self, query: str, language: str = "", *, examples: str = "") -> None:
        if not examples:
            allowed = "a folder or file of marked pages, which relevance=classifier needs"
            raise SettingError("examples", examples, allowed)
        found = read_examples(examples)
        self._reader, words = _reader_for(query, language, found)
        self._features = _Features(words)
        self.calibration = calibration_of("classifier")
        self._model = SGDClassifier(
            loss="log_loss", alpha=1e-4, learning_rate="constant", eta0=0.5, random_state=0
        )
        self._by_url = {fingerprint(each.url): each.is_relevant for each in found
                        if each.content is None and _is_address(each.url)}  # fmt: skip
        rows = [(each.is_relevant, self._row(each.content)) for each in found if each.content]
        self._relevant = [row for is_relevant, row in rows if is_relevant]
        irrelevant = [row for is_relevant, row in rows if not is_relevant]
        self._is_unlabelled = not irrelevant
        self._fit_first(irrelevant or _random_rows(words, self._features))
        self._waiting: list[tuple[Row, bool]] = []
        self._next_replay = 0

    def page(self, content: Content) -> float:
        """Return the chance that the classifier gives a page, both classes being equally likely."""
        evidence = self.evidence(content)
        return 0.0 if evidence is None else chance_of(evidence)

    def evidence(self, content: Content) -> float | None:
        """Return the log-odds that the classifier gives a page; None for a page without a word."""
        row = self._row(content)
        return self._decision(row) if len(row[0]) else None

    def explain(self, content: Content) -> tuple[Contribution, ...]:
        """Return what each term of a page adds to its log-odds, the largest share first."""
        mentions = self._reader.read(content).mentions
        places, values = self._features.row(mentions)
        shares = dict(zip(places.tolist(), (self._model.coef_[0, places] * values).tolist(),
                          strict=True))  # fmt: skip
        found = []
        for term, times in mentions.items():
            place, idf = self._features.place(term)
            if idf and place in shares:
                found.append(Contribution(term, times, idf, shares.pop(place)))
        return tuple(sorted(found, key=lambda one: (-one.share, one.term)))

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        """Return the weighted mean of anchor and context, 0 for words that say nothing."""
        return ANCHOR_SHARE * self._phrase(anchor) + (1 - ANCHOR_SHARE) * self._phrase(context)

    def learn(self, content: Content, relevant: bool) -> None:
        """Learn that a user has marked a page as relevant, or as not relevant."""
        row = self._row(content)
        if len(row[0]):
            if relevant:
                self._relevant.append(row)
            self._waiting.append((row, relevant))
            self._learn_waiting()

    def observe(self, page: Page) -> None:
        """Learn from a page of the crawl: by its label, or as an unlabelled page."""
        label = self._by_url.pop(page.fingerprint, None)
        if label is None and not self._is_unlabelled:
            return
        row = self._row(page.content)
        if not len(row[0]):
            return
        self._waiting.append((row, bool(label)))
        if len(self._waiting) >= _BATCH or label is not None:
            self._learn_waiting()

    def _row(self, content: Content) -> Row:
        return self._features.row(self._reader.read(content).mentions)

    def _decision(self, row: Row) -> float:
        places, values = row
        return float(self._model.coef_[0, places] @ values + self._model.intercept_[0])

    def _phrase(self, text: str) -> float:
        analyser = self._reader.analyser
        row = self._features.row(analyser.count_few(analyser.words(text[:_LONGEST_PHRASE])))
        return max(0.0, 2 * chance_of(self._decision(row)) - 1) if len(row[0]) else 0.0

    def _fit_first(self, irrelevant: list[Row]) -> None:
        rows = self._relevant + irrelevant
        labels = [True] * len(self._relevant) + [False] * len(irrelevant)
        halves = [len(rows) / (2 * max(len(each), 1)) for each in (self._relevant, irrelevant)]
        weights = [halves[0]] * len(self._relevant) + [halves[1]] * len(irrelevant)
        rng = np.random.default_rng(0)
        for _ in range(_EPOCHS):
            order = rng.permutation(len(rows))
            self._fit([rows[n] for n in order], [labels[n] for n in order],
                      [weights[n] for n in order])  # fmt: skip

    def _learn_waiting(self) -> None:
        """Take a step on the pages that wait, and on as many relevant examples."""
        known = len(self._relevant)
        again = [self._relevant[(self._next_replay + n) % known] for n in range(len(self._waiting))]
        self._next_replay = (self._next_replay + len(again)) % known
        rows = [*(row for row, _ in self._waiting), *again] * _PASSES
        labels = [*(label for _, label in self._waiting), *[True] * len(again)] * _PASSES
        self._waiting = []
        self._fit(rows, labels, [1.0] * len(rows))

    def _fit(self, rows: list[Row], labels: list[bool], weights: list[float]) -> None:
        ends = np.cumsum([0, *(len(places) for places, _ in rows)])
        places, values = (np.concatenate(each) for each in zip(*rows, strict=True))
        matrix = csr_matrix((values, places, ends), (len(rows), SIZE))
        self._model.partial_fit(matrix, labels, classes=[False, True], sample_weight=weights)


class _Features:
    """Maps counts of terms to hashed features of length 1."""

    def __init__(self, words: Background) -> None:
        self._words = words
        self._known: dict[str, tuple[int, float]] = {}

    def row(self, mentions: Mapping[str, int]) -> Row:
        """Return the features of a text; terms that nearly every text has are left out."""
        weights: dict[int, float] = {}
        for term, times in mentions.items():
            place, idf = self._known.get(term) or self.place(term)
            if idf:
                weight = (1 + math.log(times)) * idf
                weights[place] = weights.get(place, 0.0) + weight
        length = math.hypot(*weights.values()) or 1.0
        count = len(weights)
        return (
            np.fromiter(weights, np.int64, count),
            np.fromiter(weights.values(), np.float64, count) / length,
        )

    def place(self, term: str) -> tuple[int, float]:
        """Return the place of a term's feature and its idf, 0 for a term that is left out."""
        if len(self._known) >= _KNOWN_TERMS:
            self._known.clear()
        place = murmurhash3_32(term.encode("utf-8", "replace"), positive=True) % SIZE
        idf = 0.0 if term in self._words.common else self._words.idf.get(term, self._words.unknown)
        found = self._known[term] = place, idf
        return found


def _is_address(url: str) -> bool:
    try:
        fingerprint(url)
    except ValueError:
        return False
    return True


def _reader_for(query: str, language: str, found: list[Example]) -> tuple[Reader, Background]:
    """Return the reader of the pages, and the word list of their language."""
    try:
        terms = QueryTerms(query, language)
    except QueryError:
        texts = " ".join(each.content.text[:500] for each in found if each.content)
        code = primary_language(language) or language_of(texts)
        return reader_of(Analyser(code)), background(code)
    return terms.reader, terms.background


def _random_rows(words: Background, features: _Features) -> list[Row]:
    """Return texts of random words; none for a language without a word list."""
    if not words.idf:
        return []
    rng: Any = np.random.default_rng(0)
    terms = sorted(words.idf)
    shares = np.exp([-words.idf[term] for term in terms])
    shares /= shares.sum()
    rows = []
    for _ in range(_RANDOM_TEXTS):
        drawn, counts = np.unique(
            rng.choice(len(terms), _RANDOM_WORDS, p=shares), return_counts=True
        )
        rows.append(features.row({terms[n]: int(c) for n, c in zip(drawn, counts, strict=True)}))
    return rows
