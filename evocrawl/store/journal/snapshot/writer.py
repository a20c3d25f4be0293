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

from evocrawl.core.containers.keymap import KeyMap, KeySet
from evocrawl.core.containers.paged_table import PagedTable
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Lead, Link
from evocrawl.store.journal.operations.row import to_json
from evocrawl.store.journal.snapshot import graph
from evocrawl.store.journal.snapshot.arrays import form_of, pieces_of
from evocrawl.store.journal.snapshot.graph import SnapshotError
from evocrawl.store.journal.snapshot.parts import PartWriter, Place

_PLAIN = (type(None), bool, float, str, bytes)
_FIXED = (*_PLAIN, int, tuple, frozenset)
_SHORT = 1 << 12
"""Bytes of data that are in their node; longer data are in other parts."""
_MANY = 64
"""Items from which a list of numbers of one kind is stored as an array."""
_TYPE_CODES = {float: "d", int: "q"}
_PROCESS = ExtType(graph.OF_PROCESS, b"")


class GraphWriter:
    """Writes objects and all that they refer to; `pack_payload` converts payloads of links."""

    def __init__(self, parts: PartWriter, pack_payload: Callable[[Any], Any]) -> None:
        self._parts = parts
        self._pack_payload = pack_payload
        self._numbers: dict[int, int] = {}
        self._objects: list[Any] = []
        self._owners: list[int] = []
        self._at = 0
        self._method_owners: dict[int, int] = {}
        self._methods_of: list[Any] = []
        self._arrays: list[tuple[int, int]] = []
        self._forms: dict[type, Callable[[Any], list[Any]]] = {
            list: self._list,
            dict: self._dict,
            OrderedDict: self._dict,
            Counter: self._dict,
            defaultdict: self._dict,
            set: lambda each: ["set", self._keys(each)],
            frozenset: lambda each: ["frozenset", self._keys(each)],
            deque: lambda each: ["deque", each.maxlen, [*map(self._value, each)]],
            bytearray: lambda each: ["bytearray", self._data((each,))],
            array: lambda each: ["array", each.typecode, self._data((each,))],
            np.ndarray: self._array,
            Generator: self._generator,
            SortedList: lambda each: ["sorted", self._data((array("d", each),))],
            SortedKeyList: lambda each: ["ranked", self._keys(each)],
            count: lambda each: ["count", *map(self._value, each.__reduce__()[1])],
            KeyMap: self._key_map,
            KeySet: self._key_map,
            PagedTable: lambda each: ["table", form_of(each.fresh(1))[0], self._rows(each)],
            SpillFile: lambda each: ["spill", self._parts.put_file(each)],
        }

    def write(self, root: dict[str, object]) -> Place:
        """Write the graph of `root`; return the place of its nodes. O(objects and their bytes).

        Raises SnapshotError for an object that no snapshot can hold.
        """
        self._value(root)
        nodes = bytearray()
        try:
            while self._at < len(self._objects):
                nodes += graph.packed(self._node(self._objects[self._at]))
                self._at += 1
        except SnapshotError as error:
            raise SnapshotError(f"{error} ({self._path()})") from None
        self._check_arrays()
        nodes += graph.packed(
            ["methods", [self._numbers.get(id(each)) for each in self._methods_of]]
        )
        return self._parts.put((nodes,))

    def _value(self, value: Any) -> Any:
        """Return a value as it is in a node."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is int:
            if -(1 << 63) <= value < 1 << 64:
                return value
            size = value.bit_length() // 8 + 1
            return ExtType(graph.BIG, value.to_bytes(size, "little", signed=True))
        if kind is tuple:
            return [*map(self._value, value)]
        if isinstance(value, types.MethodType | types.BuiltinFunctionType):
            owner = value.__self__
            if type(owner) in _FIXED or graph.is_of_process(owner):
                return _PROCESS
            name = value.__name__.encode()
            return ExtType(graph.METHOD, self._method_owner(owner) + name)
        if graph.is_of_process(value):
            return _PROCESS
        return ExtType(graph.REFERENCE, self._number(value))

    def _number(self, value: object) -> bytes:
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._objects)
            self._objects.append(value)  # which keeps it alive, so that its id is not used again
            self._owners.append(self._at)
        return number.to_bytes(4, "little")

    def _method_owner(self, owner: object) -> bytes:
        """Return the number of an object whose method another one has.

        It is in the snapshot if an attribute refers to it, or if it is no object of a class.
        """
        if not graph.has_attributes(type(owner)):
            self._number(owner)
        number = self._method_owners.setdefault(id(owner), len(self._methods_of))
        if number == len(self._methods_of):
            self._methods_of.append(owner)
        return number.to_bytes(4, "little")

    def _path(self) -> str:
        """Return the classes from the root to the object that is written."""
        at, names = self._at, [type(self._objects[self._at]).__name__]
        while self._owners[at] != at:
            at = self._owners[at]
            names.append(type(self._objects[at]).__name__)
        return " > ".join(reversed(names))

    def _node(self, value: Any) -> list[Any]:
        form = self._forms.get(type(value))
        if form is not None:
            return form(value)
        if isinstance(value, np.generic):
            return ["scalar", form_of(np.asarray(value))[0], value.tobytes()]
        if not graph.has_attributes(type(value)):
            raise SnapshotError(f"a snapshot cannot hold {graph.name_of(type(value))}")
        name = graph.name_of(type(value))
        if isinstance(value, Enum):
            return ["enum", name, value.name]
        if isinstance(value, tuple):
            return ["named", name, [*map(self._value, value)]]
        return ["object", name, self._attributes(value)]

    def _attributes(self, value: object) -> dict[str, Any]:
        state = graph.state_of(value)
        payload = state.pop("payload", None) if isinstance(value, Lead | Link) else None
        packed = {name: self._value(each) for name, each in state.items()}
        if isinstance(value, Lead | Link):
            packed["payload"] = None
        if payload is not None:
            packed["payload"] = ExtType(
                graph.PAYLOAD, to_json(self._pack_payload(payload)).encode()
            )
        return packed

    def _list(self, value: list[Any]) -> list[Any]:
        if graph.is_wiring(value):
            return ["wiring"]
        if len(value) >= _MANY:
            kinds = {*map(type, value)}
            code = _TYPE_CODES.get(kinds.pop(), "") if len(kinds) == 1 else ""
            if code == "d" or (code and min(value) >= -(1 << 63) and max(value) < 1 << 63):
                return ["numbers", code, self._data((array(code, value),))]
        return ["list", [*map(self._value, value)]]

    def _dict(self, value: dict[Any, Any]) -> list[Any]:
        if graph.is_wiring(value):
            return ["wiring"]
        name = type(value).__name__
        if isinstance(value, defaultdict):
            name = f"defaultdict {getattr(value.default_factory, '__name__', '')}"
        return ["dict", name, self._keys(value), [*map(self._value, value.values())]]

    def _keys(self, keys: Iterable[Any]) -> list[Any]:
        """Return the keys of a dict or the items of a set, which must be plain."""
        packed = [*map(self._value, keys)]
        if any(isinstance(each, ExtType) and each.code != graph.BIG for each in packed):
            raise SnapshotError("a snapshot cannot hold a set or dict whose keys are objects")
        return packed

    def _array(self, value: np.ndarray[Any, Any]) -> list[Any]:
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        if value.dtype.hasobject:
            raise SnapshotError("a snapshot cannot hold an array of objects")
        if value.flags.c_contiguous and value.nbytes:
            self._arrays.append((value.ctypes.data, value.nbytes))
        lines, pieces = pieces_of(value.T if order == "F" else value)
        return ["ndarray", *form_of(value), order, lines, self._data(pieces)]

    def _check_arrays(self) -> None:
        """Raise SnapshotError if two arrays share memory: a snapshot would make them two."""
        end = 0
        for start, size in sorted(self._arrays):
            if start < end:
                raise SnapshotError("a snapshot cannot hold two arrays that share memory")
            end = start + size

    def _generator(self, value: Generator) -> list[Any]:
        source: Any = value.bit_generator
        seed = source.seed_seq
        if type(source) is not np.random.PCG64 or type(seed) is not np.random.SeedSequence:
            raise SnapshotError(f"a snapshot cannot hold {graph.name_of(type(source))}")
        inner = source.state["state"]
        state = [inner["state"], inner["inc"], source.state["has_uint32"], source.state["uinteger"]]
        entropy = seed.entropy if isinstance(seed.entropy, int) else tuple(seed.entropy or ())
        from_ = (entropy, tuple(seed.spawn_key), seed.pool_size, seed.n_children_spawned)
        return ["generator", [*map(self._value, state)], self._value(from_)]

    def _key_map(self, value: KeyMap) -> list[Any]:
        form, few, records = value.dump()
        rows = [[self._value(key), self._value(values)] for key, values in few]
        return ["map" if type(value) is KeyMap else "keys", form, rows, self._data((records,))]

    def _rows(self, table: PagedTable) -> Place:
        return self._parts.put(rows.tobytes() for rows in table.pieces())

    def _data(self, pieces: Iterable[Any]) -> bytes | Place:
        """Return data in pieces as they are in a node: the bytes, or their place if long."""
        views = [memoryview(each).cast("B") if each else memoryview(b"") for each in pieces]
        if sum(map(len, views)) <= _SHORT:
            return b"".join(views)
        return self._parts.put(views)
