"""Reads the nodes of a snapshot into a new population.

First every node that is needed gets its object: one of the new population, if that has one at the
same place, or a new one. Nothing is changed until each node has its object. Then they are filled.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import msgpack
from sortedcontainers import SortedKeyList

from evocrawl.core.containers.keymap import KeyMap, KeySet
from evocrawl.core.containers.paged_table import PagedTable
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.frontier.runs_by_name import RunsByName
from evocrawl.store.journal.snapshot import graph
from evocrawl.store.journal.snapshot.contents import PLAIN
from evocrawl.store.journal.snapshot.graph import SnapshotError
from evocrawl.store.journal.snapshot.new_objects import fill_table, new_dict, new_whole
from evocrawl.store.journal.snapshot.parts import KeptFiles, PartReader, Place
from evocrawl.store.journal.snapshot.references import (
    PROCESS,
    Payload,
    Reference,
    has_process,
    references_in,
    unpack_extension,
)

_FILLED = {
    "dict": dict, "list": list, "numbers": list, "set": set, "deque": deque,
    "ranked": SortedKeyList, "bytearray": bytearray, "map": KeyMap, "keys": KeySet,
    "table": PagedTable, "runs": RunsByName, "spill": SpillFile,
}  # fmt: skip
"""Kinds of nodes whose object in the new population is filled, and the class of that object."""


class GraphReader:
    """Reads a graph of objects; `unpack_payload` undoes the writer's `pack_payload`."""

    def __init__(
        self, parts: PartReader, place: Place, unpack_payload: Callable[[Any], Any]
    ) -> None:
        self._parts = parts
        self._unpack_payload = unpack_payload
        *self._nodes, (_, self._method_owners) = self._read(place)
        self._objects: dict[int, Any] = {}
        self._taken: set[int] = set()
        self._classes: dict[str, type] = {}
        self.files: KeptFiles = WeakKeyDictionary()
        """The files of records that were filled, with the places of their full parts."""

    def read_into(self, root: dict[str, object]) -> None:
        """Fill the objects of `root`, and make those that they refer to. O(objects and bytes).

        Entries of the snapshot that `root` does not have are not read. Raises SnapshotError, before
        anything is changed, if the snapshot does not fit; ValueError if it is damaged.
        """
        self._match(0, root)
        wanted = self._wanted(root)
        missing = [node for node in wanted if node not in self._objects]
        # A named tuple cannot be filled later: it is made when the others are there.
        for node in sorted(missing, key=lambda node: self._nodes[node][0] == "named"):
            self._objects[node] = self._made(node)
        # A list that is sorted by what other objects hold is filled when they are.
        for node in sorted(wanted, key=lambda node: self._nodes[node][0] == "ranked"):
            if node:
                self._fill(node)

    def _read(self, place: Place) -> Iterator[tuple[Any, ...]]:
        unpacker = msgpack.Unpacker(
            use_list=False, ext_hook=unpack_extension, unicode_errors="surrogatepass",
            max_buffer_size=0, strict_map_key=False,
        )  # fmt: skip
        for piece in self._parts.pieces(place):
            unpacker.feed(piece)
            yield from unpacker

    def _match(self, first: int, root: Any) -> None:
        """Assign the objects of the new population to nodes, from `root` on, by attribute."""
        waiting = deque([(first, root)])
        methods = list[tuple[int, Any]]()
        while waiting:
            node, known = waiting.popleft()
            if node in self._objects or id(known) in self._taken or not self._fits(node, known):
                continue
            self._objects[node] = known
            self._taken.add(id(known))
            for value, here in self._pairs(node, known):
                for reference, own in references_in(value, here):
                    owner = self._owner_of(reference)
                    if owner is None:
                        continue
                    if reference.method:
                        own = getattr(own, "__self__", None)
                        methods.append((owner, own))
                    waiting.append((owner, own))
        for node, owner in methods:
            if self._objects.get(node) is not owner:
                raise SnapshotError(f"a method belongs to another object: {self._nodes[node][:2]}")

    def _owner_of(self, reference: Reference) -> int | None:
        """Return the node of a reference; None for a method of an object that is not stored."""
        if not reference.method:
            return reference.node
        found: int | None = self._method_owners[reference.node]
        return found

    def _fits(self, node: int, known: Any) -> bool:
        kind, *rest = self._nodes[node]
        fits: bool
        if kind == "object":
            if graph.is_of_process(known) or graph.name_of(type(known)) != rest[0]:
                return False
            _check_attributes(known, rest[0], rest[1])
            self._classes[rest[0]] = type(known)
            return True
        if kind == "deque":
            return type(known) is deque and known.maxlen == rest[0]
        if kind == "wiring":
            return type(known) in (list, dict)
        if kind == "dict":
            fits = type(known).__name__ == rest[0].split(" ")[0]
        else:
            fits = type(known) is _FILLED.get(kind)
        return fits

    def _pairs(self, node: int, known: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the values of a node with those of the object that it is assigned to."""
        kind, *rest = self._nodes[node]
        if kind == "object":
            for name, value in rest[1].items():
                yield value, getattr(known, name, None)
        elif kind == "dict":
            for key, value in zip(rest[1], rest[2], strict=True):
                if key in known:
                    yield value, known[key]
        elif kind == "list" and len(rest[0]) == len(known):
            yield from zip(rest[0], known, strict=True)

    def _wanted(self, root: dict[str, object]) -> list[int]:
        """Return the nodes that are needed, beginning with the entries of `root`."""
        _, _, names, values = self._nodes[0]
        missing = [name for name in root if name not in names]
        if missing:
            raise SnapshotError(f"it was taken without the {', '.join(missing)}")
        wanted = {0: None}
        waiting = [
            each.node
            for name, value in zip(names, values, strict=True)
            if name in root
            for each, _ in references_in(value, None)
            if not each.method
        ]
        while waiting:
            node = waiting.pop()
            if node not in wanted:
                wanted[node] = None
                for value in self._values(node):
                    if type(value) is Reference or type(value) is tuple:
                        waiting += [
                            each.node for each, _ in references_in(value, None) if not each.method
                        ]
        return [*wanted]

    def _values(self, node: int) -> Iterable[Any]:
        kind, *rest = self._nodes[node]
        values: Iterable[Any] = ()
        if kind == "object":
            values = rest[1].values()
        elif kind == "dict":
            values = rest[2]
        elif kind in ("list", "deque", "named"):
            values = rest[-1]
        return values

    def _made(self, node: int) -> Any:
        """Return a new object for a node: empty if it is filled later, else whole."""
        kind, *rest = self._nodes[node]
        match kind:
            case "object":
                self._check_made(node)
                return object.__new__(self._class_of(rest[0]))
            case "named":
                return tuple.__new__(self._class_of(rest[0]), map(self._value, rest[1]))
            case "enum":
                known = self._class_of(rest[0])
                return known[rest[1]] if issubclass(known, Enum) else None
            case "dict":
                return new_dict(rest[0])
            case "deque":
                return deque(maxlen=rest[0])
            case "list" | "numbers" | "set" | "bytearray":
                return _FILLED[kind]()
            case "map" | "keys":
                return KeySet() if kind == "keys" else KeyMap(rest[0])
            case _:
                return new_whole(kind, rest, self._data)

    def _check_made(self, node: int) -> None:
        """Raise SnapshotError if an object that is to be made had objects of its process."""
        _, name, values = self._nodes[node]
        for attribute, value in values.items():
            is_method = type(value) is Reference and bool(value.method)
            if value is PROCESS or (is_method and self._method(value) is None):
                raise SnapshotError(f"{name}.{attribute} belonged to the process of the snapshot")

    def _method(self, reference: Reference) -> Any:
        """Return a method of an object that the new population has already, else None."""
        owner = self._objects.get(self._owner_of(reference) or 0)
        is_own = id(owner) in self._taken and not reference.method.startswith("__")
        return getattr(owner, reference.method, None) if is_own else None

    def _class_of(self, name: str) -> type:
        """Return a class of evocrawl, or of a part of the crawl's own, by its name."""
        if name not in self._classes:
            module, _, path = name.partition(":")
            own = {each.__module__ for each in self._classes.values()}
            found: Any = sys.modules.get(module)
            if not module.startswith("evocrawl.") and module not in own:
                found = None
            for each in path.split("."):
                found = getattr(found, each, None)
            if not isinstance(found, type) or not graph.has_attributes(found):
                raise SnapshotError(f"the class {name} of the snapshot is not known here")
            self._classes[name] = found
        return self._classes[name]

    def _fill(self, node: int) -> None:
        kind, *rest = self._nodes[node]
        known = self._objects[node]
        match kind:
            case "object":
                self._set(known, rest[1])
            case "dict":
                known.clear()
                for key, value in zip(rest[1], rest[2], strict=True):
                    known[key] = self._value(value)
            case "list":
                known[:] = map(self._value, rest[0])
            case "numbers":
                known[:] = array(rest[0], self._data(rest[1])).tolist()
            case "set" | "ranked":
                known.clear()
                known.update(rest[0])
            case "deque":
                known.clear()
                known.extend(map(self._value, rest[1]))
            case "bytearray":
                known[:] = self._data(rest[0])
            case "map" | "keys":
                known.load(rest[1], self._data(rest[2]))
            case "table":
                fill_table(known, rest[0], self._parts.pieces(rest[1]))
            case "runs":
                known.load(self._parts.pieces(rest[0]))
            case "spill":
                known.load(chain.from_iterable(map(self._parts.pieces, rest)))
                self.files[known] = rest[0]
            case _:
                pass

    def _set(self, known: Any, values: dict[str, Any]) -> None:
        """Set the attributes of an object; it keeps those that belong to the process."""
        is_new, put = id(known) not in self._taken, object.__setattr__
        for name, value in values.items():
            if type(value) in PLAIN:
                put(known, name, value)
            elif isinstance(value, Reference) and value.method:
                if is_new:
                    put(known, name, self._method(value))
            elif value is not PROCESS and not has_process(value):
                put(known, name, self._value(value))

    def _value(self, value: Any) -> Any:
        if isinstance(value, Reference):
            return self._objects[value.node]
        if type(value) is tuple:
            return tuple(map(self._value, value))
        if isinstance(value, Payload):
            return self._unpack_payload(json.loads(value.packed))
        return value

    def _data(self, data: bytes | Place) -> bytes:
        return data if isinstance(data, bytes) else self._parts.whole(data)


def _check_attributes(known: object, name: str, values: dict[str, Any]) -> None:
    """Raise SnapshotError for an attribute that the snapshot of an earlier version lacks."""
    missing = graph.state_of(known).keys() - values.keys()
    if missing:
        raise SnapshotError(f"it was taken when {name} had no attribute {min(missing)!r}")
