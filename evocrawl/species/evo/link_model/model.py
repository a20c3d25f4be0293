"""The link model that a population shares: it learns from pages and scores links.

The model pools evidence about a link over all links to the same target, over its host, folder and
tag path, and over its pages. Two levels learn from the pages that links led to: `word_model` from
the words of links, `posterior` from `features`, one of which is the score of the first level. A
page is good by its label: see `page_labels`. Models of several populations of one crawl add up what
they learn: see `sharing`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Fingerprint, Page
from evocrawl.species.evo.link_model.evidence import LinkGraph, Rows
from evocrawl.species.evo.link_model.features import (
    FEATURES,
    IS_LEARNT,
    FeatureExtractor,
    Matrix,
    Tuning,
    mask_of,
)
from evocrawl.species.evo.link_model.hashing import Reader
from evocrawl.species.evo.link_model.history import History
from evocrawl.species.evo.link_model.incoming import Incoming
from evocrawl.species.evo.link_model.latest_features import LatestFeatures
from evocrawl.species.evo.link_model.latest_words import COMPARED
from evocrawl.species.evo.link_model.link_reader import LinkReader, Match, Meets
from evocrawl.species.evo.link_model.nearness import Nearness, WordVectors
from evocrawl.species.evo.link_model.page_evidence import PageEvidence
from evocrawl.species.evo.link_model.page_labels import PageLabels
from evocrawl.species.evo.link_model.page_words import PageWords, pack_words, unpack_words
from evocrawl.species.evo.link_model.posterior import Posterior
from evocrawl.species.evo.link_model.prior import Prior
from evocrawl.species.evo.link_model.profile import Profile
from evocrawl.species.evo.link_model.sharing import ModelSharing
from evocrawl.species.evo.link_model.word_model import WordModel
from evocrawl.species.evo.outdated import MOST_CHANGES, changes_by_page, most_changes

_GOOD = 1.3
_LEAST_BAR = 1e-6
_REPLAYS = 16
_WEIGHT_OF_MARK = 3.0
"""Number of pages that a user's mark counts as."""
_GROWTH = 1.1
_WHOLE = Tuning()


