"""Computes the dense features of a link target, each about in [−1, 1], from all its links."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.paged_rows import Records
from evocrawl.species.evo.link_model.evidence import FAR, LinkGraph, Reals, Rows
from evocrawl.species.evo.link_model.hashing import Ids, plain
from evocrawl.species.evo.link_model.nearness import Nearness
from evocrawl.species.evo.link_model.profile import Profile
from evocrawl.species.evo.link_model.word_model import WordModel

Matrix = npt.NDArray[np.float64]

FEATURES = (
    "bias", "words_max", "words_mean", "anchor", "context", "url", "parent_max", "parent_mean",
    "links", "parent_sum", "host", "folder", "path", "hub", "anchor_profile", "context_profile",
    "url_profile", "distance", "anchor_x_parent", "anchor_profile_x_parent", "parent_like_max",
    "parent_like_mean", "parent_title", "new_host", "new_folder", "new_parent", "near",
    "alive", "near_query",
)  # fmt: skip
"""Names of the features; docs/explanation/evo.md describes each."""

_AT = {name: number for number, name in enumerate(FEATURES)}
_LIFTS = np.array([_AT[name] for name in ("host", "folder", "path", "hub", "near")])
_PROFILES = np.array([_AT[name] for name in ("anchor_profile", "context_profile")])
_SHRINK = 3.0
_SHRINK_HUB = 2.0
_STEPS = np.array([-2, -1, 1, 2])
_ALIVE, _TRUST_IN_LINKS = 0.9, 5.0
"""Prior share of links that lead to a page, and its weight in links followed."""
_ALIVE_ELSEWHERE = 0.5
"""Least prior for a new host, which may have many good pages."""


class _Maximum:
    """Columns whose value for a target is the greatest among its links."""

    (
        LOGIT, ANCHOR, CONTEXT, ANCHOR_PROFILE, CONTEXT_PROFILE, LABEL, CLOSENESS, LIKE, TITLE,
        NEAR_QUERY,
    ) = range(10)  # fmt: skip
    WIDTH = 10
    PROFILES = slice(ANCHOR_PROFILE, CONTEXT_PROFILE + 1)


class _Sum:
    """Columns whose value for a target is the sum over its links."""

    LABEL, LOGIT, PATH_RATE, HUB_RATE, NEAR_RATE, LIKE, NEWNESS = range(7)
    WIDTH = 7
    RATES = slice(PATH_RATE, NEAR_RATE + 1)


class _Rate:
    """Rows of the rates that become the features `_LIFTS`, in their order."""

    HOST, FOLDER, PATH, HUB, NEAR = range(5)
    WIDTH = 5
    OF_SOURCES = slice(PATH, NEAR + 1)


@dataclass(frozen=True, slots=True)
class Tuning:
    """The parts that an ablation leaves out: `without` has names of features, parts or groups."""

    without: frozenset[str] = frozenset()

    def has(self, part: str) -> bool:
        """Return True unless the part is left out."""
        return part not in self.without


@dataclass(frozen=True, slots=True)
class FeatureExtractor:
    """Computes features from the evidence, the word model, the profile and the nearness."""

    evidence: LinkGraph
    words: WordModel
    profile: Profile
    nearness: Nearness
    mask: Matrix

    def features(self, rows: Rows) -> Matrix:
        """Return the features of targets, shape (n, len(FEATURES)); 0 for a target without links.

        O(n · KEPT · WIDTH).
        """
        x = np.zeros((len(rows), len(FEATURES)))
        x[:, 0] = 1.0
        targets = self.evidence.targets.take(rows)
        there = targets["links"] >= 0
        counts = there.sum(1)
        if counts.all():
            self._fill(x, targets, targets["links"][there], counts)
        elif counts.any():
            linked = counts > 0
            of_linked = x[linked]
            self._fill(of_linked, targets[linked], targets["links"][there], counts[linked])
            x[linked] = of_linked
        x *= self.mask
        return x

    def _fill(self, x: Matrix, targets: Records, each: Rows, n: Rows) -> None:
        """Set the features of targets; of the links `each` the first n[0] lead to the first one.

        Shape (targets, len(FEATURES)). Similar columns are computed together: with few targets, the
        number of numpy calls sets the time, not their size.
        """
        starts = n.cumsum() - n
        links = self.evidence.links.take(each)
        label = self.evidence.pages["label"][links["source"]].astype(float)
        words = np.concatenate((links["words"], targets["words"].repeat(n, axis=0)), axis=1)
        logits = np.minimum(np.maximum(self.words.logits(words), -4), 4).astype(float) / 4
        ids = plain(words)
        matches = self.profile.matches(ids)
        of_links = self._of_links(links, label, logits, ids, matches)
        maximum = np.maximum.reduceat(of_links, starts, axis=0)
        total = np.add.reduceat(self._summed(each, links, label, logits), starts, axis=0)
        mean_of = total / n[:, None]
        parent = (total[:, _Sum.LABEL] + self.evidence.mean_label) / (n + 1)

        self._fill_maxima(x, maximum, parent)
        x[:, _AT["words_mean"]] = mean_of[:, _Sum.LOGIT]
        x[:, _AT["url"]] = targets["url_match"]
        x[:, _AT["parent_mean"]] = parent
        x[:, _AT["links"]] = np.log1p(targets["count"]) / 3
        x[:, _AT["parent_sum"]] = np.log1p(total[:, _Sum.LABEL])
        x[:, _AT["url_profile"]] = np.minimum(matches[starts, 2], 1.5)
        x[:, _AT["parent_like_mean"]] = mean_of[:, _Sum.LIKE]
        x[:, _AT["new_parent"]] = mean_of[:, _Sum.NEWNESS]
        self._fill_groups(x, targets, mean_of)
        inside = self.evidence.pages["host"][links["source"]] == targets["host"].repeat(n)
        kinds = self.evidence.kinds(np.logical_or.reduceat(inside, starts))
        x[:, _AT["alive"]] = self._alive(targets["host"], targets["folder"], kinds)

    def _of_links(
        self,
        links: Records,
        label: Matrix,
        logits: Matrix,
        ids: Ids,
        matches: npt.NDArray[np.float32],
    ) -> Matrix:
        """Return the columns `_Maximum` of links, shape (links, _Maximum.WIDTH)."""
        pages, source = self.evidence.pages, links["source"]
        of_links = np.empty((len(links), _Maximum.WIDTH))
        of_links[:, _Maximum.LOGIT] = logits
        of_links[:, _Maximum.ANCHOR] = links["anchor_match"]
        of_links[:, _Maximum.CONTEXT] = links["context_match"]
        of_links[:, _Maximum.PROFILES] = matches[:, :2]
        of_links[:, _Maximum.LABEL] = label
        of_links[:, _Maximum.CLOSENESS] = -pages["distance"][source]
        of_links[:, _Maximum.LIKE] = pages["like"][source]
        of_links[:, _Maximum.TITLE] = pages["title_match"][source]
        of_links[:, _Maximum.NEAR_QUERY] = self.nearness.of_links(ids)
        return of_links

    @staticmethod
    def _fill_maxima(x: Matrix, maximum: Matrix, parent: Matrix) -> None:
        """Set the features that are the greatest value of the links, and their products."""
        x[:, _AT["words_max"]] = maximum[:, _Maximum.LOGIT]
        x[:, _AT["anchor"]] = maximum[:, _Maximum.ANCHOR]
        x[:, _AT["context"]] = np.sqrt(maximum[:, _Maximum.CONTEXT])
        x[:, _AT["parent_max"]] = maximum[:, _Maximum.LABEL]
        x[:, _PROFILES] = np.minimum(maximum[:, _Maximum.PROFILES], 1.5)
        x[:, _AT["distance"]] = -maximum[:, _Maximum.CLOSENESS] / FAR
        x[:, _AT["anchor_x_parent"]] = maximum[:, _Maximum.ANCHOR] * parent
        x[:, _AT["anchor_profile_x_parent"]] = x[:, _AT["anchor_profile"]] * parent
        x[:, _AT["parent_like_max"]] = maximum[:, _Maximum.LIKE]
        x[:, _AT["parent_title"]] = maximum[:, _Maximum.TITLE]
        x[:, _AT["near_query"]] = maximum[:, _Maximum.NEAR_QUERY]

    def _fill_groups(self, x: Matrix, targets: Records, mean_of: Matrix) -> None:
        """Set the features of host, folder and tag path: rates relative to a base, and newness."""
        mean, tried = self.evidence.mean_label, self.evidence.groups["tried"]
        host, folder = targets["host"], targets["folder"]
        rates = np.empty((_Rate.WIDTH, len(host)))
        rates[_Rate.HOST] = self._rate(host, mean)
        rates[_Rate.FOLDER] = self._rate(folder, rates[_Rate.HOST])
        rates[_Rate.OF_SOURCES] = mean_of[:, _Sum.RATES].T
        bases = np.full((_Rate.WIDTH, len(host)), mean)
        bases[_Rate.FOLDER] = rates[_Rate.HOST]
        x[:, _LIFTS] = _lift(rates, bases).T
        x[:, _AT["new_host"]] = 1 / np.sqrt(1 + tried[host])
        x[:, _AT["new_folder"]] = 1 / np.sqrt(1 + tried[folder])

    def _summed(self, each: Rows, links: Records, label: Matrix, logits: Matrix) -> Matrix:
        """Return the columns `_Sum` of links, shape (links, _Sum.WIDTH)."""
        mean, source = self.evidence.mean_label, links["source"]
        tried = self.evidence.pages["tried"][source]
        summed = np.empty((len(each), _Sum.WIDTH))
        summed[:, _Sum.LABEL] = label
        summed[:, _Sum.LOGIT] = logits
        summed[:, _Sum.PATH_RATE] = self._rate(links["path"], mean)
        summed[:, _Sum.HUB_RATE] = self._hub(source, label, tried, mean)
        summed[:, _Sum.NEAR_RATE] = self._near(each, source, mean)
        summed[:, _Sum.LIKE] = self.evidence.pages["like"][source]
        summed[:, _Sum.NEWNESS] = 1 / np.sqrt(1 + tried)
        return summed

    def _rate(self, numbers: npt.NDArray[np.int32], prior: npt.ArrayLike) -> Matrix:
        """Return the mean label of the followed links of some groups, shrunk towards `prior`."""
        groups = self.evidence.groups
        # Rounding may leave a value slightly below 0.
        gained, tried = np.maximum(groups["gained"][numbers], 0), groups["tried"][numbers]
        rate: Matrix = (gained + _SHRINK * np.asarray(prior)) / (tried + _SHRINK)
        return rate

    def _alive(self, host: Rows, folder: Rows, kind: Rows) -> Matrix:
        """Return a third of the logarithm of the share of links that lead to a page, in [−1, 0].

        The rate of a folder is shrunk towards that of its host. That of a host is shrunk towards
        that of its kind (links within a host, or between hosts), but at least towards one half.
        """
        rate = self._living(kind, _ALIVE, _TRUST_IN_LINKS)
        rate = self._living(host, np.maximum(rate, _ALIVE_ELSEWHERE), _SHRINK)
        rate = self._living(folder, rate, _SHRINK)
        alive: Matrix = np.log(np.maximum(rate, math.exp(-3))) / 3
        return alive

    def _living(self, numbers: Rows, prior: npt.ArrayLike, trust: float) -> Matrix:
        """Return the share of live links to some groups, with `trust` links of `prior`."""
        tried, dead = self.evidence.groups["tried"], self.evidence.groups["dead"]
        rate: Matrix = (tried[numbers] - dead[numbers] + trust * np.asarray(prior)) / (
            tried[numbers] + trust
        )
        return rate

    def _hub(self, source: Rows, label: Matrix, tried: Reals, mean: float) -> Matrix:
        """Return the mean label of the followed links of the same pages."""
        gained = np.maximum(self.evidence.pages["gained"][source], 0)
        prior = np.maximum(mean, 0.5 * label)
        rate: Matrix = (gained + _SHRINK_HUB * prior) / (tried + _SHRINK_HUB)
        return rate

    def _near(self, each: Rows, source: Rows, mean: float) -> Matrix:
        """Return the mean label of the targets of the neighbouring links, two on each side."""
        links, pages = self.evidence.links, self.evidence.pages
        beside = np.minimum(np.maximum(each[:, None] + _STEPS, 0), len(links) - 1)
        target, page_beside = links.columns(beside, "target", "source")
        page = self.evidence.became["page"][target]
        counts = (page >= 0) & (page_beside == source[:, None]) & (beside != each[:, None])
        gained = np.where(counts, pages["label"][page], 0.0).sum(1)
        rate: Matrix = (gained + mean) / (counts.sum(1) + 1)
        return rate


def mask_of(tuning: Tuning) -> Matrix:
    """Return 1 for the features in use, 0 for those left out."""
    return np.array([float(tuning.has(name)) for name in FEATURES])


def _lift(rate: npt.ArrayLike, base: npt.ArrayLike) -> Matrix:
    """Return the logarithm of a rate relative to `base`, in [−1, 1] for factors e^±3."""
    ratio = np.log((np.asarray(rate) + 0.02) / (np.asarray(base) + 0.02))
    clipped: Matrix = np.clip(ratio, -3, 3) / 3
    return clipped
