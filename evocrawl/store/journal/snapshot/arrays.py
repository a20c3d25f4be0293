"""Arrays of NumPy as bytes. Of large arrays only the lines that are not zero are stored.

The tables of fixed size in which a crawl notes what it has met are nearly empty at first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.lazy_zeros import lazy_zeros

Array = npt.NDArray[Any]

_LINE = 64
"""Bytes of a line."""
LARGE = 1 << 16
"""Bytes from which an array is stored by lines."""
_SPARSE = 0.7
"""Greatest share of lines that are not zero; with more, the array is stored whole."""


def form_of(array: Array) -> Any:
    """Return type and shape of an array as lists, numbers and strings."""
    return [_as_lists(np.lib.format.dtype_to_descr(array.dtype)), [*array.shape]]


def pieces_of(array: Array) -> tuple[int, Iterator[bytes]]:
    """Return the number of stored lines, −1 for a whole array, and the data; for `array_of`."""
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    if flat.nbytes < LARGE:
        return -1, iter((flat.tobytes(),))
    over = -flat.nbytes % _LINE
    lines = (np.append(flat, np.zeros(over, np.uint8)) if over else flat).reshape(-1, _LINE)
    numbers = np.flatnonzero(lines.view(np.uint64).any(1))
    if len(numbers) > _SPARSE * len(lines):
        return -1, iter((flat.tobytes(),))
    return len(numbers), iter((numbers.astype("<u4").tobytes(), lines[numbers].tobytes()))


def array_of(form: Any, lines: int, data: bytes) -> Array:
    """Return the array of `pieces_of`; a large one takes memory where it is not zero only.

    Raises ValueError if the data do not fit.
    """
    kind, shape = form
    dtype = _dtype_of(kind)
    if lines < 0:
        return np.frombuffer(data, dtype).reshape(shape).copy()
    size = int(np.prod(shape)) * dtype.itemsize
    whole = lazy_zeros(size + -size % _LINE, np.uint8)
    numbers = np.frombuffer(data, "<u4", lines)
    stored = np.frombuffer(data, np.uint8, offset=numbers.nbytes)
    whole.reshape(-1, _LINE)[numbers] = stored.reshape(-1, _LINE)
    return whole[:size].view(dtype).reshape(shape)


@lru_cache(maxsize=256)
def _dtype_of(kind: Any) -> np.dtype[Any]:
    return np.lib.format.descr_to_dtype(_as_descr(kind))


def _as_lists(kind: Any) -> Any:
    return kind if isinstance(kind, str | int) else [*map(_as_lists, kind)]


def _as_descr(kind: Any) -> Any:
    """Undo `_as_lists`: each field is a tuple, in a list."""
    if isinstance(kind, str):
        return kind
    return [(name, _as_descr(of), *(tuple(shape) for shape in more)) for name, of, *more in kind]
