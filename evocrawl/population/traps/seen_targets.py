"""Stores targets of links in a table of fixed size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evocrawl.core.containers.bits import Bits
from evocrawl.core.model import Link

_PLACES = 1 << 24


class SeenTargets:
    """Stores some 10 million targets in 2 MB; with more, most new targets seem known."""

    def __init__(self) -> None:
        self._known = Bits(_PLACES)

    def add(self, links: Sequence[Link]) -> list[bool]:
        """Add the targets of `links`, at least one; return which are new. O(links)."""
        heads = b"".join([link.fingerprint[:4].rjust(4, b"\0") for link in links])
        places = np.frombuffer(heads, ">u4").astype(np.uint64) % np.uint64(_PLACES)
        are_new: list[bool] = (~self._known.add(places)).tolist()
        return are_new
