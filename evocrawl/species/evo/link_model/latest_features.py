"""Keeps the features of the links that were scored last, which are learnt from next."""

from __future__ import annotations

from math import inf

import numpy as np

from evocrawl.species.evo.interfaces import Matrix, Rows
from evocrawl.species.evo.link_model.features import FEATURES


class LatestFeatures:
    """The features of the latest look; most links that are learnt from were chosen at it.

    They depend on all that the model has learnt, of which each change has a version, and on the
    `strength` of its nearness.
    """

    def __init__(self) -> None:
        self._rows: Rows = np.zeros(0, np.intp)
        self._features: Matrix = np.zeros((0, len(FEATURES)))
        self._version = self._strength = -inf

    def keep(self, rows: Rows, features: Matrix, version: int, strength: float) -> None:
        """Remember the features of targets, shape (n, d)."""
        self._rows, self._features = rows, features
        self._version, self._strength = version, strength

    def take(self, row: int, version: int, strength: float, most_changes: int) -> Matrix | None:
        """Return the features of a target, shape (d,), after less than `most_changes`, else None.

        The target is learnt from now. Early in a crawl, where each change counts, that changes the
        features of the others.
        """
        is_right = version - self._version < most_changes and strength == self._strength
        if most_changes == 1:
            self._version = -inf
        places = np.flatnonzero(self._rows == row) if is_right else self._rows[:0]
        return self._features[int(places[0])] if len(places) else None
