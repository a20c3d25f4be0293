"""Computes the dense features of a link target, each about in [−1, 1], from all its links."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.paged_rows import Records
from evocrawl.species.evo.link_model.blame import blame
from evocrawl.species.evo.link_model.evidence import FAR, KEPT, LinkGraph, Reals, Rows
from evocrawl.species.evo.link_model.hashing import Ids, plain
from evocrawl.species.evo.link_model.link_batch import LinkBatch
from evocrawl.species.evo.link_model.nearness import Nearness
from evocrawl.species.evo.link_model.profile import Profile
from evocrawl.species.evo.link_model.upward import upward
from evocrawl.species.evo.link_model.word_model import WordModel

Matrix = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]

FEATURES = (
    "bias", "words_max", "words_mean", "anchor", "context", "url", "parent_max", "parent_mean",
    "links", "parent_sum", "host", "folder", "path", "hub", "anchor_profile", "context_profile",
    "url_profile", "distance", "anchor_x_parent", "anchor_profile_x_parent", "parent_like_max",
    "parent_like_mean", "parent_title", "new_host", "new_folder", "new_parent", "near",
    "alive", "near_query", "barren", "upward",
)  # fmt: skip
"""Names of the features; docs/explanation/evo.md describes each."""

_AT = {name: number for number, name in enumerate(FEATURES)}
_MAXIMA = np.array([_AT[name] for name in (
    "words_max", "anchor", "context", "anchor_profile", "context_profile", "parent_max", "distance",
    "parent_like_max", "parent_title", "near_query", "upward",
)])  # fmt: skip
"""Features that are the columns `_Maximum`, some of them changed after that."""
_MEANS = np.array([_AT[name] for name in ("words_mean", "parent_like_mean", "new_parent")])
"""Features that are the columns `_Sum.MEANS`, divided by the number of links."""
_LIFTS = np.array([_AT[name] for name in ("host", "folder", "path", "hub", "near")])
_PROFILES = slice(_AT["anchor_profile"], _AT["url_profile"] + 1)
_NOVELTIES = slice(_AT["new_host"], _AT["new_folder"] + 1)
IS_LEARNT = np.array([name not in {"barren", "upward"} for name in FEATURES], float)
"""0 for a feature that examples do not have, so that its weight stays as it is by the prior.