class LinkModel:
    """Stores the evidence about links and scores them.

    `match` computes the match of words with the query, `meets` tells which texts may have one;
    `reader` reads them in the query's language;
    `relevant_at` is the least relevance of a page about the query, from which the initial `r` is
    computed. `vectors` are word vectors with that of the query; without them, links are scored by
    their words alone.
    """

    def __init__(
        self,
        match: Match,
        reader: Reader,
        relevant_at: float,
        prior: Prior,
        tuning: Tuning = _WHOLE,
        spill: SpillFile | None = None,
        vectors: WordVectors | None = None,
        meets: Meets | None = None,
    ) -> None:
        self.evidence = LinkGraph(SpillFile() if spill is None else spill)
        self.row_of = self.evidence.row
        self._relevant_at = max(relevant_at, _LEAST_BAR)
        self.words = WordModel()
        self.profile = Profile()
        self.nearness = Nearness(vectors)
        mask = mask_of(tuning)
        self.posterior = Posterior(prior.mean * mask, prior.precision)
        self.version = 0
        self._root, self._root_of = self.posterior.root(), 0
        self._tuning = tuning
        self._describer = FeatureExtractor(
            self.evidence, self.words, self.profile, self.nearness, mask
        )
        self._history = History(len(FEATURES))
        self._reader = LinkReader(match, reader, self.nearness.note_words, meets)
        has_profile = tuning.has("profile")
        self.labels = PageLabels(
            self.evidence, self.profile, _GOOD * self._relevant_at, has_profile=has_profile
        )
        self._pages = PageEvidence(self.evidence, self._reader, self.profile, self.labels)
        self._latest = LatestFeatures()
        self._next_refit = 5
        self._next_comparison = 1

    def features(self, rows: Rows) -> Matrix:
        """Return the features of targets, shape (n, d)."""
        features = self._describer.features(rows)
        self._latest.keep(rows, features, self.version, self.nearness.strength)
        return features

    @property
    def followed(self) -> int:
        """The number of links that the crawl has followed, of other populations as well."""
        return self.evidence.tries

    @property
    def width(self) -> int:
        """The number of features, d."""
        return len(FEATURES)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return FEATURES

    @property
    def mean(self) -> Matrix:
        """The mean of the weights, shape (d,)."""
        return self.posterior.mean

    def usual_features(self) -> Matrix:
        """Return the mean features of the links that were followed lately, shape (d,)."""
        xs, _ = self._history.examples()
        usual: Matrix = xs.mean(axis=0) if len(xs) else np.zeros(len(FEATURES))
        return usual

    def scores(self, features: Matrix) -> Matrix:
        """Return the scores of targets with these features, as log-odds, shape (n,)."""
        scores: Matrix = features @ self.posterior.mean
        return scores

    def sampled(self, z: Matrix, temperature: float) -> Matrix:
        """Return weights drawn from the posterior by a standard normal `z`, shape (d,)."""
        if temperature <= 0:
            return self.posterior.mean
        if self._root_of != self.version:
            self._root, self._root_of = self.posterior.root(), self.version
        weights: Matrix = self.posterior.mean + temperature * (self._root @ z)
        return weights

    def observe_page(self, page: Page, row: int | None) -> dict[Fingerprint, int]:
        """Learn from a page that the link to target `row` led to (None: a seed).

        If the page is known, learn from those of its links that it did not have before. Return the
        rows of the targets that the page links to. O(links of the page), plus refits at growing
        intervals, of O(1) a page.
        """
        own, rows = self._pages.add_own(page, self._begin_with)
        row = own if row is None else row
        if row != own and (self.evidence.is_open(row) or self.evidence.page_of(row) < 0):
            self._try(self.evidence.incoming(row), self.evidence.page_of(own))
        if self.nearness.has_vectors and len(self.evidence.links) >= self._next_comparison:
            self._compare()
        if self.evidence.tries >= self._next_refit:
            self.refit()
            self._next_refit = max(self.evidence.tries + 5, int(self.evidence.tries * _GROWTH))
        self._count_changes([own])
        return rows

    def observe_foreign_pages(
        self, pages: Sequence[Page], digests: Sequence[PageWords | None]
    ) -> list[dict[Fingerprint, int]]:
        """Add the links of pages that other populations have fetched, and learn from.

        `digests` are the words of the pages; those of a page without them are read from its text.
        Return the rows of the targets that each page links to. O(links of the pages).
        """
        read = self._pages.add_foreign(pages, digests)
        self._count_changes([own for own, _ in read])
        return [rows for _, rows in read]

    def digest(self, page: Page) -> bytes:
        """Return the words of a page for other populations, and its distance."""
        return pack_words(self._pages.words(page))

    def read_digest(self, packed: bytes) -> PageWords:
        """Return the words of a page of another population. Raises ValueError."""
        return unpack_words(packed)

    def share(self) -> ModelSharing:
        """Return what this model learns, which adds up over populations; call it once."""
        return ModelSharing(
            self.evidence, self.words, self.profile, self.posterior, self.labels,
            self.nearness, self._changed,
        )  # fmt: skip

    def _changed(self) -> None:
        theirs = float(max(self.profile.others.good, default=0.0)) / self._relevant_at
        self.evidence.best = max(self.evidence.best, min(1.0, theirs))
        if self.evidence.tries >= self._next_refit:
            # A population that waits for links of others would not: it fetches no page. The
            # posterior stays the sum of the parts until its own next page.
            self.labels.refit()
        self.version += MOST_CHANGES

    def mark(self, page: Fingerprint, *, relevant: bool) -> bool:
        """Learn that a user calls a page relevant or not: its label is 1 or 0 from now on.

        Returns False for a page that the model does not know. O(pages kept), as a refit.
        """
        row = self.evidence.row(page)
        number = -1 if row is None else self.evidence.page_of(row)
        if row is None or number < 0:
            return False
        incoming = self.evidence.incoming(row)
        if relevant:
            self.evidence.note_best(incoming.host, 1.0)
        self.labels.marks[number] = float(relevant)
        self.nearness.note_label(float(relevant))
        self.refit()
        if len(incoming.links) and self._tuning.has("words"):
            labels = np.full(len(incoming.links), float(relevant))
            self.words.learn(incoming.words(), labels, 1.0)
        self.version += MOST_CHANGES
        return True

    def observe_dead_link(self, row: int) -> None:
        """Learn that the link to target `row` led to no page."""
        if self.evidence.is_open(row):
            incoming = self.evidence.incoming(row)
            self._learn(incoming, 0.0, -1)
            self.evidence.settle(incoming, 0.0, is_page=False)
            self.version += 1

    def refit(self) -> None:
        """Recompute the labels of the latest pages, the profile and the posterior."""
        self.labels.refit()
        pages = self.evidence.pages
        xs, numbers = self._history.examples()
        if len(xs) and self._tuning.has("fit"):
            ys = np.where(numbers >= 0, pages["label"][numbers], 0.0).astype(float)
            weights = ys + (1 - ys) * self._weight_of_bad
            weights[np.isin(numbers, self.labels.marked())] *= _WEIGHT_OF_MARK
            self.posterior.refit(xs, ys, weights)

    def _compare(self) -> None:
        """Compare the nearness of links from now on with that of the latest ones."""
        count = len(self.evidence.links)
        self.nearness.compare(self.evidence.latest_words(), count)
        self._next_comparison = count + max(1, min(count, COMPARED) // 4)

    @property
    def _weight_of_bad(self) -> float:
        """Weight of bad pages: less than 1 if there are many, so that good pages count."""
        good = self.evidence.labels
        return min(1.0, (good + 3) / max(self.evidence.tries - good, 1e-9))

    def _count_changes(self, rows: Sequence[int]) -> None:
        """Count what was learnt from the pages of some targets."""
        labels = self.evidence.pages["label"][[self.evidence.page_of(row) for row in rows]]
        self.version += changes_by_page(float(labels.max(initial=0.0)), self.followed)

    def _begin_with(self, incoming: Incoming, page: int, label: float) -> None:
        """Learn from a new page of this population."""
        self.nearness.note_label(label)
        self._try(incoming, page)

    def _try(self, incoming: Incoming, page: int) -> None:
        """Learn that the target of some links is `page`, directly or by a redirect.

        If the target was dead at an earlier visit, both visits count.
        """
        label = float(self.evidence.pages["label"][page])
        self._learn(incoming, label, page)
        self.evidence.become(incoming.row, page)
        self.evidence.settle(incoming, label)
        relevance = float(self.evidence.pages["relevance"][page])
        self.evidence.note_best(incoming.host, relevance / self._relevant_at)

    def _learn(self, incoming: Incoming, label: float, page: int) -> None:
        """Learn from the links into a target that has become `page` (−1: none).

        Words do not predict dead links: the feature `alive` does.
        """
        row = incoming.row
        known = self._latest.take(
            row, self.version, self.nearness.strength, most_changes(self.followed)
        )
        if not len(incoming.links):
            return
        bad, words = self._weight_of_bad, incoming.words()
        if self._tuning.has("fit"):
            x = self._describer.features(np.array([row]))[0] if known is None else known
            x = x * IS_LEARNT
            self.posterior.update(x, label, label + (1 - label) * bad)
            self._history.add(x, page, words[-1])
        if page < 0 or not self._tuning.has("words"):
            return
        old, pages = self._history.replay(_REPLAYS)
        old, pages = old[pages >= 0], pages[pages >= 0]
        self.words.learn(
            np.concatenate((words, old)),
            np.concatenate((np.full(len(words), label), self.evidence.pages["label"][pages])),
            bad,
        )
