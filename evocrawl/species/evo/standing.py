"""The place of a link among all that wait, by the link model as it is now."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from evocrawl.species.evo.interfaces import Valuer
from evocrawl.species.reasons import Standing

_SCORED_AT_ONCE = 2048


def standing_among(model: Valuer, rows: Collection[int], row: int) -> Standing | None:
    """Return the place of `row` among the waiting `rows`, None if it does not wait. O(rows)."""
    waiting = np.array(sorted(rows))
    own = np.flatnonzero(waiting == row)
    if not len(own):
        return None
    parts = np.array_split(waiting, len(waiting) // _SCORED_AT_ONCE + 1)
    scores = np.concatenate([model.scores(model.features(part)) for part in parts])
    score = float(scores[own[0]])
    return Standing(1 + int((scores > score).sum()), len(scores), score)
