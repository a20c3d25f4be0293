"""Stores a fixed number of bits, eight in a byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.unsignedinteger[Any]]
"""Numbers of bits, from 0."""


class Bits:
    """`size` bits, all 0 at first. `size` is a multiple of 8."""

    def __init__(self, size: int) -> None:
        self._bytes = np.zeros(size // 8, np.uint8)

    def at(self, places: Places) -> npt.NDArray[np.bool_]:
        """Return which of the bits at `places` are 1. O(places)."""
        found: npt.NDArray[np.bool_] = self._bytes[_byte(places)] & _mask(places) != 0
        return found

    def add(self, places: Places) -> npt.NDArray[np.bool_]:
        """Set the bits at `places`, each once or more, to 1; return which were. O(places)."""
        at, mask = _byte(places), _mask(places)
        were: npt.NDArray[np.bool_] = self._bytes[at] & mask != 0
        np.bitwise_or.at(self._bytes, at, mask)
        return were


def _byte(places: Places) -> npt.NDArray[np.intp]:
    return (places >> np.uint64(3)).astype(np.intp)


def _mask(places: Places) -> npt.NDArray[np.uint8]:
    return np.left_shift(np.uint8(1), (places & np.uint64(7)).astype(np.uint8))
