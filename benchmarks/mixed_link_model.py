"""A link model with word vectors, or with several hypotheses about the weights of its features.

A hypothesis is a posterior over the weights of the features in its view. In the mixture, each visit
is compared with the latest m = 64 visits, and a hypothesis loses the differences of labels in the
pairs that it puts in the wrong order ::

    loss_k = 1/m · Σ_j |y − y_j| · [order_k(x, x_j) ≠ order(y, y_j)]     in [0, 1]
    w_k ∝ π_k · exp(−η · Σ loss_k)      (Hedge; Freund & Schapire 1997, JCSS 55)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evocrawl.core.model import Content
from evocrawl.relevance.vectors.model import Vectors
from evocrawl.species import Species, SpeciesContext
from evocrawl.species.evo.link_model import FEATURES, LinkModel, prior
from evocrawl.species.evo.link_model.hashing import (
    ANCHOR_COLUMNS,
    BUCKETS,
    CONTEXT_COLUMNS,
    URL_COLUMNS,
    Hasher,
    Ids,
    Reader,
    plain,
)
from evocrawl.species.evo.link_model.history import History
from evocrawl.species.evo.link_model.posterior import Matrix, Posterior, Vector
from evocrawl.species.evo.species import evo

NEARNESS = ("anchor_near_query", "context_near_query", "url_near_query",
            "anchor_near_good", "context_near_good", "url_near_good")  # fmt: skip
NAMES = (*FEATURES, *NEARNESS, "barren_host")
D, OLD = len(NAMES), len(FEATURES)
NEAR = slice(OLD, OLD + len(NEARNESS))
BY_HAND = np.array([0.375, 0.175, 0.25, 0.25, 0.125, 0.175])
STIFF, WEAK = 20.0, 1.0
_SCALE = 3.0
"""Brings cosines of links to the range of other features."""
_FIELDS = (ANCHOR_COLUMNS, CONTEXT_COLUMNS, URL_COLUMNS)
_MOST_GOOD, _GOOD = 40, 0.5
RATE, COMPARED = 8.0, 64
_TIE = 1e-12


@dataclass(frozen=True)
class Hypothesis:
    """Which features count (1 or 0), the prior of their weights, and the first weight."""

    view: Vector
    mean: Vector
    precision: Matrix
    share: float


def hypothesis(
    near: float = 0.0, precision: float = STIFF, barren: float = 0.0, share: float = 1.0
) -> Hypothesis:
    """Return the shipped prior, with `near` times the weights by hand of the word vectors."""
    shipped = prior.shipped()
    mean, view, precisions = np.zeros(D), np.ones(D), np.eye(D)
    mean[:OLD], precisions[:OLD, :OLD] = shipped.mean, shipped.precision
    mean[NEAR], mean[-1] = near * BY_HAND, barren
    precisions[NEAR, NEAR] *= precision
    view[NEAR], view[-1] = near != 0, barren != 0
    return Hypothesis(view, mean, precisions, share)


class Mixture:
    """Hypotheses with their weights; a `Posterior` for the link model."""

    def __init__(self, hypotheses: list[Hypothesis], rate: float) -> None:
        self.views = np.array([each.view for each in hypotheses])
        self.posteriors = [Posterior(each.mean * each.view, each.precision) for each in hypotheses]
        self.rate = rate
        self.credit = np.log([each.share for each in hypotheses])
        self.seen: list[tuple[Vector, float]] = []
        self.mix()

    @property
    def weights(self) -> Vector:
        shares = np.exp(self.credit - self.credit.max())
        weights: Vector = shares / shares.sum()
        return weights

    def mix(self) -> None:
        self.mean: Vector = self.weights @ (
            np.array([each.mean for each in self.posteriors]) * self.views
        )

    def update(self, x: Vector, y: float, weight: float = 1.0) -> None:
        rows = self.views * x
        self.judge(
            np.array([row @ each.mean for row, each in zip(rows, self.posteriors, strict=True)]), y
        )
        for row, each in zip(rows, self.posteriors, strict=True):
            each.update(row, y, weight)
        self.mix()

    def judge(self, scores: Vector, y: float) -> None:
        """Lower the weights of the hypotheses by their losses for a visit."""
        if self.seen:
            before = np.array([each for each, _ in self.seen])
            apart = y - np.array([each for _, each in self.seen])
            order = (scores - before) * np.sign(apart)[:, None]
            wrong = np.where(np.abs(order) <= _TIE, 0.5, order < 0)
            self.credit = self.credit - self.rate * (np.abs(apart) @ wrong) / COMPARED
        self.seen = [*self.seen, (scores, y)][-COMPARED:]

    def refit(self, xs: Matrix, ys: Vector, weights: Vector) -> None:
        for view, each in zip(self.views, self.posteriors, strict=True):
            each.refit(xs * view, ys, weights)
        self.mix()

    def root(self) -> Matrix:
        heaviest = int(np.argmax(self.credit))
        root: Matrix = self.posteriors[heaviest].root() * self.views[heaviest][:, None]
        return root


class MeetingHasher(Hasher):
    """Keeps the vector of the first word of each bucket."""

    def __init__(self, reader: Reader, vectors: Vectors) -> None:
        super().__init__(reader, self._note)
        self.vectors = vectors
        self.table = np.zeros((BUCKETS, len(vectors.query)), np.float32)
        self.are_met = np.zeros(BUCKETS, np.bool_)

    def _note(self, keys: Sequence[str], buckets: Sequence[int]) -> None:
        for key, bucket in zip(keys, buckets, strict=True):
            if not self.are_met[bucket]:
                self.are_met[bucket] = True
                self.table[bucket] = self.vectors.embedding.of_text(key.removeprefix("\0"))


class ExtendedModel(LinkModel):
    """The link model with the features NAMES, and a mixture in the place of its posterior."""

    def __init__(
        self, have: SpeciesContext, hypotheses: list[Hypothesis], rate: float = RATE
    ) -> None:
        reader = have.lexicon().analyser
        super().__init__(have.relevance.link, reader, have.relevant_at, prior.shipped())
        self.posterior = Mixture(hypotheses, rate)  # type: ignore[assignment]
        self._root = self.posterior.root()
        self._history = History(D)
        self.best_of_host = np.zeros(0)
        self.pages_met: list[Vector] = []
        self.hasher: MeetingHasher | None = None
        parts = getattr(have.relevance, "parts", ())
        vectors = next((each.model for each in parts if isinstance(each.model, Vectors)), None)
        if vectors is None:
            return
        self.hasher = MeetingHasher(reader, vectors)
        self._reader._hasher = self.hasher
        self.query = self.good = _unit(vectors.query)
        read = self._reader.page

        def page(content: Content) -> Any:
            ids, values = read(content)
            self.pages_met.append(_unit(values @ self.hasher.table[ids]))  # type: ignore[union-attr]
            return ids, values

        self._reader.page = page  # type: ignore[method-assign]

    @property
    def width(self) -> int:
        return D

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES

    def features(self, rows: Any) -> Matrix:
        x = np.zeros((len(rows), D))
        x[:, :OLD] = super().features(rows)
        targets = self.evidence.targets.take(rows)
        hosts = targets["host"]
        self._know_hosts(int(hosts.max(initial=0)))
        visits = self.evidence.groups["tried"][hosts] * (self.best_of_host[hosts] < _GOOD)
        x[:, -1] = np.log1p(visits) / 3
        there = targets["links"] >= 0
        owners, links = np.nonzero(there)[0], targets["links"][there]
        if self.hasher is not None and len(links):
            x[:, NEAR] = -np.inf
            np.maximum.at(x[:, NEAR], owners, self._cosines(plain(self.evidence.words(links))))
            x[~there.any(1), NEAR] = 0
        return x

    def refit(self) -> None:
        super().refit()
        if self.hasher is None or not self.pages_met:
            return
        pages = np.array(self.pages_met)
        labels = self.evidence.pages["label"][: len(pages)]
        best = np.argsort(-labels, kind="stable")[: min(_MOST_GOOD, len(labels) * 3 // 20 + 2)]
        best = best[labels[best] >= _GOOD]
        self.good = _unit(self.query + labels[best] @ (pages[best] - pages.mean(0)))

    def _learn(self, row: int, label: float, page: int) -> None:
        super()._learn(row, label, page)
        host = int(self.evidence.targets.get_one("host", row))
        self._know_hosts(host)
        self.best_of_host[host] = max(self.best_of_host[host], label)

    def _know_hosts(self, last: int) -> None:
        if last >= len(self.best_of_host):
            self.best_of_host = np.pad(self.best_of_host, (0, last + 1))

    def _cosines(self, ids: Ids) -> Matrix:
        """Return the scaled cosines of links, shape (n, 6)."""
        assert self.hasher is not None
        near = np.zeros((len(ids), len(NEARNESS)))
        for field, columns in enumerate(_FIELDS):
            words = self.hasher.table[ids[:, columns]].sum(1)
            length = np.maximum(np.linalg.norm(words, axis=1), 1e-6)
            near[:, field] = _SCALE * (words @ self.query) / length
            near[:, field + 3] = _SCALE * (words @ self.good) / length
        return near


def _unit(vector: Any) -> Any:
    return (vector / max(float(np.linalg.norm(vector)), 1e-9)).astype(np.float32)


def extended(have: SpeciesContext, hypotheses: list[Hypothesis], rate: float = RATE) -> Species:
    """Return the species with an extended link model."""
    model = ExtendedModel(have, hypotheses, rate)
    return evo(have.frontier(), have.base.is_claimed, model, have.leads())
