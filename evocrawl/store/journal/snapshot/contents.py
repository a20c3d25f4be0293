"""What a snapshot needs of an object: its content as it is now, and the values in it."""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from itertools import chain, count
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from sortedcontainers import SortedKeyList, SortedList

from evocrawl.core.model import Lead, Link
from evocrawl.store.journal.snapshot import graph
from evocrawl.store.journal.snapshot.graph import SnapshotError

PLAIN = frozenset((type(None), bool, int, float, str, bytes))
"""Classes of values that stand for themselves."""
LEAD = tuple([name for name in graph.slots_of(Lead) if name != "payload"])
LINK = tuple([name for name in graph.slots_of(Link) if name != "payload"])
"""Attributes of links but their payloads."""
_LEAD_VALUES, _LINK_VALUES = attrgetter(*LEAD), attrgetter(*LINK)
_PAYLOAD = attrgetter("payload")

Taken: TypeAlias = tuple[Any, Iterable[Any]]
"""What the writer needs of an object, and the values in it that may refer to others."""
Take: TypeAlias = Callable[[Any], Taken]


def of_itself(value: Any) -> Taken:
    """Return what the writer needs of an object that never changes."""
    return value, ()


def of_items(value: tuple[Any, ...]) -> Taken:
    """Return what the writer needs of a named tuple."""
    return value, value


def _keys(value: Iterable[Any]) -> Taken:
    """Return keys, which the writer refuses unless they are plain."""
    return [*value], ()


def _list(value: list[Any]) -> Taken:
    kinds = {*map(type, value)}
    if kinds <= PLAIN:
        return value.copy(), ()
    if any(map(graph.is_code, kinds)):
        return None, ()
    copy = value.copy()
    return copy, _within(copy, kinds)


def _dict(value: dict[Any, Any]) -> Taken:
    values = [*value.values()]
    kinds = {*map(type, values)}
    if type(value) is dict and any(map(graph.is_code, kinds)):
        return None, ()
    return ([*value], values), () if kinds <= PLAIN else _within(values, kinds)


def _within(values: list[Any], kinds: set[type]) -> list[Any]:
    """Return the values that may refer to others: if all are tuples, those in the tuples."""
    if kinds != {tuple}:
        return values
    return [each for each in chain.from_iterable(values) if type(each) not in PLAIN]


def _deque(value: deque[Any]) -> Taken:
    items = [*value]
    return items, items


def _generator(value: Generator) -> Taken:
    source: Any = value.bit_generator
    seed = source.seed_seq
    if type(source) is not np.random.PCG64 or type(seed) is not np.random.SeedSequence:
        raise SnapshotError(f"a snapshot cannot hold {graph.name_of(type(source))}")
    inner = source.state["state"]
    state = [inner["state"], inner["inc"], source.state["has_uint32"], source.state["uinteger"]]
    entropy = seed.entropy if isinstance(seed.entropy, int) else tuple(seed.entropy or ())
    from_ = (entropy, tuple(seed.spawn_key), seed.pool_size, seed.n_children_spawned)
    return (state, from_), ()


def of_attributes(value: object) -> Taken:
    """Return the attributes of an object by their names."""
    state = graph.state_of(value)
    return state, state.values()


def of_link(value: Lead | Link) -> Taken:
    """Return the attributes of a link. Its payload refers to nothing: the writer packs it.

    If its request is sent before that, it is stored as that of a visit under way is, since Scrapy
    notes things in it.
    """
    values = (_LEAD_VALUES if isinstance(value, Lead) else _LINK_VALUES)(value)
    return (values, value.payload), values


def of_plain_leads(leads: list[Lead]) -> list[Any] | None:
    """Return what `of_link` does for links whose attributes are all plain, else None.

    A fourth of the time: there are thousands of links in memory.
    """
    values = [*map(_LEAD_VALUES, leads)]
    if not PLAIN.issuperset(map(type, chain.from_iterable(values))):
        return None
    return [*zip(values, map(_PAYLOAD, leads), strict=True)]


OF_KIND: dict[type, Take] = {
    list: _list,
    dict: _dict, OrderedDict: _dict, Counter: _dict, defaultdict: _dict,
    set: _keys, frozenset: _keys, SortedKeyList: _keys, SortedList: _keys,
    deque: _deque,
    bytearray: lambda each: (bytes(each), ()),
    array: lambda each: (each[:], ()),
    Generator: _generator,
    count: lambda each: (each.__reduce__()[1], ()),
}  # fmt: skip
"""What takes the contents of objects of Python's own classes and those of libraries."""
