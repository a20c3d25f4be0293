"""Writes a graph of objects as nodes: see `evocrawl.store.journal.snapshot.graph`."""

from __future__ import annotations

import types
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from enum import Enum
from itertools import count
from typing import Any

import numpy as np
from msgpack import ExtType
from numpy.random import Generator
from sortedcontainers import SortedKeyList, SortedList

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.containers.paged_table import PagedTable
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Lead, Link
from evocrawl.frontier.runs_by_name import RunsByName
from evocrawl.store.journal.operations.row import to_json
from evocrawl.store.journal.snapshot import graph
from evocrawl.store.journal.snapshot.arrays import form_of, pieces_of
from evocrawl.store.journal.snapshot.contents import LEAD, LINK, PLAIN
from evocrawl.store.journal.snapshot.frozen import FrozenGraph, has_stored_methods
from evocrawl.store.journal.snapshot.graph import SnapshotError
from evocrawl.store.journal.snapshot.parts import SIZE, PartWriter, Place, Steps

_SHORT = 1 << 12
"""Bytes of data that are in their node; longer data are in other parts."""
_MANY = 64
"""Items from which a list of numbers of one kind is stored as an array."""
_TYPE_CODES = {float: "d", int: "q"}
_PROCESS = ExtType(graph.OF_PROCESS, b"")


