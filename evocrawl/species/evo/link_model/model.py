"""The link model that a population shares: it learns from pages and scores links.

The model pools evidence about a link over all links to the same target, over its host, folder and
tag path, and over its pages. Two levels learn from the pages that links led to: `word_model` from
the words of links, `posterior` from `features`, one of which is the score of the first level. A
page is good by its label ::

    label = (1 − w) · min(1, relevance / r) + w · like         in [0, 1]

with r the mean relevance of the best pages so far, so that "good" means the same for any query,
and `like` the likeness to the profile, whose weight w is 0 until there are some good pages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Fingerprint, Link, Page
from evocrawl.species.evo.link_model.evidence import LinkGraph, PageLinks, Rows
from evocrawl.species.evo.link_model.features import (
    FEATURES,
    FeatureExtractor,
    Matrix,
    Tuning,
    mask_of,
)
from evocrawl.species.evo.link_model.hashing import Reader
from evocrawl.species.evo.link_model.history import History
from evocrawl.species.evo.link_model.link_reader import LinkReader, Match, links_of
from evocrawl.species.evo.link_model.posterior import Posterior
from evocrawl.species.evo.link_model.prior import Prior
from evocrawl.species.evo.link_model.profile import REMEMBERED, Profile
from evocrawl.species.evo.link_model.word_model import WordModel

_BEST_SHARE = 0.05
_BEST_AT_LEAST = 3
_TRUST_IN_BAR = 2.0
_GOOD = 1.3
_REPLAYS = 16
_WEIGHT_OF_MARK = 3.0
"""What a user says of a page counts as much as so many pages."""
_GROWTH = 1.1
_WHOLE = Tuning()


class LinkModel:
    """Stores the evidence about links and scores them.

    `match` computes the match of words with the query; `reader` reads them in the query's language;
    `relevant_at` > 0 is the relevance of a page about the query, from which the initial `r` is
    computed.
    """

    def __init__(
        self,
        match: Match,
        reader: Reader,
        relevant_at: float,
        prior: Prior,
        tuning: Tuning = _WHOLE,
        spill: SpillFile | None = None,
    ) -> None:
        self.evidence = LinkGraph(SpillFile() if spill is None else spill)
        self.row_of = self.evidence.row
        self.words = WordModel()
        self.profile = Profile()
        mask = mask_of(tuning)
        self.posterior = Posterior(prior.mean * mask, prior.precision)
        self.version = 0
        self._root, self._root_of = self.posterior.root(), 0
        self._tuning = tuning
        self._describer = FeatureExtractor(self.evidence, self.words, self.profile, mask)
        self._history = History(len(FEATURES))
        self._reader = LinkReader(match, reader)
        self._bar = _GOOD * relevant_at
        self.reference = self._bar
        self._next_refit = 5
        self._marks: dict[int, float] = {}

    def begin_near(self, reference: float) -> None:
        """Set the initial reference to the relevance of good pages of another crawl."""
        self._bar = self.reference = reference

    def features(self, rows: Rows) -> Matrix:
        """Return the features of targets, shape (n, d)."""
        return self._describer.features(rows)

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
        own = self._rows({page.fingerprint: page.url})[0]
        row = own if row is None else row
        links = links_of(page)
        rows = self._rows({target: link.url for target, link in links.items()})
        known = self.evidence.page_of(own)
        if known < 0:
            self._add(page, own, self._reader.links(rows, links.values()) if rows else None)
        elif rows:
            self._add_later(known, rows, links.values())
        if row != own:
            self._try(row, self.evidence.page_of(own))
        if self.evidence.tries >= self._next_refit:
            self.refit()
            self._next_refit = max(self.evidence.tries + 5, int(self.evidence.tries * _GROWTH))
        self.version += 1
        return dict(zip(links, rows, strict=True))

    def mark(self, page: Fingerprint, *, relevant: bool) -> bool:
        """Learn that a user calls a page relevant or not: its label is 1 or 0 from now on.

        Returns False for a page that the model does not know. O(pages kept), as a refit.
        """
        row = self.evidence.row(page)
        number = -1 if row is None else self.evidence.page_of(row)
        if row is None or number < 0:
            return False
        self._marks[number] = float(relevant)
        self.refit()
        inlinks = self.evidence.inlinks_of(row)
        if len(inlinks) and self._tuning.has("words"):
            labels = np.full(len(inlinks), float(relevant))
            self.words.learn(self.evidence.words(inlinks), labels, 1.0)
        self.version += 1
        return True

    def observe_dead_link(self, row: int) -> None:
        """Learn that the link to target `row` led to no page."""
        if self.evidence.is_open(row):
            self._learn(row, 0.0, -1)
            self.evidence.settle(row, 0.0, is_page=False)
            self.version += 1

    def refit(self) -> None:
        """Recompute the labels of the latest pages, the profile and the posterior."""
        pages = self.evidence.pages
        first = max(len(pages) - REMEMBERED, 0)
        latest = np.arange(first, len(pages))
        relevances = pages["relevance"][latest].astype(float)
        self.reference = self._reference_of(relevances)
        relative = np.minimum(1.0, relevances / self.reference)
        marked = [number for number in self._marks if number >= first]
        marks = [self._marks[number] for number in marked]
        relative[np.array(marked, np.intp) - first] = marks
        if self._tuning.has("profile"):
            pages["like"][latest] = self.profile.refit(relative)
        say = self.profile.say
        labels = (1 - say) * relative + say * pages["like"][latest]
        labels[np.array(marked, np.intp) - first] = marks
        self.evidence.relabel(latest, labels)
        xs, numbers = self._history.examples()
        if len(xs) and self._tuning.has("fit"):
            ys = np.where(numbers >= 0, pages["label"][numbers], 0.0).astype(float)
            weights = ys + (1 - ys) * self._weight_of_bad
            weights[np.isin(numbers, marked)] *= _WEIGHT_OF_MARK
            self.posterior.refit(xs, ys, weights)

    def _label(self, relevance: float, like: float) -> float:
        say = self.profile.say
        return (1 - say) * min(1.0, relevance / self.reference) + say * like

    def _reference_of(self, relevances: npt.NDArray[np.float64]) -> float:
        """Return the mean relevance of the best pages, shrunk towards that of a good page."""
        best = max(_BEST_AT_LEAST, int(_BEST_SHARE * len(relevances)))
        top = np.sort(relevances)[-best:]
        return float((top.sum() + _TRUST_IN_BAR * self._bar) / (len(top) + _TRUST_IN_BAR))

    @property
    def _weight_of_bad(self) -> float:
        """Weight of bad pages: less than 1 if there are many, so that good pages count."""
        good = self.evidence.labels
        return min(1.0, (good + 3) / max(self.evidence.tries - good, 1e-9))

    def _add(self, page: Page, row: int, found: PageLinks | None) -> None:
        """Add a new page and its links."""
        like = self.profile.add(*self._reader.page(page.content))
        match = self._reader.match_of_anchor(page.content.title)
        label = self._label(page.relevance, like)
        number = self.evidence.add_page(row, page.relevance, label, like, match)
        self._try(row, number)
        if found is not None:
            self.evidence.add_links(number, found)

    def _add_later(self, page: int, rows: list[int], links: Collection[Link]) -> None:
        """Add those links of a known page that it did not have before."""
        are_new = self.evidence.are_new_on(page, np.array(rows)).tolist()
        new = {row: link for row, link, is_new in zip(rows, links, are_new, strict=True) if is_new}
        if new:
            self.evidence.add_links(page, self._reader.links([*new], new.values()))

    def _try(self, row: int, page: int) -> None:
        """Learn that the target `row` is `page`, directly or by a redirect."""
        if not self.evidence.is_open(row):
            return
        label = float(self.evidence.pages["label"][page])
        self._learn(row, label, page)
        self.evidence.become(row, page)
        self.evidence.settle(row, label)

    def _learn(self, row: int, label: float, page: int) -> None:
        """Learn from the links into a target that has become `page` (−1: none).

        Words do not predict dead links: the feature `alive` does.
        """
        inlinks = self.evidence.inlinks_of(row)
        if not len(inlinks):
            return
        bad = self._weight_of_bad
        if self._tuning.has("fit"):
            x = self.features(np.array([row]))[0]
            self.posterior.update(x, label, label + (1 - label) * bad)
            self._history.add(x, page, int(inlinks[-1]))
        if page < 0 or not self._tuning.has("words"):
            return
        old, pages = self._history.replay(_REPLAYS)
        old, pages = old[pages >= 0], pages[pages >= 0]
        self.words.learn(
            self.evidence.words(np.concatenate((inlinks, old))),
            np.concatenate((np.full(len(inlinks), label), self.evidence.pages["label"][pages])),
            bad,
        )

    def _rows(self, urls: Mapping[Fingerprint, str]) -> list[int]:
        """Return the rows of addresses; add unknown addresses as targets."""
        row_of = self.evidence.row
        rows = [row_of(target) for target in urls]
        new = [target for target, row in zip(urls, rows, strict=True) if row is None]
        if new:
            targets = self._reader.targets({target: urls[target] for target in new})
            number = iter(self.evidence.add_targets(targets))
            return [next(number) if row is None else row for row in rows]
        return [row for row in rows if row is not None]
