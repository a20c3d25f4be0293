"""Shares what a link model learns with the models of other populations of the crawl.

Each model keeps its own knowledge separate from the sum of the parts of all others. Its
posterior is the product of the prior and of one normal factor a population: precisions and
precision-weighted means add up (Tresp 2000, Neural Computation 12, A Bayesian committee machine).
So do the counts of visits, groups and words, and the sums of cosines with the query. The gradients
of the others move the weights of words as they would move them here, at the rate of all squares
(Dean et al. 2012, NIPS, Large scale distributed deep networks). Host and folder are learnt by the
worker that leases the host, and the features of a link by the worker that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from evocrawl.species.evo.link_model.evidence import SHARED_GROUPS, LinkGraph
from evocrawl.species.evo.link_model.hashing import BUCKETS
from evocrawl.species.evo.link_model.nearness import Nearness
from evocrawl.species.evo.link_model.page_labels import PageLabels
from evocrawl.species.evo.link_model.part import (
    MOST_BACKGROUND,
    MOST_BEST,
    MOST_WORDS,
    LearntPart,
    pack,
    square,
    triangle,
    unpack,
)
from evocrawl.species.evo.link_model.posterior import Posterior
from evocrawl.species.evo.link_model.profile import OthersPages, Profile
from evocrawl.species.evo.link_model.word_model import WordModel

Array = npt.NDArray[np.float64]

_COLUMNS = ("tried", "gained", "dead")
_LEAST_SQUARE = 1e-2


class ModelSharing:
    """Separates the knowledge of a model by its own visits from that of other models.

    The arguments are the model's parts; `changed` is called when others have changed its scores.
    See `evocrawl.species.base.Mergeable`.
    """

    def __init__(
        self,
        evidence: LinkGraph,
        words: WordModel,
        profile: Profile,
        posterior: Posterior,
        labels: PageLabels,
        nearness: Nearness,
        changed: Callable[[], None],
    ) -> None:
        self._evidence = evidence
        self._word_model = words
        self._profile = profile
        self._posterior = posterior
        self._page_labels = labels
        self._nearness = nearness
        self._changed = changed
        self._groups = np.zeros((SHARED_GROUPS, len(_COLUMNS)))
        self._labels, self._tries = 0.0, 0
        self._words = _SharedWords(words)
        self._background = np.zeros((2, BUCKETS))
        d = len(posterior.mean)
        self._precision, self._weighted = np.zeros((d, d)), np.zeros(d)

    def pack(self) -> bytes:
        """Return what this population's own visits have taught. O(words + pages kept)."""
        return pack(self.part())

    def unpack(self, packed: bytes) -> LearntPart:
        """Return the part of another population. Raises ValueError."""
        return unpack(packed)

    def part(self) -> LearntPart:
        """Return what this population's own visits have taught. O(words + pages kept)."""
        evidence = self._evidence
        precision, weighted = self._posterior.learnt()
        group_sums = self._own_groups()
        groups = np.flatnonzero(group_sums.any(axis=1))
        words, word_sums = self._words.part()
        own = self._profile.background
        background = _greatest(own.pages_with, MOST_BACKGROUND)
        counts = [
            max(evidence.labels - self._labels, 0.0), evidence.tries - self._tries, own.pages,
            self._word_model.bias,
        ]  # fmt: skip
        return LearntPart(
            triangle(precision), weighted, np.array(counts), self._nearness.sums,
            self._page_labels.best()[:MOST_BEST],
            groups.astype(np.uint16), group_sums[groups],
            words, word_sums,
            background.astype(np.uint16), np.stack((own.sums, own.pages_with), axis=1)[background],
            *self._page_labels.good_pages(),
        )  # fmt: skip

    def merge(self, parts: Sequence[LearntPart]) -> None:
        """Use the sum of `parts`, one for each other population, in place of the last sum."""
        precision, weighted = np.zeros_like(self._precision), np.zeros_like(self._weighted)
        groups = np.zeros_like(self._groups)
        for each in parts:
            precision += square(each.precision)
            weighted += each.weighted
            groups[each.groups] += each.group_sums
        self._posterior.absorb(precision - self._precision, weighted - self._weighted)
        own = self._own_groups()
        for name, column in zip(_COLUMNS, (own + groups).T, strict=True):
            self._evidence.groups[name][:SHARED_GROUPS] = column
        self._precision, self._weighted, self._groups = precision, weighted, groups
        self._merge_counts(parts)
        self._words.merge(parts)
        best = np.concatenate([np.zeros(0), *(each.best for each in parts)])
        pages = _pages_of(parts, self._background)
        self._page_labels.use_others(pages, best)
        cosines = sum((each.cosines for each in parts), np.zeros_like(self._nearness.sums))
        self._nearness.note_others(len(pages.good), cosines)
        self._changed()

    def _merge_counts(self, parts: Sequence[LearntPart]) -> None:
        evidence, words = self._evidence, self._word_model
        own = evidence.tries - self._tries
        labels = float(sum(each.sums[0] for each in parts))
        tries = int(sum(each.sums[1] for each in parts))
        evidence.labels += labels - self._labels
        evidence.tries += tries - self._tries
        self._labels, self._tries = labels, tries
        # The bias is no sum: each population moves it towards the same value.
        if tries:
            biases = sum(float(each.sums[1] * each.sums[3]) for each in parts)
            words.bias = (own * words.bias + biases) / (own + tries)

    def _own_groups(self) -> Array:
        groups = self._evidence.groups
        columns = [groups[name][:SHARED_GROUPS] for name in _COLUMNS]
        # Single precision may leave a value slightly below 0.
        own: Array = np.maximum(np.stack(columns, axis=1) - self._groups, 0)
        own[own[:, 0] < 0.5] = 0
        return own


