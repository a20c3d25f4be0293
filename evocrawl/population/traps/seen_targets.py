"""Stores targets of links in a table of fixed size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evocrawl.core.model import Link

_PLACES = 1 << 24


class SeenTargets:
    """Stores some 10 million targets in 16 MB; with more, most new targets seem known."""

    def __init__(self) -> None:
        self._known = np.zeros(_PLACES, dtype=np.bool_)

    def meet(self, links: Sequence[Link]) -> npt.NDArray[np.bool_]:
        """Add the targets of `links`, at least one; return which were met before. O(links)."""
        places = [int.from_bytes(link.fingerprint[:4], "big") % _PLACES for link in links]
        met: npt.NDArray[np.bool_] = self._known[places]
        self._known[places] = True
        return met
