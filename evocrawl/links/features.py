"""The dense features of a link target, each about in [−1, 1], from all links that lead to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evocrawl.links.evidence import FAR, Evidence, Rows
from evocrawl.links.profile import Profile
from evocrawl.links.tokens import WordModel
from evocrawl.links.words import ANCHOR, ANCHOR_COLUMNS, CONTEXT, CONTEXT_COLUMNS, URL, plain

Matrix = npt.NDArray[np.float64]

FEATURES = (
    "bias", "words_max", "words_mean", "anchor", "context", "url", "parent_max", "parent_mean",
    "links", "parent_sum", "host", "folder", "path", "hub", "anchor_profile", "context_profile",
    "url_profile", "distance", "anchor_x_parent", "anchor_profile_x_parent", "parent_like_max",
    "parent_like_mean", "parent_title", "new_host", "new_folder", "new_parent", "near",
)  # fmt: skip
"""Their names; docs/evo.md says what each one is."""

_INDEX = {name: number for number, name in enumerate(FEATURES)}
_SHRINK = 3.0
_SHRINK_HUB = 2.0
_STEPS = np.array([-2, -1, 1, 2])


@dataclass(frozen=True, slots=True)
class Tuning:
    """What an ablation leaves out: `without` names features that are 0, parts of the model, or
    groups."""

    without: frozenset[str] = frozenset()

    def has(self, part: str) -> bool:
        """Return True unless a part was left out."""
        return part not in self.without


@dataclass(frozen=True, slots=True)
class Describer:
    """Computes features from the evidence, the words' weights and the profile as they are now."""

    evidence: Evidence
    words: WordModel
    profile: Profile
    mask: Matrix

    def features(self, rows: Rows) -> Matrix:
        """Return the features of targets, shape (n, len(FEATURES)); 0 where no link leads.

        O(n · KEPT · WIDTH).
        """
        x = np.zeros((len(rows), len(FEATURES)))
        x[:, 0] = 1.0
        of_rows = self.evidence.inlinks(rows)
        there = of_rows >= 0
        linked = there.any(1)
        if linked.any():
            x[linked] = self._of_linked(
                rows[linked], of_rows[there].astype(np.intp), there.sum(1)[linked]
            )
        return x * self.mask

    def _of_linked(self, rows: Rows, each: Rows, n: npt.NDArray[np.intp]) -> Matrix:
        """Features of `rows`: of the links `each`, the first n[0] lead into the first one."""
        known = self.evidence
        pages, targets, groups = known.pages, known.targets, known.groups
        mean = known.mean_label
        starts = np.concatenate(([0], np.cumsum(n)[:-1]))
        source = known.links["source"][each]
        label = pages["label"][source].astype(float)
        logits = np.clip(self.words.logits(known.words(each)), -4, 4).astype(float) / 4
        maxed = self._to_be_maxed(each, source, label, logits)
        summed = self._to_be_summed(each, source, label, logits)
        most = np.maximum.reduceat(maxed, starts, axis=0)
        total = np.add.reduceat(summed, starts, axis=0)
        mean_of = total / n[:, None]
        parent = (total[:, 0] + mean) / (n + 1)
        host, folder = targets["host"][rows], targets["folder"][rows]
        host_rate = self._rate(host, mean)
        profiled = np.minimum(most[:, 3:5], 1.5)
        url_words = plain(targets["words"][rows], URL)
        columns = {
            "bias": np.ones(len(rows)),
            "words_max": most[:, 0],
            "words_mean": mean_of[:, 1],
            "anchor": most[:, 1],
            "context": np.sqrt(most[:, 2]),
            "url": targets["url_match"][rows],
            "parent_max": most[:, 5],
            "parent_mean": parent,
            "links": np.log1p(targets["count"][rows]) / 3,
            "parent_sum": np.log1p(total[:, 0]),
            "host": _lift(host_rate, mean),
            "folder": _lift(self._rate(folder, host_rate), host_rate),
            "path": _lift(mean_of[:, 2], mean),
            "hub": _lift(mean_of[:, 3], mean),
            "anchor_profile": profiled[:, 0],
            "context_profile": profiled[:, 1],
            "url_profile": np.minimum(self.profile.match(url_words), 1.5),
            "distance": -most[:, 6] / FAR,
            "anchor_x_parent": most[:, 1] * parent,
            "anchor_profile_x_parent": profiled[:, 0] * parent,
            "parent_like_max": most[:, 7],
            "parent_like_mean": mean_of[:, 4],
            "parent_title": most[:, 8],
            "new_host": 1 / np.sqrt(1 + groups["tried"][host]),
            "new_folder": 1 / np.sqrt(1 + groups["tried"][folder]),
            "new_parent": mean_of[:, 5],
            "near": _lift(mean_of[:, 6], mean),
        }
        return np.stack([columns[name] for name in FEATURES], axis=1)

    def _to_be_maxed(self, each: Rows, source: Rows, label: Matrix, logits: Matrix) -> Matrix:
        """Values of links of which the greatest counts for their target."""
        links, pages = self.evidence.links, self.evidence.pages
        words = links["words"][each]
        return np.stack(
            (
                logits,
                links["anchor_match"][each],
                links["context_match"][each],
                self.profile.match(plain(words[:, ANCHOR_COLUMNS], ANCHOR)),
                self.profile.match(plain(words[:, CONTEXT_COLUMNS], CONTEXT)),
                label,
                -pages["distance"][source],
                pages["like"][source],
                pages["title_match"][source],
            ),
            axis=1,
        )

    def _to_be_summed(self, each: Rows, source: Rows, label: Matrix, logits: Matrix) -> Matrix:
        """Values of links of which the sum or the mean counts for their target."""
        links, pages, mean = self.evidence.links, self.evidence.pages, self.evidence.mean_label
        return np.stack(
            (
                label,
                logits,
                self._rate(links["path"][each], mean),
                self._hub(source, label, mean),
                pages["like"][source],
                1 / np.sqrt(1 + pages["tried"][source]),
                self._near(each, source, mean),
            ),
            axis=1,
        )

    def _rate(self, numbers: npt.NDArray[np.int32], prior: npt.ArrayLike) -> Matrix:
        """How good what was tried of some groups was, drawn towards `prior`."""
        groups = self.evidence.groups
        # Rounding may leave a little less than nothing.
        gained, tried = np.maximum(groups["gained"][numbers], 0), groups["tried"][numbers]
        rate: Matrix = (gained + _SHRINK * np.asarray(prior)) / (tried + _SHRINK)
        return rate

    def _hub(self, source: Rows, label: Matrix, mean: float) -> Matrix:
        """How good the links are that were followed from the same pages."""
        pages = self.evidence.pages
        prior = np.maximum(mean, 0.5 * label)
        rate: Matrix = (np.maximum(pages["gained"][source], 0) + _SHRINK_HUB * prior) / (
            pages["tried"][source] + _SHRINK_HUB
        )
        return rate

    def _near(self, each: Rows, source: Rows, mean: float) -> Matrix:
        """How good the targets of the links beside it on the page were, two to each side."""
        links, targets, pages = self.evidence.links, self.evidence.targets, self.evidence.pages
        beside = np.clip(each[:, None] + _STEPS, 0, len(links) - 1)
        page = targets["page"][links["target"][beside]]
        counts = (
            (page >= 0) & (links["source"][beside] == source[:, None]) & (beside != each[:, None])
        )
        gained = np.where(counts, pages["label"][page], 0.0).sum(1)
        rate: Matrix = (gained + mean) / (counts.sum(1) + 1)
        return rate


def mask_of(tuning: Tuning) -> Matrix:
    """Return 1 for the features in use, 0 for those left out."""
    return np.array([float(tuning.has(name)) for name in FEATURES])


def _lift(rate: npt.ArrayLike, base: npt.ArrayLike) -> Matrix:
    """How much better than `base` a rate is: its logarithm, in [−1, 1] for factors e^±3."""
    ratio = np.log((np.asarray(rate) + 0.02) / (np.asarray(base) + 0.02))
    clipped: Matrix = np.clip(ratio, -3, 3) / 3
    return clipped