class _SharedWords:
    """The gradients of words: own ones, and the sum of the others'.

    Shape (2, BUCKETS): gradients and their squares. Only the words that have changed are computed.
    """

    def __init__(self, words: WordModel) -> None:
        self._words = words
        self._own = np.zeros((2, BUCKETS))
        self._others, self._spare = np.zeros((2, 2, BUCKETS))
        self._weights, self._squares = words.weights.copy(), words.squares.copy()

    def part(self) -> tuple[npt.NDArray[np.uint16], Array]:
        """Return the words with the greatest gradients, and their sums."""
        self._count_own()
        strength = np.abs(self._own[0]) / np.sqrt(self._own[1] + _LEAST_SQUARE)
        words = _greatest(strength, MOST_WORDS)
        return words.astype(np.uint16), self._own[:, words].T

    def merge(self, parts: Sequence[LearntPart]) -> None:
        self._count_own()
        others = self._spare
        _add_up(others, [each.words for each in parts], [each.word_sums for each in parts])
        moved = np.flatnonzero((others != self._others).any(axis=0))
        change, words = others[:, moved] - self._others[:, moved], self._words
        squares = np.maximum(words.squares[moved] + change[1], _LEAST_SQUARE)
        words.squares[moved] = squares
        words.weights[moved] += (change[0] / np.sqrt(squares)).astype(np.float32)
        words.weights[0] = 0
        self._others, self._spare = others, self._others
        self._note(moved)

    def _count_own(self) -> None:
        """Add the steps since the last time; a step is a gradient by the root of its squares."""
        words = self._words
        has_moved = (words.squares != self._squares) | (words.weights != self._weights)
        moved = np.flatnonzero(has_moved)
        steps = words.weights[moved] - self._weights[moved]
        self._own[0, moved] += steps * np.sqrt(words.squares[moved])
        self._own[1, moved] += words.squares[moved] - self._squares[moved]
        self._note(moved)

    def _note(self, moved: npt.NDArray[np.intp]) -> None:
        self._weights[moved] = self._words.weights[moved]
        self._squares[moved] = self._words.squares[moved]


def _pages_of(parts: Sequence[LearntPart], into: Array) -> OthersPages:
    """Return the words of all pages of the others, summed up in `into`, and their good pages."""
    sums, pages_with = into
    _add_up(into, [each.background for each in parts], [each.background_sums for each in parts])
    empty = OthersPages()
    return OthersPages(
        int(sum(each.sums[2] for each in parts)),
        sums,
        pages_with,
        np.concatenate([empty.good, *(each.good for each in parts)]).astype(float),
        np.concatenate([empty.ids, *(each.good_ids for each in parts)]),
        np.concatenate([empty.values, *(each.good_values for each in parts)]).astype(np.float32),
    )


def _add_up(total: Array, words: Sequence[Array], sums: Sequence[Array]) -> None:
    """Set `total`, shape (2, BUCKETS), to the sums over populations of two numbers a word.

    A population has each of its `words` once. As places, small integers take three times as long;
    and so would the pages of new memory.
    """
    total.fill(0)
    first, second = total
    for some, numbers in zip(words, sums, strict=True):
        places = some.astype(np.intp)
        first[places] += numbers[:, 0]
        second[places] += numbers[:, 1]


def _greatest(values: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.intp]:
    """Return the places of the `most` greatest values above 0, in ascending order."""
    above = np.flatnonzero(values > 0)
    if len(above) > most:
        above = above[np.argpartition(-values[above], most)[:most]]
    return np.sort(above)
