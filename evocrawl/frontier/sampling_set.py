"""A set of fingerprints with random draws."""

from __future__ import annotations

from numpy.random import Generator

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.model import Fingerprint

_KEY_BYTES = 12


class SamplingSet:
    """A set with uniform random draws; every operation takes O(1); about 40 bytes a key.

    A draw depends only on the generator and on the history of additions and removals, never on
    hash order.

    >>> import numpy as np
    >>> pool = SamplingSet()
    >>> pool.add(b"a"); pool.add(b"a"); len(pool), pool.draw(np.random.default_rng(0))
    (1, b'a')
    """

    def __init__(self) -> None:
        self._keys = bytearray()
        self._unusual: dict[int, Fingerprint] = {}
        self._places = KeyMap("<Q")

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: Fingerprint) -> bool:
        return key in self._places

    def add(self, key: Fingerprint) -> None:
        """Add `key` if it is not in the set."""
        if key not in self._places:
            place = len(self._places)
            self._keys += bytes(_KEY_BYTES)
            self._set(place, key)

    def discard(self, key: Fingerprint) -> None:
        """Remove `key` if it is in the set; the last key moves to its place."""
        place = self._places.get(key)
        if place is None:
            return
        last = self._key(len(self._places) - 1)
        self._unusual.pop(len(self._places) - 1, None)
        del self._keys[-_KEY_BYTES:]
        self._places.discard(key)
        if last != key:
            self._set(place[0], last)

    def draw(self, rng: Generator) -> Fingerprint | None:
        """Return one key, each with the same probability; None if the set is empty."""
        count = len(self._places)
        return self._key(int(rng.integers(count))) if count else None

    def _key(self, place: int) -> Fingerprint:
        unusual = self._unusual.get(place)
        if unusual is not None:
            return unusual
        return bytes(self._keys[place * _KEY_BYTES : (place + 1) * _KEY_BYTES])

    def _set(self, place: int, key: Fingerprint) -> None:
        self._places.put(key, place)
        if len(key) == _KEY_BYTES:
            self._unusual.pop(place, None)
            self._keys[place * _KEY_BYTES : (place + 1) * _KEY_BYTES] = key
        else:
            self._unusual[place] = key
