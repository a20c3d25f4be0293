"""Makes and fills objects whose nodes have a form of their own."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence
from sortedcontainers import SortedList

from evocrawl.core.containers.paged_table import PagedTable
from evocrawl.store.journal.snapshot import graph
from evocrawl.store.journal.snapshot.arrays import array_of, form_of
from evocrawl.store.journal.snapshot.graph import SnapshotError


def new_whole(kind: str, rest: list[Any], read: Callable[[Any], bytes]) -> Any:
    """Return a new object whose node refers to no other; `read` returns the bytes of its data."""
    match kind:
        case "frozenset":
            return frozenset(rest[0])
        case "array":
            found = array(rest[0])
            found.frombytes(read(rest[1]))
            return found
        case "ndarray":
            form, shape, order, lines, data = rest
            if order == "F":
                return array_of((form, shape[::-1]), lines, read(data)).T
            return array_of((form, shape), lines, read(data))
        case "scalar":
            return array_of((rest[0], ()), -1, rest[1])[()]
        case "generator":
            return _generator(*rest)
        case "count":
            return count(*rest)
        case "sorted":
            return SortedList(np.frombuffer(read(rest[0]), np.float64).tolist())
        case _:
            raise SnapshotError(f"this population has no {kind} where the snapshot has one")


def new_dict(name: str) -> Any:
    """Return an empty dict of the kind that a node names."""
    kind, _, factory = name.partition(" ")
    if kind != "defaultdict":
        return graph.DICTS[kind]()
    if factory not in graph.FACTORIES:
        raise SnapshotError(f"a defaultdict of {factory!r} belonged to the process of the snapshot")
    return defaultdict(graph.FACTORIES[factory])


def _generator(state: tuple[int, int, int, int], seed: tuple[Any, ...]) -> Generator:
    entropy, spawn_key, pool_size, spawned = seed
    source = PCG64(
        SeedSequence(entropy, spawn_key=spawn_key, pool_size=pool_size, n_children_spawned=spawned)
    )
    source.state = {
        "bit_generator": "PCG64",
        "state": {"state": state[0], "inc": state[1]},
        "has_uint32": state[2],
        "uinteger": state[3],
    }
    return Generator(source)


def fill_table(table: PagedTable, form: Any, pieces: Iterator[bytes]) -> None:
    """Replace the rows of a table. Raises SnapshotError if the table has other columns."""
    fresh = table.fresh(0)
    if json.dumps(form_of(fresh)[0]) != json.dumps(form):
        raise SnapshotError("a table of the snapshot has other columns")
    table.clear()
    rest = b""
    for piece in pieces:
        rows, over = divmod(len(rest) + len(piece), fresh.itemsize)
        whole, rest = rest + piece, b""
        if over:
            whole, rest = whole[: rows * fresh.itemsize], whole[rows * fresh.itemsize :]
        table.append(np.frombuffer(whole, fresh.dtype))
