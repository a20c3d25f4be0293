"""Finds near-duplicate pages by the resemblance of their shingles.

A shingle is `WORDS` words in a row. The resemblance of two texts is the share of shingles they
have in common, |A ∩ B| / |A ∪ B|; pages of at least `ALIKE` are near-duplicates (Broder 1997, On
the resemblance and containment of documents). It is estimated by the minima of
`MINIMA` hash functions, with a standard error of √(r(1 − r)/MINIMA), at most 0.05. Pairs to
compare are found by bands of minima, so that no step compares all pages: a pair of resemblance r
is found with probability 1 − (1 − r^ROWS)^(MINIMA/ROWS), above 0.999 at 0.9.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from evocrawl.core.text.words import words

WORDS = 4
MINIMA = 100
ROWS = 5
ALIKE = 0.9


def near_duplicate_groups(texts: Iterable[str]) -> list[int]:
    """Return, for each text, the index of the first near-duplicate: its own index if there is none.

    A text is compared with the first text of each group that shares a band with it. Empty texts
    are duplicates of each other. Runtime complexity: O(characters), if few pages share a band.
    """
    groups: list[int] = []
    minima: list[NDArray[np.uint64]] = []
    bands: dict[tuple[int, bytes], list[int]] = {}
    multipliers = _multipliers()
    for text in texts:
        mine = _minima(text, multipliers)
        keys = [(row, mine[row : row + ROWS].tobytes()) for row in range(0, MINIMA, ROWS)]
        near = sorted({other for key in keys for other in bands.get(key, ())})
        twin = next((o for o in near if np.mean(minima[o] == mine) >= ALIKE), None)
        groups.append(len(groups) if twin is None else groups[twin])
        minima.append(mine)
        if twin is None:
            for key in keys:
                bands.setdefault(key, []).append(len(groups) - 1)
    return groups


def _multipliers() -> NDArray[np.uint64]:
    # Part of the definition of the measure, so the seed is the same for all runs.
    return np.random.default_rng(0).integers(1, 2**61, MINIMA, dtype=np.uint64) | np.uint64(1)


def _minima(text: str, multipliers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    found = words(text)
    count = max(len(found) - WORDS + 1, 1)
    shingles = {" ".join(found[start : start + WORDS]) for start in range(count)}
    hashes = np.array([_hash(shingle) for shingle in shingles], dtype=np.uint64)
    # Multiplication by odd numbers modulo 2⁶⁴ mixes the high bits well.
    mixed = hashes[:, None] * multipliers[None, :]
    mixed ^= mixed >> np.uint64(29)
    mixed *= multipliers[None, ::-1]
    minima: NDArray[np.uint64] = (mixed >> np.uint64(3)).min(axis=0)
    return minima


def _hash(shingle: str) -> int:
    return int.from_bytes(blake2b(shingle.encode(), digest_size=8).digest(), "big")
