"""Shares the relevances of the pages of a population with other populations of the crawl.

A part counts the pages in 1 024 ranges of relevance, and the pages of relevance 0, so that the
threshold R of all pages is known to half of a range, 1/2048. Counts add up exactly.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evocrawl.frontier.relevance_ranks import RANGES, OthersRanks, RelevanceRanks

Counts = npt.NDArray[np.uint32]

VERSION = 1
_HEAD = struct.Struct("<4sHH")
_MAGIC = b"evoR"
_EDGES = [number / RANGES for number in range(RANGES)]


class RankSharing:
    """The ranks of one population as a part; see `evocrawl.species.base.Mergeable`."""

    def __init__(self, ranks: RelevanceRanks) -> None:
        self._ranks = ranks

    def pack(self) -> bytes:
        """Return the counts of this population's pages. O(RANGES log pages)."""
        counts = np.array(self._ranks.counts_between(_EDGES), "<u4")
        return _HEAD.pack(_MAGIC, VERSION, RANGES) + counts.tobytes()

    def unpack(self, packed: bytes) -> Counts:
        """Return the counts of a part. Raises ValueError."""
        if len(packed) != _HEAD.size + 4 * (RANGES + 1):
            raise ValueError("the ranks have a wrong size")
        if _HEAD.unpack_from(packed) != (_MAGIC, VERSION, RANGES):
            raise ValueError("the ranks are of another version")
        return np.frombuffer(packed, "<u4", offset=_HEAD.size)

    def merge(self, parts: Sequence[Counts]) -> None:
        """Rank the pages of other populations, too."""
        total = np.zeros(RANGES + 1, np.int64)
        for each in parts:
            total += each
        self._ranks.others = OthersRanks(total.tolist()) if total.any() else None