class GraphWriter:
    """Writes the objects of a graph; `pack_payload` converts payloads of links."""

    def __init__(
        self, frozen: FrozenGraph, parts: PartWriter, pack_payload: Callable[[Any], Any]
    ) -> None:
        self._frozen = frozen
        self._parts = parts
        self._pack_payload = pack_payload
        self._places: dict[int, Any] = {}
        self._forms: dict[type, Callable[[Any, Any], list[Any]]] = {
            list: self._list,
            dict: self._dict, OrderedDict: self._dict, Counter: self._dict, defaultdict: self._dict,
            set: lambda _, keys: ["set", self._keys(keys)],
            frozenset: lambda _, keys: ["frozenset", self._keys(keys)],
            deque: lambda each, items: ["deque", each.maxlen, [*map(self._value, items)]],
            bytearray: lambda _, data: ["bytearray", self._data((data,))],
            array: lambda each, copy: ["array", each.typecode, self._data((copy,))],
            np.ndarray: self._array,
            Generator: lambda _, of: ["generator", [*map(self._value, of[0])], self._value(of[1])],
            SortedList: lambda _, keys: ["sorted", self._data((array("d", keys),))],
            SortedKeyList: lambda _, keys: ["ranked", self._keys(keys)],
            count: lambda _, values: ["count", *map(self._value, values)],
        }  # fmt: skip

    def steps(self) -> Steps:
        """Write the graph step by step; return the place of its nodes.

        The containers that keep copies of what changes come first. Raises SnapshotError for a value
        that no snapshot can hold, and StateError if a file of records cannot be read.
        """
        frozen, parts = self._frozen, self._parts
        for number, held in frozen.held.items():
            self._places[number] = yield from parts.put(held.pieces(SIZE))
        for number, length in frozen.files.items():
            self._places[number] = yield from parts.put_file(frozen.objects[number], length)
        nodes = bytearray()
        for number in range(len(frozen.objects)):
            nodes += self._packed(number)
            yield from parts.put_reserved()
            yield
        owners = [frozen.numbers.get(id(each)) for each in frozen.methods_of]
        nodes += graph.packed(["methods", owners])
        return (yield from parts.put((nodes,)))

    def _packed(self, number: int) -> bytes:
        """Return the node of an object, and free what it contained."""
        value, content = self._frozen.objects[number], self._frozen.contents[number]
        self._frozen.contents[number] = None
        try:
            return graph.packed(self._node(number, value, content))
        except SnapshotError as error:
            raise SnapshotError(f"{error} ({self._frozen.path(number)})") from None

    def _value(self, value: Any) -> Any:
        """Return a value as it is in a node."""
        kind = type(value)
        if kind is int:
            if -(1 << 63) <= value < 1 << 64:
                return value
            size = value.bit_length() // 8 + 1
            return ExtType(graph.BIG, value.to_bytes(size, "little", signed=True))
        if kind in PLAIN:
            return value
        if kind is tuple:
            return [*map(self._value, value)]
        number = self._frozen.numbers.get(id(value))
        if number is not None:
            return ExtType(graph.REFERENCE, number.to_bytes(4, "little"))
        if isinstance(value, types.MethodType | types.BuiltinFunctionType):
            owner = value.__self__
            if has_stored_methods(owner):
                number = self._frozen.method_owners[id(owner)]
                name = value.__name__.encode()
                return ExtType(graph.METHOD, number.to_bytes(4, "little") + name)
        return _PROCESS

    def _node(self, number: int, value: Any, content: Any) -> list[Any]:
        form = self._forms.get(type(value))
        if form is not None:
            return form(value, content)
        if isinstance(value, KeyMap):
            kind = "map" if type(value) is KeyMap else "keys"
            rows = [[self._value(key), self._value(values)] for key, values in content[1].items()]
            return [kind, content[0], rows, self._places[number]]
        if isinstance(value, PagedTable):
            return ["table", form_of(value.fresh(1))[0], self._places[number]]
        if isinstance(value, RunsByName):
            return ["runs", self._places[number]]
        if isinstance(value, SpillFile):
            return ["spill", *self._places[number]]
        if isinstance(value, np.generic):
            return ["scalar", form_of(np.asarray(value))[0], value.tobytes()]
        name = graph.name_of(type(value))
        if isinstance(value, Enum):
            return ["enum", name, value.name]
        if isinstance(value, tuple):
            return ["named", name, [*map(self._value, value)]]
        if isinstance(value, Lead | Link):
            values = dict(zip(LEAD if isinstance(value, Lead) else LINK, content[0], strict=True))
        else:
            own: Any = type(value)
            slots = graph.slots_of(own)
            values = content if type(content) is dict else dict(zip(slots, content, strict=True))
        packed = {name: self._value(each) for name, each in values.items()}
        if isinstance(value, Lead | Link):
            packed["payload"] = None if content[1] is None else self._payload(content[1])
        return ["object", name, packed]

    def _payload(self, payload: Any) -> ExtType:
        return ExtType(graph.PAYLOAD, to_json(self._pack_payload(payload)).encode())

    def _list(self, _: list[Any], items: list[Any] | None) -> list[Any]:
        if items is None:
            return ["wiring"]
        if len(items) >= _MANY:
            kinds = {*map(type, items)}
            code = _TYPE_CODES.get(kinds.pop(), "") if len(kinds) == 1 else ""
            if code == "d" or (code and min(items) >= -(1 << 63) and max(items) < 1 << 63):
                return ["numbers", code, self._data((array(code, items),))]
        return ["list", [*map(self._value, items)]]

    def _dict(self, value: dict[Any, Any], content: tuple[list[Any], list[Any]] | None) -> Any:
        if content is None:
            return ["wiring"]
        keys, values = content
        name = type(value).__name__
        if isinstance(value, defaultdict):
            name = f"defaultdict {getattr(value.default_factory, '__name__', '')}"
        return ["dict", name, self._keys(keys), [*map(self._value, values)]]

    def _keys(self, keys: Iterable[Any]) -> list[Any]:
        """Return the keys of a dict or the items of a set, which must be plain."""
        keys = [*keys]
        if not all(map(_is_plain, keys)):
            raise SnapshotError("a snapshot cannot hold a set or dict whose keys are objects")
        return [*map(self._value, keys)]

    def _array(self, value: np.ndarray[Any, Any], copy: bytes | np.ndarray[Any, Any]) -> Any:
        flags = value.flags
        order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"
        if isinstance(copy, bytes):
            return ["ndarray", *form_of(value), order, -1, self._data((copy,))]
        lines, pieces = pieces_of(copy.T if order == "F" else copy)
        return ["ndarray", *form_of(value), order, lines, self._data(pieces)]

    def _data(self, pieces: Iterable[Any]) -> bytes | Place:
        """Return data in pieces as they are in a node: the bytes, or their place if long."""
        views = [memoryview(each).cast("B") if each else memoryview(b"") for each in pieces]
        if sum(map(len, views)) <= _SHORT:
            return b"".join(views)
        return self._parts.reserve(views)


def _is_plain(key: Any) -> bool:
    return type(key) in PLAIN or (type(key) is tuple and all(map(_is_plain, key)))
