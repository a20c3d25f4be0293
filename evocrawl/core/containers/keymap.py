"""Compact map and set of fingerprints.

A Python dict uses 200 bytes or more for a key of 12 bytes and a number. Here records of key and
values are packed into small byte strings, the *buckets*, and found by `bytearray.find` (each method
repeats its few lines, since a crawl looks up hundreds of keys per page). Buckets are split one at a
time as the map grows (linear hashing, Litwin 1980), so that no single step takes long. The first
`small` keys are in a dict, which is faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from struct import Struct
from typing import Any, TypeAlias

import numpy as np

from evocrawl.core.containers.frozen_buckets import FrozenBuckets
from evocrawl.core.model import Fingerprint

_KEY_BYTES = 12
_FULL_BYTES = 1024
"""Average bytes of a bucket. Smaller buckets have more overhead; from 2500 bytes on `find` uses
another algorithm, which is slower for keys as short as these.
"""
_SMALL = 4096

Values: TypeAlias = tuple[Any, ...]


class KeyMap:
    """Maps fingerprints to a few values; `form` is their format, as in `struct`.

    Keys of unusual length are kept in a dict. Every operation takes O(1) amortised.

    >>> numbers = KeyMap("<dQ", small=0)
    >>> numbers.put(b"twelve bytes", 0.5, 7)
    >>> numbers.get(b"twelve bytes"), numbers.get(b"other bytes!"), len(numbers)
    ((0.5, 7), None, 1)
    """

    def __init__(self, form: str, small: int = _SMALL) -> None:
        self._struct = Struct(form)
        self._pack, self._unpack_from = self._struct.pack, self._struct.unpack_from
        self._stride = _KEY_BYTES + self._struct.size
        self._full = _FULL_BYTES // self._stride + 1
        self._small = small
        self._few: dict[Fingerprint, Values] = {}
        self._buckets: list[bytearray] = []
        self._packed = 0
        self._low, self._high = 0, 1
        self._frozen: FrozenBuckets | None = None

    def __len__(self) -> int:
        return len(self._few) + self._packed

    def __contains__(self, key: Fingerprint) -> bool:
        buckets = self._buckets
        if not buckets or len(key) != _KEY_BYTES:
            return key in self._few
        place = hash(key) & self._high
        bucket = buckets[place if place < len(buckets) else place & self._low]
        at = bucket.find(key)
        return at >= 0 and (at % self._stride == 0 or self._place(key, bucket) >= 0)

    def __iter__(self) -> Iterator[Fingerprint]:
        """Iterate over the keys, in arbitrary order."""
        packed = (bytes(each[:_KEY_BYTES]) for b in self._buckets for each in self._records(b))
        return chain(iter(self._few), packed)

    def get(self, key: Fingerprint) -> Values | None:
        """Return the values of `key`, None if the map does not contain it."""
        buckets = self._buckets
        if not buckets or len(key) != _KEY_BYTES:
            return self._few.get(key)
        place = hash(key) & self._high
        bucket = buckets[place if place < len(buckets) else place & self._low]
        at = bucket.find(key)
        if at > 0 and at % self._stride:
            at = self._place(key, bucket)
        return None if at < 0 else self._unpack_from(bucket, at + _KEY_BYTES)

    def get_each(self, keys: Sequence[Fingerprint]) -> list[Values | None]:
        """Return what `get` returns for each key, in one call. O(keys)."""
        buckets, few = self._buckets, self._few
        if not buckets:
            return [*map(few.get, keys)]
        high, low, count, stride = self._high, self._low, len(buckets), self._stride
        unpack_from = self._unpack_from
        found = list[Values | None]()
        for key in keys:
            if len(key) != _KEY_BYTES:
                found.append(few.get(key))
                continue
            place = hash(key) & high
            bucket = buckets[place if place < count else place & low]
            at = bucket.find(key)
            if at > 0 and at % stride:
                at = self._place(key, bucket)
            found.append(None if at < 0 else unpack_from(bucket, at + _KEY_BYTES))
        return found

    def contains_each(self, keys: Sequence[Fingerprint]) -> list[bool]:
        """Return for each key whether the map contains it, in one call. O(keys)."""
        buckets, few = self._buckets, self._few
        if not buckets:
            return [key in few for key in keys]
        high, low, count, stride = self._high, self._low, len(buckets), self._stride
        found = list[bool]()
        for key in keys:
            if len(key) != _KEY_BYTES:
                found.append(key in few)
                continue
            place = hash(key) & high
            bucket = buckets[place if place < count else place & low]
            at = bucket.find(key)
            found.append(at >= 0 and (at % stride == 0 or self._place(key, bucket) >= 0))
        return found

    def put(self, key: Fingerprint, *values: Any) -> None:
        """Set the values of `key`."""
        if not self._buckets or len(key) != _KEY_BYTES:
            self._few[key] = values
            if not self._buckets and len(self._few) > self._small:
                self._leave_dict()
            return
        buckets = self._buckets
        place = hash(key) & self._high
        bucket = buckets[place if place < len(buckets) else place & self._low]
        at = bucket.find(key)
        if at > 0 and at % self._stride:
            at = self._place(key, bucket)
        if self._frozen is not None:
            self._keep(place if place < len(buckets) else place & self._low)
        if at >= 0:
            self._struct.pack_into(bucket, at + _KEY_BYTES, *values)
            return
        bucket += key + self._pack(*values)
        self._packed += 1
        if self._packed > self._full * len(buckets):
            self._split()

    def discard(self, key: Fingerprint) -> None:
        """Remove `key` if the map contains it."""
        if self._few.pop(key, None) is not None or len(key) != _KEY_BYTES or not self._packed:
            return
        place = hash(key) & self._high
        buckets = self._buckets
        place = place if place < len(buckets) else place & self._low
        bucket = buckets[place]
        at = self._place(key, bucket)
        if at >= 0:
            if self._frozen is not None:
                self._keep(place)
            stride = self._stride
            bucket[at : at + stride] = bucket[-stride:]
            del bucket[-stride:]
            self._packed -= 1

    def dump(self) -> tuple[str, list[tuple[Fingerprint, Values]], bytes]:
        """Return the format, the entries that are in a dict, and all other records in one string.

        `load` of another map takes the last two. O(keys).
        """
        return self._struct.format, [*self._few.items()], b"".join(self._buckets)

    def freeze(self) -> tuple[str, dict[Fingerprint, Values], FrozenBuckets]:
        """Return what `dump` does, as of now, with the records to be read later. O(1).

        The map is frozen for one reader at a time: an earlier one gets no further records.
        """
        if self._frozen is not None:
            self._frozen.close()
        self._frozen = FrozenBuckets(self._buckets)
        return self._struct.format, self._few.copy(), self._frozen

    def load(self, few: Iterable[tuple[Fingerprint, Values]], records: bytes) -> None:
        """Replace all entries by those that `dump` of a map of the same format has returned. O(n).

        The place of a record depends on the process, whose hashes of strings are its own.
        """
        stride = self._stride
        count, rest = divmod(len(records), stride)
        if rest:
            raise ValueError(f"records of {stride} bytes in a string of {len(records)}")
        self._few = dict(few)
        self._frozen = None
        self._packed = count
        number = -(-count // self._full)
        self._high = (1 << max(number.bit_length(), 1)) - 1
        self._low = self._high >> 1
        keys = Struct(f"{_KEY_BYTES}s{stride - _KEY_BYTES}x").iter_unpack(records)
        hashes = np.fromiter(map(hash, chain.from_iterable(keys)), np.int64, count)
        places = hashes & self._high
        places = np.where(places < number, places, hashes & self._low)
        order = np.argsort(places, kind="stable")
        ends = (stride * np.bincount(places, minlength=number).cumsum()).tolist()
        by_bucket = np.frombuffer(records, f"V{stride}")[order].view(np.uint8).data
        self._buckets = [
            bytearray(by_bucket[begin:end]) for begin, end in pairwise(chain((0,), ends))
        ]

    def _keep(self, place: int) -> None:
        """Let the reader of the frozen map have a bucket as it was; it changes now."""
        if self._frozen is None or self._frozen.is_done:
            self._frozen = None
        else:
            self._frozen.keep(place)

    def _place(self, key: Fingerprint, bucket: bytearray) -> int:
        """Return where the record of `key` begins in its bucket, −1 if there is none."""
        at = bucket.find(key)
        # A match may span parts of other records.
        while at > 0 and at % self._stride:
            at = bucket.find(key, at + 1)
        return at

    def _records(self, bucket: bytearray) -> list[bytearray]:
        stride = self._stride
        return [bucket[at : at + stride] for at in range(0, len(bucket), stride)]

    def _split(self) -> None:
        """Split the next bucket in turn: move about half of its records to a new bucket."""
        buckets = self._buckets
        new, high, stride = len(buckets), self._high, self._stride
        old = new & self._low
        if self._frozen is not None:
            self._keep(old)
        records = bytes(buckets[old])  # slices of bytes are faster than those of a bytearray
        kept, moved = list[bytes](), list[bytes]()
        for at in range(0, len(records), stride):
            is_moved = hash(records[at : at + _KEY_BYTES]) & high == new
            (moved if is_moved else kept).append(records[at : at + stride])
        buckets[old] = bytearray(b"".join(kept))
        buckets.append(bytearray(b"".join(moved)))
        if new == self._high:
            self._low, self._high = self._high, 2 * self._high + 1

    def _leave_dict(self) -> None:
        """Move the keys from the dict to buckets, except those of unusual length."""
        self._buckets = [bytearray()]
        few, self._few = self._few, {}
        for key, values in few.items():
            self.put(key, *values)


class KeySet(KeyMap):
    """A set of fingerprints: a `KeyMap` whose keys have no values.

    >>> keys = KeySet()
    >>> keys.add(b"a"); b"a" in keys, len(keys)
    (True, 1)
    """

    def __init__(self, small: int = _SMALL) -> None:
        super().__init__("", small)
        self.add = self.put
