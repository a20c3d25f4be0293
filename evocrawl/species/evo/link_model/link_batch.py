"""Some targets and all their links in arrays, pooled by target."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.paged_rows import Records
from evocrawl.species.evo.link_model.evidence import KEPT, LinkGraph, Rows
from evocrawl.species.evo.link_model.hashing import Ids

Reals = npt.NDArray[np.float64]

_KEPT_PLACES = np.arange(KEPT)[:, None]


class LinkBatch:
    """Some targets and their links: of the links `each` the first n[0] lead to the first target.

    `source`, `label` and `like` are the page of each link, its label and its likeness to the
    profile; `are_from_inside` tells which of these pages are on the target's host.
    """

    def __init__(self, evidence: LinkGraph, targets: Records, n: Rows) -> None:
        pages, kept = evidence.pages, targets["links"]
        self.targets, self.n = targets, n
        self.host: Rows = targets["host"]
        self.each: Rows = kept[kept >= 0]
        self.starts: Rows = n.cumsum() - n
        self.links = evidence.links.take(self.each)
        self.source = self.links["source"].astype(np.intp)
        self.label = pages["label"][self.source].astype(float)
        self.like = pages["like"][self.source]
        self.are_from_inside = pages["host"][self.source] == self.host.repeat(n)
        # Row k has the place of the link k of each target, or that of a last row of padding.
        places = self.starts + _KEPT_PLACES
        self._places = np.where(n > _KEPT_PLACES, places, len(self.each))

    def words(self) -> Ids:
        """Return the words of the links with those of the URL, shape (links, WIDTH)."""
        of_urls = self.targets["words"].repeat(self.n, axis=0)
        return np.concatenate((self.links["words"], of_urls), axis=1)

    def are_inside(self) -> npt.NDArray[np.bool_]:
        """Return which targets have a link from their own host, shape (targets,)."""
        whole: npt.NDArray[np.bool_] = np.logical_or.reduceat(self.are_from_inside, self.starts)
        return whole

    def greatest(self, columns: Reals) -> Reals:
        """Return the maximum over the links of each target, shape (targets, width)."""
        greatest: Reals = self._padded(columns, -np.inf).max(0)
        return greatest

    def sums(self, columns: Reals) -> Reals:
        """Return the sums over the links of each target, shape (targets, width)."""
        padded = self._padded(columns, 0.0)
        sums: Reals = padded[1:].sum(0) + padded[0]
        return sums

    def _padded(self, columns: Reals, value: float) -> Reals:
        """Return columns of links as shape (KEPT, targets, width), with `value` for no link."""
        more = np.concatenate((columns, np.full((1, columns.shape[1]), value)))
        return more.take(self._places, axis=0)