A host without a relevant page is left because others may be better, not because its pages are worse
than they were. A link that climbs is followed for the links behind it.
"""
# Numpy takes a constant of an array in half the time of a Python number.
_ONE, _THREE, _LEAST_RATE = np.array(1.0), np.array(3.0), np.array(0.02)
_SINGLE_ONE = np.array(1.0, np.float32)
_LONGEST_LOGIT = np.array(4.0)
_HIGHEST, _LOWEST = _LONGEST_LOGIT.astype(np.float32), -_LONGEST_LOGIT.astype(np.float32)
_NOTHING, _FIRST = np.array(0.0, np.float32), np.array(0)
_HALF, _MOST_OF_PROFILE = np.array(0.5), np.array(1.5)
_SHRINK, _SHRINK_HUB = np.array(3.0), np.array(2.0)
_STEPS = np.array([[-2], [-1], [1], [2]])
_TRUST_IN_LINKS, _ALIVE = np.array(5.0), np.array(0.9)
"""Weight of the prior in links followed, and its share of links that lead to a page."""
_ALIVE_ELSEWHERE = np.array(0.5)
"""Least prior for a new host, which may have many good pages."""
_LEAST_ALIVE = np.array(math.exp(-3))
_KEPT = np.array(KEPT, np.int32)


class _Maximum:
    """Columns whose value for a target is the greatest among its links."""

    (
        LOGIT, ANCHOR, CONTEXT, ANCHOR_PROFILE, CONTEXT_PROFILE, LABEL, CLOSENESS, LIKE, TITLE,
        NEAR_QUERY, DEPTH,
    ) = range(11)  # fmt: skip
    WIDTH = 11


class _Sum:
    """Columns whose value for a target is the sum over its links."""

    LABEL, LOGIT, PATH_RATE, HUB_RATE, NEAR_RATE, LIKE, NEWNESS = range(7)
    WIDTH = 7
    RATES = slice(PATH_RATE, NEAR_RATE + 1)
    MEANS = (LOGIT, LIKE, NEWNESS)


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
        targets = self.evidence.targets.take(rows)
        counts = np.minimum(targets["count"], _KEPT).astype(np.intp)
        if counts.all():
            return self._described(targets, counts)
        x = np.zeros((len(rows), len(FEATURES)))
        x[:, 0] = self.mask[0]
        if counts.any():
            linked = counts > 0
            x[linked] = self._described(targets[linked], counts[linked])
        return x

    def _described(self, targets: Records, n: Rows) -> Matrix:
        """Return the features of targets with n[0], n[1], … links, shape (targets, d).

        Similar columns are computed together: with few targets, the number of numpy calls sets the
        time, not their size.
        """
        batch = LinkBatch(self.evidence, targets, n)
        words = batch.words()
        logits = np.minimum(np.maximum(self.words.logits(words), _LOWEST), _HIGHEST).astype(float)
        logits /= _LONGEST_LOGIT
        ids = plain(words)
        matches = self.profile.matches(ids)
        maximum = batch.greatest(self._of_links(batch, logits, matches, ids))
        total = batch.sums(self._summed(batch, logits))
        return self._columns(batch, maximum, total, matches[2][batch.starts])

    def _of_links(self, batch: LinkBatch, logits: Matrix, matches: Singles, ids: Ids) -> Matrix:
        """Return the columns `_Maximum` of links, shape (links, _Maximum.WIDTH)."""
        pages, links, source = self.evidence.pages, batch.links, batch.source
        of_links = np.empty((len(source), _Maximum.WIDTH))
        of_links[:, _Maximum.LOGIT] = logits
        of_links[:, _Maximum.ANCHOR] = links["anchor_match"]
        of_links[:, _Maximum.CONTEXT] = links["context_match"]
        of_links[:, _Maximum.ANCHOR_PROFILE] = matches[0]
        of_links[:, _Maximum.CONTEXT_PROFILE] = matches[1]
        of_links[:, _Maximum.LABEL] = batch.label
        of_links[:, _Maximum.CLOSENESS] = -pages["distance"][source]
        of_links[:, _Maximum.LIKE] = batch.like
        of_links[:, _Maximum.TITLE] = pages["title_match"][source]
        of_links[:, _Maximum.NEAR_QUERY] = self.nearness.of_links(ids)
        of_links[:, _Maximum.DEPTH] = pages["depth"][source] * batch.are_from_inside
        return of_links

    def _summed(self, batch: LinkBatch, logits: Matrix) -> Matrix:
        """Return the columns `_Sum` of links, shape (links, _Sum.WIDTH)."""
        mean, source, label = self.evidence.mean_label, batch.source, batch.label
        tried = self.evidence.pages["tried"][source]
        summed = np.empty((len(source), _Sum.WIDTH))
        summed[:, _Sum.LABEL] = label
        summed[:, _Sum.LOGIT] = logits
        groups, paths = self.evidence.groups, batch.links["path"].astype(np.intp)
        summed[:, _Sum.PATH_RATE] = _rate(groups["gained"][paths], groups["tried"][paths], mean)
        summed[:, _Sum.HUB_RATE] = self._hub(source, label, tried, mean)
        summed[:, _Sum.NEAR_RATE] = self._near(batch.each, source, mean)
        summed[:, _Sum.LIKE] = batch.like
        summed[:, _Sum.NEWNESS] = _SINGLE_ONE / np.sqrt(_SINGLE_ONE + tried)
        return summed

    def _columns(
        self, batch: LinkBatch, maximum: Matrix, total: Matrix, url_profile: Matrix
    ) -> Matrix:
        """Return the features of targets from what was pooled over their links."""
        mean, targets, n = self.evidence.mean_label, batch.targets, batch.n
        mean_of = total / n[:, None]
        parent = (total[:, _Sum.LABEL] + mean) / (n + _ONE)
        at = _AT
        x = np.empty((len(FEATURES), len(n)))
        x[0] = 1.0
        x[_MAXIMA] = maximum.T
        x[_MEANS] = mean_of[:, _Sum.MEANS].T
        np.sqrt(x[at["context"]], out=x[at["context"]])
        x[at["url_profile"]] = url_profile
        np.minimum(x[_PROFILES], _MOST_OF_PROFILE, out=x[_PROFILES])
        x[at["distance"]] /= -FAR
        x[at["url"]] = targets["url_match"]
        x[at["parent_mean"]] = parent
        x[at["links"]] = np.log1p(targets["count"]) / _THREE
        x[at["parent_sum"]] = np.log1p(total[:, _Sum.LABEL])
        x[at["anchor_x_parent"]] = x[at["anchor"]] * parent
        x[at["anchor_profile_x_parent"]] = x[at["anchor_profile"]] * parent
        self._set_rates(x, batch, mean_of[:, _Sum.RATES].T)
        masked = np.empty((len(n), len(FEATURES)))
        return np.multiply(x.T, self.mask, out=masked)

    def _set_rates(self, x: Matrix, batch: LinkBatch, of_sources: Matrix) -> None:
        """Set the features that compare rates, and those that count the tries, in rows of `x`.

        `of_sources` are the rates of the links' paths, hubs and neighbours.
        """
        groups, mean = self.evidence.groups, self.evidence.mean_label
        kinds = self.evidence.kinds(batch.are_inside())
        # Links within or between hosts, hosts, folders.
        numbers = np.array([kinds, batch.targets["host"], batch.targets["folder"]], np.intp)
        tried, dead = groups["tried"][numbers], groups["dead"][numbers]
        gained = groups["gained"][numbers]
        rates = np.empty((_Rate.WIDTH, len(kinds)))
        rates[_Rate.HOST] = _rate(gained[1], tried[1], mean)
        rates[_Rate.FOLDER] = _rate(gained[2], tried[2], rates[_Rate.HOST])
        rates[_Rate.OF_SOURCES] = of_sources
        bases = np.full((_Rate.WIDTH, len(kinds)), mean)
        bases[_Rate.FOLDER] = rates[_Rate.HOST]
        x[_LIFTS] = _lift(rates, bases)
        x[_NOVELTIES] = _SINGLE_ONE / np.sqrt(_SINGLE_ONE + tried[1:])
        x[_AT["alive"]] = _alive(tried, tried - dead)
        best = groups["best"][numbers[1]]
        x[_AT["barren"]] = blame(tried[1], best, self.evidence.tries, self.evidence.best)
        depths = groups["depth"][numbers[2]]
        newness = x[_AT["new_folder"]]
        x[_AT["upward"]] = upward(x[_AT["upward"]], depths, newness, self.evidence.best)

    def _hub(self, source: Rows, label: Matrix, tried: Reals, mean: float) -> Matrix:
        """Return the mean label of the followed links of the same pages."""
        gained = np.maximum(self.evidence.pages["gained"][source], _NOTHING)
        prior = np.maximum(mean, _HALF * label)
        rate: Matrix = (gained + _SHRINK_HUB * prior) / (tried + _SHRINK_HUB)
        return rate

    def _near(self, each: Rows, source: Rows, mean: float) -> Matrix:
        """Return the mean label of the targets of the neighbouring links, two on each side."""
        links, pages = self.evidence.links, self.evidence.pages
        beside = np.minimum(np.maximum(each + _STEPS, _FIRST), len(links) - 1)
        target, page_beside = links.columns(beside, "target", "source")
        page = self.evidence.became["page"][target]
        counts = (page >= _FIRST) & (page_beside == source) & (beside != each)
        gained = np.add.reduce(pages["label"][page] * counts)
        rate: Matrix = (gained + mean) / (counts.sum(0) + _ONE)
        return rate


def mask_of(tuning: Tuning) -> Matrix:
    """Return 1 for the features in use, 0 for those left out."""
    return np.array([float(tuning.has(name)) for name in FEATURES])


def _rate(gained: Reals, tried: Reals, prior: npt.ArrayLike) -> Matrix:
    """Return the mean label of the followed links of some groups, shrunk towards `prior`."""
    # Rounding may leave a value slightly below 0.
    rate: Matrix = (np.maximum(gained, _NOTHING) + _SHRINK * prior) / (tried + _SHRINK)
    return rate


def _alive(tried: Reals, living: Reals) -> Matrix:
    """Return a third of the logarithm of the share of links that lead to a page, in [−1, 0].

    The rows of `tried` and `living` are links of a kind (within a host, or between hosts), of a
    host and of a folder. The rate of a folder is shrunk towards that of its host. That of a host is
    shrunk towards that of its kind, but at least towards one half.
    """
    rate = (living[0] + _TRUST_IN_LINKS * _ALIVE) / (tried[0] + _TRUST_IN_LINKS)
    rate = np.maximum(rate, _ALIVE_ELSEWHERE)
    for of_group, of_living in zip(tried[1:], living[1:], strict=True):
        rate = (of_living + _SHRINK * rate) / (of_group + _SHRINK)
    alive: Matrix = np.log(np.maximum(rate, _LEAST_ALIVE)) / _THREE
    return alive


def _lift(rate: Matrix, base: Matrix) -> Matrix:
    """Return the logarithm of a rate relative to `base`, in [−1, 1] for factors e^±3."""
    ratio = np.log((rate + _LEAST_RATE) / (base + _LEAST_RATE))
    lift: Matrix = np.minimum(np.maximum(ratio, -_THREE), _THREE) / _THREE
    return lift
