"""The order of the tests: long ones first at each worker, then the files of all folders mixed.

Many tests wait for servers, and others compute: side by side they keep the machine busy. A long
test that began late would be waited for alone. Marks name the long ones, ``takes_s(seconds)``: on a
test each of its cases is dealt by itself; on a file all of it is, since its tests share what is
made once.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

import pytest


def in_order(items: Iterable[pytest.Item], workers: int) -> list[pytest.Item]:
    """Return the tests in an order that is the same each time.

    pytest-xdist gives each worker an equal part of the list to begin with; what is left at the end
    of a part is what other workers take over.
    """
    mixed = sorted(items, key=lambda item: crc32(_file(item).encode()))
    long = _long(mixed)
    parts = _dealt(long, workers)
    begun = {item for _, some in long for item in some}
    rest = iter([item for item in mixed if item not in begun])
    left = len(mixed)
    for number, part in enumerate(parts):
        size = left // (workers - number)
        left -= size
        part += [item for _, item in zip(range(size - len(part)), rest, strict=False)]
    return [item for part in parts for item in part] + list(rest)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _long(items: list[pytest.Item]) -> list[tuple[float, list[pytest.Item]]]:
    """Return groups of long tests with their seconds, the longest first."""
    found: dict[str, tuple[float, list[pytest.Item]]] = {}
    for item in items:
        for node, mark in item.iter_markers_with_node("takes_s"):
            name = _file(item) if isinstance(node, pytest.Module) else item.nodeid
            found.setdefault(name, (float(mark.args[0]), []))[1].append(item)
            break
    return sorted(found.values(), key=lambda some: -some[0])


def _dealt(long: list[tuple[float, list[pytest.Item]]], workers: int) -> list[list[pytest.Item]]:
    """Give each group in turn to the worker with the fewest seconds."""
    parts: list[list[pytest.Item]] = [[] for _ in range(workers)]
    seconds = [0.0] * workers
    for takes_s, some in long:
        least = seconds.index(min(seconds))
        parts[least] += some
        seconds[least] += takes_s
    return parts
