"""A graph of objects as it is at one moment: what `evocrawl.store.journal.snapshot.writer` writes.

The crawl waits while the graph is frozen, and goes on while it is written. So as little as possible
is done here: each object's values are copied as they are, once. The large containers are not even
copied: they keep what changes before it is written.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from itertools import takewhile
from operator import attrgetter
from typing import Any

import numpy as np

from evocrawl.core.containers.frozen_buckets import FrozenBuckets
from evocrawl.core.containers.frozen_rows import FrozenRows
from evocrawl.core.containers.keymap import KeyMap, KeySet
from evocrawl.core.containers.paged_table import PagedTable
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Lead, Link
from evocrawl.frontier.runs_by_name import FrozenRuns, RunsByName
from evocrawl.store.journal.snapshot import contents, graph
from evocrawl.store.journal.snapshot.arrays import LARGE
from evocrawl.store.journal.snapshot.contents import PLAIN, Take, Taken
from evocrawl.store.journal.snapshot.graph import SnapshotError

_FIXED = (*PLAIN, tuple, frozenset)
_LEADS = 512
"""Most links whose contents are taken at once."""


class FrozenGraph:
    """The objects of a graph and what they contain as of now, numbered from `root` on.

    Raises SnapshotError for an object that no snapshot can hold. O(objects, their values, and the
    bytes of arrays).
    """

    def __init__(self, root: dict[str, object]) -> None:
        self.objects: list[Any] = []
        """Also keeps them alive, so that their ids are not used again."""
        self.contents: list[Any] = []
        self.numbers: dict[int, int] = {}
        """Numbers of objects by their ids."""
        self.method_owners: dict[int, int] = {}
        """Numbers of the objects whose methods others have, by their ids."""
        self.methods_of: list[Any] = []
        self.held: dict[int, FrozenBuckets | FrozenRows | FrozenRuns] = {}
        """The large containers by the numbers of their objects."""
        self.files: dict[int, int] = {}
        """The bytes of the files of records by the numbers of their objects."""
        self._owners: list[int] = []
        self._is_object: set[type] = set()
        self._are_leads_plain = True
        self._arrays: list[np.ndarray[Any, Any]] = []
        self._values_of: dict[type, Callable[[Any], tuple[Any, ...]]] = {}
        self._takes: dict[type, Take] = {
            **contents.OF_KIND, np.ndarray: self._array, KeyMap: self._map, KeySet: self._map,
            PagedTable: self._table, RunsByName: self._table, SpillFile: self._file,
        }  # fmt: skip
        with _without_garbage_collection():
            try:
                self._freeze(root)
                self._check_arrays()
            except BaseException:
                self.close()
                raise
            finally:
                self._takes.clear()  # which refer to this object
                self._arrays.clear()

    def close(self) -> None:
        """Free the objects, and what the large containers have kept."""
        for each in self.held.values():
            each.close()
        self.objects.clear()
        self.contents.clear()

    def path(self, number: int) -> str:
        """Return the classes from the root to an object."""
        names = [type(self.objects[number]).__name__]
        while self._owners[number] != number:
            number = self._owners[number]
            names.append(type(self.objects[number]).__name__)
        return " > ".join(reversed(names))

    def _freeze(self, root: dict[str, object]) -> None:
        self._number(root)
        numbers, objects, owners, taken = (
            self.numbers, self.objects, self._owners, self.contents,
        )  # fmt: skip
        values_of, takes, plain, is_object = self._values_of, self._takes, PLAIN, self._is_object
        kind: Any
        values: Iterable[Any]
        for number, value in enumerate(objects):  # which grow
            if number < len(taken):
                continue
            kind = type(value)
            if kind is Lead and self._take_leads(number):
                continue
            if kind in values_of:
                try:
                    content = values = values_of[kind](value)
                except AttributeError:  # a slot that is not set
                    content, values = contents.of_attributes(value)
            else:
                try:
                    take = takes.get(kind) or self._new_take(value)
                    content, values = take(value)
                except SnapshotError as error:
                    raise SnapshotError(f"{error} ({self.path(number)})") from None
            for each in values:
                kind = type(each)
                if kind in plain or (kind is tuple and plain.issuperset(map(type, each))):
                    continue
                if kind not in is_object:
                    self._meet(each)
                elif id(each) not in numbers:  # as in `_number`, without a call
                    numbers[id(each)] = len(objects)
                    objects.append(each)
                    owners.append(number)
            taken.append(content)

    def _take_leads(self, first: int) -> bool:
        """Take the contents of links that follow each other; False if some refer to objects."""
        if self._are_leads_plain:
            some = self.objects[first : first + _LEADS]
            found = contents.of_plain_leads([*takewhile(_is_lead, some)])
            self._are_leads_plain = found is not None
            self.contents += found or ()
        return self._are_leads_plain

    def _meet(self, value: Any) -> None:
        """Number an object to which a value refers, of a class that may have none."""
        if type(value) is tuple:
            for each in value:
                if type(each) not in PLAIN:
                    self._meet(each)
        elif isinstance(value, types.MethodType | types.BuiltinFunctionType):
            self._meet_owner(value.__self__)
        elif not graph.is_of_process(value):
            self._is_object.add(type(value))
            self._number(value)

    def _number(self, value: object) -> None:
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.objects)
            self.objects.append(value)
            self._owners.append(len(self.contents))

    def _meet_owner(self, owner: Any) -> None:
        """Number an object whose method another one has.

        It is in the snapshot if an attribute refers to it, or if it is no object of a class.
        """
        if not has_stored_methods(owner):
            return
        if not graph.has_attributes(type(owner)):
            self._number(owner)
        if id(owner) not in self.method_owners:
            self.method_owners[id(owner)] = len(self.methods_of)
            self.methods_of.append(owner)

    def _new_take(self, value: Any) -> Take:
        """Return what takes the content of objects of a class that was not met before."""
        kind: Any = type(value)
        take: Take = contents.of_attributes
        slots = graph.slots_of(kind)
        if isinstance(value, np.generic):
            take = contents.of_itself
        elif not graph.has_attributes(kind):
            raise SnapshotError(f"a snapshot cannot hold {graph.name_of(kind)}")
        elif isinstance(value, Enum):
            take = contents.of_itself
        elif isinstance(value, tuple):
            take = contents.of_items
        elif isinstance(value, Lead | Link):
            take = contents.of_link
        elif len(slots) > 1 and not kind.__dictoffset__:
            self._values_of[kind] = attrgetter(*slots)
        self._takes[kind] = take
        return take

    def _array(self, value: np.ndarray[Any, Any]) -> Taken:
        if value.dtype.hasobject:
            raise SnapshotError("a snapshot cannot hold an array of objects")
        self._arrays.append(value)
        return value.tobytes("A") if value.nbytes < LARGE else value.copy("K"), ()

    def _check_arrays(self) -> None:
        """Raise SnapshotError if two arrays share memory: a snapshot would make them two.

        One of them, at least, has the memory of another object.
        """
        views = [each for each in self._arrays if each.base is not None]
        bases = {id(each.base) for each in views}
        views += [each for each in self._arrays if id(each) in bases]
        spans = [(each.ctypes.data, each.nbytes) for each in views if each.flags.c_contiguous]
        end = 0
        for start, size in sorted(spans):
            if size and start < end:
                raise SnapshotError("a snapshot cannot hold two arrays that share memory")
            end = max(start + size, end)

    def _map(self, value: KeyMap) -> Taken:
        form, few, self.held[len(self.contents)] = value.freeze()
        return (form, few), ()

    def _table(self, value: PagedTable | RunsByName) -> Taken:
        self.held[len(self.contents)] = value.freeze()
        return None, ()

    def _file(self, value: SpillFile) -> Taken:
        self.files[len(self.contents)] = len(value)
        return None, ()


def _is_lead(value: object) -> bool:
    return type(value) is Lead


def has_stored_methods(owner: object) -> bool:
    """Return whether a snapshot refers to the methods of an object."""
    return type(owner) not in _FIXED and not graph.is_of_process(owner)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Keep the garbage collector from looking through the whole crawl for what is made here.

    What was made is then as old for it as the crawl, or it would look through that at once.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        if was_enabled:
            gc.enable()
