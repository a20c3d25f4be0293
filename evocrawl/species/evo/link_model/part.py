"""The knowledge of one population about links, as numbers that add up over populations.

The size of a part depends on features and words, not on the number of pages: the words with the
least evidence are left out. It is a head of fixed size and arrays of numbers, compressed by zlib.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, fields
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from evocrawl.species.evo.link_model.evidence import SHARED_GROUPS
from evocrawl.species.evo.link_model.features import FEATURES
from evocrawl.species.evo.link_model.hashing import ANCHOR, BUCKETS, CONTEXT, PAGE_WORDS, URL
from evocrawl.species.evo.link_model.page_labels import MARKED

VERSION = 2
MOST_WORDS, MOST_BACKGROUND, MOST_BEST, MOST_GOOD = 4096, 8192, 410, 40
MOST_BYTES = 1 << 20
"""Longest part, packed or not."""

_D = len(FEATURES)
_TRIANGLE = _D * (_D + 1) // 2
_UPPER = np.triu_indices(_D)
_IDENTITY = np.eye(_D)
_HEAD = struct.Struct("<4sHHI5I")
_MAGIC = b"evoL"
_NAMES = zlib.crc32(" ".join(FEATURES).encode())
_GREATEST = 1e9
_BOUNDS = {
    "best": (0.0, 1.0), "good": (0.0, MARKED), "group_sums": (0.0, _GREATEST),
    "background_sums": (0.0, _GREATEST), "good_values": (0.0, _GREATEST),
}  # fmt: skip
"""Least and greatest values; other real numbers lie in ±`_GREATEST`."""
_LEAST_EIGENVALUE = 1e-8
"""How far below 0 rounding may bring an eigenvalue of a precision, as a share of its values."""
_MOST_COSINE = 1.001 * max(ANCHOR.width, CONTEXT.width, URL.width) ** 0.5
"""Greatest cosine of a field with the query, with rounding: its words count as orthogonal, so that
n of them in the direction of the query have √n.
"""

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class LearntPart:
    """The part of one population.

    ==============  ===============================================================================
    precision       Σ h x xᵀ of its examples, upper triangle by rows; `weighted` Σ h x z, shape (d,)
    sums            labels, visits, pages, and the bias of the word model
    cosines         sums over its latest links, shape (3, 3): see `nearness.Nearness.sums`
    best            relevances of its best pages, unordered, shape (b,)
    groups          numbers of groups of links, shape (g,), with `group_sums`: tried, gained, dead
    words           numbers of words, shape (w,), with `word_sums`: gradients and their squares
    background      numbers of words, shape (n,), with `background_sums`: weights and pages
    good            relevances of its good pages, shape (p,), with their words: `good_ids` and
                    `good_values`, shape (p, PAGE_WORDS)
    ==============  ===============================================================================
    """

    precision: Array
    weighted: Array
    sums: Array
    cosines: Array
    best: Array
    groups: Array
    group_sums: Array
    words: Array
    word_sums: Array
    background: Array
    background_sums: Array
    good: Array
    good_ids: Array
    good_values: Array


def _shapes(best: int, groups: int, words: int, background: int, good: int) -> dict[str, Any]:
    """Return type and shape of each array."""
    return {
        "precision": ("<f8", (_TRIANGLE,)), "weighted": ("<f8", (_D,)), "sums": ("<f8", (4,)),
        "cosines": ("<f8", (3, 3)), "best": ("<f4", (best,)),
        "groups": ("<u2", (groups,)), "group_sums": ("<f8", (groups, 3)),
        "words": ("<u2", (words,)), "word_sums": ("<f4", (words, 2)),
        "background": ("<u2", (background,)), "background_sums": ("<f4", (background, 2)),
        "good": ("<f4", (good,)), "good_ids": ("<u2", (good, PAGE_WORDS)),
        "good_values": ("<f2", (good, PAGE_WORDS)),
    }  # fmt: skip


_MOST = (MOST_BEST, SHARED_GROUPS, MOST_WORDS, MOST_BACKGROUND, MOST_GOOD)
_BUCKETS = {"groups": SHARED_GROUPS, "words": BUCKETS, "background": BUCKETS}


def pack(part: LearntPart) -> bytes:
    """Return the bytes of a part."""
    counts = [
        len(each) for each in (part.best, part.groups, part.words, part.background, part.good)
    ]
    head = _HEAD.pack(_MAGIC, VERSION, _D, _NAMES, *counts)
    body = b"".join(
        np.ascontiguousarray(getattr(part, name), kind).tobytes()
        for name, (kind, _) in _shapes(*counts).items()
    )
    return head + zlib.compress(body, 1)


def unpack(packed: bytes) -> LearntPart:
    """Return the part. Raises ValueError: any client of Redis can write any bytes."""
    if not _HEAD.size <= len(packed) <= MOST_BYTES:
        raise ValueError("what was learnt has a wrong size")
    magic, version, width, names, *counts = _HEAD.unpack_from(packed)
    if magic != _MAGIC or (version, width, names) != (VERSION, _D, _NAMES):
        raise ValueError(f"what was learnt is of another version ({version}, {width} features)")
    if any(count > most for count, most in zip(counts, _MOST, strict=True)):
        raise ValueError("what was learnt has too many words")
    shapes = _shapes(*counts)
    sizes = [np.dtype(kind).itemsize * prod(shape) for kind, shape in shapes.values()]
    reader = zlib.decompressobj()
    try:
        body = reader.decompress(packed[_HEAD.size :], sum(sizes) + 1)
    except zlib.error as error:
        raise ValueError(f"what was learnt cannot be read: {error}") from None
    if len(body) != sum(sizes):
        raise ValueError("what was learnt has a wrong size")
    arrays, at = {}, 0
    for (name, (kind, shape)), size in zip(shapes.items(), sizes, strict=True):
        arrays[name] = np.frombuffer(body[at : at + size], kind).reshape(shape)
        at += size
    # Each further step with half precision would take longer than this one.
    arrays["good_values"] = arrays["good_values"].astype("<f4")
    _check(arrays)
    return LearntPart(**arrays)


def _check(arrays: dict[str, Array]) -> None:
    for name, values in arrays.items():
        if name in _BUCKETS:
            if (values >= _BUCKETS[name]).any() or (values[1:] <= values[:-1]).any():
                raise ValueError(f"{name} are no numbers in order")
        elif values.dtype.kind == "f":
            low, high = _BOUNDS.get(name, (-_GREATEST, _GREATEST))
            if not _are_within(values, low, high):
                raise ValueError(f"{name} are not finite numbers from {low:g} to {high:g}")
    if (arrays["word_sums"][:, 1] < 0).any() or (arrays["sums"][:3] < 0).any():
        raise ValueError("counts are below 0")
    known, cosines, squares = arrays["cosines"]
    if (known < 0).any() or (np.abs(cosines) > _MOST_COSINE * known).any() or (squares < 0).any():
        raise ValueError("sums are of no cosines")
    if not _is_precision(arrays["precision"]):
        raise ValueError("the precision is negative")


def _is_precision(upper: Array) -> bool:
    """Return whether a symmetric matrix, given by its upper triangle, has no eigenvalue below 0."""
    allowed = _LEAST_EIGENVALUE * max(1.0, float(np.abs(upper).max()))
    try:
        # It takes an eighth of the time of the eigenvalues.
        np.linalg.cholesky(square(upper) + allowed * _IDENTITY)
    except np.linalg.LinAlgError:
        return False
    return True


def _are_within(values: Array, low: float, high: float) -> bool:
    """Return whether all values are finite numbers in [low, high]."""
    if not values.size:
        return True
    return bool(low <= float(values.min()) and float(values.max()) <= high)


def triangle(matrix: Array) -> Array:
    """Return the upper triangle of a symmetric matrix (d, d) by rows."""
    return np.asarray(matrix[_UPPER])


def square(upper: Array) -> Array:
    """Return the symmetric matrix of an upper triangle.

    >>> bool((square(triangle(np.eye(_D))) == np.eye(_D)).all())
    True
    """
    matrix = np.zeros((_D, _D))
    matrix[_UPPER] = upper
    matrix.T[_UPPER] = upper
    return matrix


def same(one: LearntPart, other: LearntPart) -> bool:
    """Return whether two parts have the same numbers."""
    return all(
        np.array_equal(getattr(one, each.name), getattr(other, each.name)) for each in fields(one)
    )
