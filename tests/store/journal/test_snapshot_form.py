"""The values that a snapshot can hold, and those that it refuses, without a crawl."""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sortedcontainers import SortedList

from evocrawl.core.containers.keymap import KeyMap, KeySet
from evocrawl.core.containers.paged_table import PagedTable
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Lead
from evocrawl.frontier.runs_by_name import RunsByName
from evocrawl.politeness.robots.rules import Verdict
from evocrawl.store.journal.snapshot import snapshot
from evocrawl.store.journal.snapshot.arrays import form_of
from evocrawl.store.journal.snapshot.graph import SnapshotError
from evocrawl.store.journal.snapshot.new_objects import fill_table


@dataclass
class Holder:
    """An object of a part of the crawl."""

    value: Any = None
    other: Any = None


def again(value: Any, into: Any = None) -> Any:
    """Return the value as it is read from a snapshot."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    snapshot.write(database, 7, {"held": Holder(value)}, lambda payload: payload)
    fresh = Holder(into)
    assert snapshot.read(database, {"held": fresh}, lambda payload: payload) == 7
    return fresh.value


PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.binary()
    | st.text(st.characters(codec=None))
)
KEYS = st.integers() | st.text() | st.binary(max_size=20) | st.tuples(st.integers(), st.text())
VALUES = st.recursive(
    PLAIN,
    lambda each: st.lists(each) | st.dictionaries(KEYS, each) | st.tuples(each, each)
    | st.builds(Holder, each) | st.sets(KEYS)
    | st.builds(deque, st.lists(each), st.none() | st.integers(3, 9)),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(VALUES)
def test_values_are_restored(value: Any) -> None:
    """Also with unusual contents: lone surrogates, numbers of many digits, objects in objects."""
    read = again(value)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "value",
    [
        [0.1 * n for n in range(1000)], [*range(-500, 500)], [2**63, *range(100)],
        [-(2**63) - 1, *range(100)], [-(2**63), 2**63 - 1, *range(100)], [inf, -inf] * 50,
        Counter("abca"), OrderedDict(b=1, a=2), defaultdict(int, a=1), frozenset((1, "a")),
        bytearray(b"ab" * 9000), array("I", range(5000)), SortedList([0.3, 0.1]), b"x" * 9000,
        deque([1, 2, 3], maxlen=3), np.float64(0.1), np.int32(7), 10**40, -(10**40),
        Verdict.UNREACHABLE,
    ],
    ids=lambda value: f"{type(value).__name__}-{len(repr(value))}",
)  # fmt: skip
def test_each_kind_of_value_is_restored(value: Any) -> None:
    """With its class and its order."""
    read = again(value)
    assert read == value
    assert type(read) is type(value)
    assert [*map(repr, read)] == [*map(repr, value)] if isinstance(value, list) else True


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["f8", "f4", "u1", "i4", "?", [("a", "u2", (3,)), ("b", "f8")]]),
    st.integers(0, 60_000),
    st.sets(st.integers(0, 59_999), max_size=8),
)
def test_arrays_are_restored_with_their_zeros(kind: Any, size: int, places: set[int]) -> None:
    """Full, nearly empty and empty ones."""
    whole = np.zeros(size, np.dtype(kind))
    flat = whole.view(np.uint8)
    flat[[place for place in places if place < len(flat)]] = 1
    read = again(whole)
    assert read.dtype == whole.dtype
    assert read.tobytes() == whole.tobytes()
    if size:
        read[:] = read[0]  # it can be written to


def test_an_array_keeps_the_order_of_its_axes() -> None:
    """A product of matrices may depend on it in the last digit."""
    whole = np.asfortranarray(np.arange(30_000.0).reshape(100, 300))
    read = again(whole)
    assert (read == whole).all()
    assert read.flags.f_contiguous
    assert np.isnan(again(np.array([nan]))).all()


def test_a_restored_generator_draws_and_spawns_the_same() -> None:
    """After some draws and some children."""
    rng = np.random.default_rng([5, 1]).spawn(2)[1]
    rng.spawn(3)
    rng.integers(10, size=3, dtype=np.uint32)
    read = again(rng)
    assert read.random(4).tolist() == rng.random(4).tolist()
    assert read.spawn(1)[0].random() == rng.spawn(1)[0].random()


@pytest.mark.parametrize("size", [3, 5_000])
def test_maps_of_keys_are_restored(size: int) -> None:
    """Small ones, those in buckets, keys of unusual length; they can grow afterwards."""
    numbers, keys = KeyMap("<dI"), KeySet()
    for n in range(size):
        numbers.put(n.to_bytes(12, "big"), n / 7, n)
        keys.add(n.to_bytes(12, "big"))
    numbers.put(b"odd", 0.5, 1)
    read = again(numbers, KeyMap("<dI"))
    assert len(read) == len(numbers)
    assert {key: read.get(key) for key in numbers} == {key: numbers.get(key) for key in numbers}
    for n in range(size, size + 3_000):
        read.put(n.to_bytes(12, "big"), 0.0, n)
    assert read.get((size + 5).to_bytes(12, "big")) == (0.0, size + 5)
    read.discard((1).to_bytes(12, "big"))
    assert (1).to_bytes(12, "big") not in read
    assert {*again(keys)} == {*keys}


def test_tables_and_files_on_disk_are_filled_in_place() -> None:
    """Those of the new population, whose other parts refer to them."""
    spill, table = (
        SpillFile(),
        PagedTable(SpillFile(), most_bytes=1000, a=("i4", 0, 3), b=("f4", 2, 0)),
    )
    places = [spill.put(bytes([n]) * n * 50) for n in range(200)]
    rows = table.fresh(700)
    rows["a"] = np.arange(700)
    table.append(rows)
    new_spill, new_table = SpillFile(), PagedTable(SpillFile(), a=("i4", 0, 3), b=("f4", 2, 0))
    read_spill, read_table = again([spill, table], [new_spill, new_table])
    assert (read_spill, read_table) == (new_spill, new_table)
    assert [new_spill.get(each) for each in places] == [spill.get(each) for each in places]
    assert new_table["a"].tolist() == [*range(700)]
    other = PagedTable(SpillFile(), a=("i8", 0, 3))
    with pytest.raises(SnapshotError, match="other columns"):
        again(table, other)


def test_queues_on_disk_are_filled_in_place() -> None:
    """Their entries are those of the file beside them, from a front in memory on."""
    spill = SpillFile()
    queues, entries = RunsByName(spill), [(0.5, number, 7 * number) for number in range(500)]
    queues.changing("a.test").put(entries)
    new_spill = SpillFile()
    new = RunsByName(new_spill)
    read_spill, read = again([spill, queues], [new_spill, new])
    assert (read_spill, read) == (new_spill, new)
    assert read.changing("a.test").take(600) == entries
    with pytest.raises(SnapshotError, match="has no runs"):
        again(queues)


def test_links_with_values_of_any_kind_are_kept_beside_plain_ones() -> None:
    """Thousands of plain ones, and some whose features or score are objects."""
    plain = [Lead(f"http://a.test/{n}", b"%d" % n, "a.test", b"", n, 0.5) for n in range(1200)]
    other = [replace(plain[0], features=(1, ("a", 2.0))), replace(plain[1], score=np.float64(0.25))]
    for links in (plain, [*plain, *other, *plain[:3]], [*other, *plain]):
        read = again([(1.0, number, link) for number, link in enumerate(links)])
        assert [each[2] for each in read] == links
        assert [each[2].features for each in read] == [link.features for link in links]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (iter([1]), "list_iterator"), ({Holder: 1}, "keys are objects"), (open, ""),
        (Path("a"), "PosixPath"), (np.array([object()]), "array of objects"),
        (np.random.Generator(np.random.MT19937(1)), "MT19937"), ((n for n in ()), "generator"),
        (lambda: 1, ""),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_stored_is_refused_by_name(value: Any, problem: str) -> None:
    """No part is stored then; a function belongs to the process."""
    if not problem:
        assert again(value) is None
        return
    with pytest.raises(SnapshotError, match=problem):
        again(value)


def test_arrays_that_share_memory_are_refused() -> None:
    """They would become two arrays."""
    whole = np.arange(10.0)
    with pytest.raises(SnapshotError, match="share memory"):
        again([whole, whole[2:]])
    read = again([whole[5:], whole[:5]])
    assert [each.tolist() for each in read] == [[5, 6, 7, 8, 9], [0, 1, 2, 3, 4]]


def test_payloads_go_through_their_codec() -> None:
    """As in the journal."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    lead = Lead("http://a.test/", b"a" * 12, "a.test", b"", 1, 0.5, payload=object())
    snapshot.write(database, 1, {"held": Holder(lead)}, lambda _: ["packed", 1])
    fresh = Holder()
    snapshot.read(database, {"held": fresh}, lambda packed: tuple(packed))
    assert fresh.value.payload == ("packed", 1)
    assert fresh.value == lead


@pytest.mark.parametrize("sign", [1, -1, 1.0])
def test_a_long_list_of_numbers_takes_eight_bytes_for_each(sign: float) -> None:
    """In a list of other values each number takes a byte more."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    numbers = [sign * (n + (1 << 40)) for n in range(5000)]
    size = snapshot.write(database, 1, {"held": Holder(numbers)}, lambda payload: payload)
    assert 40_000 < size < 40_500


@pytest.mark.parametrize("size", [1, 7, 23, 24, 100])
def test_the_rows_of_a_table_may_begin_in_any_part(size: int) -> None:
    """A part ends where it is full, also within a row."""
    table = PagedTable(SpillFile(), a=("i8", 0, 3), b=("f8", 2, 0))
    rows = table.fresh(9)
    rows["a"], rows["b"] = np.arange(9), np.arange(18.0).reshape(9, 2) / 7
    packed = rows.tobytes()
    pieces = (packed[at : at + size] for at in range(0, len(packed), size))
    fill_table(table, form_of(table.fresh(0))[0], pieces)
    assert table["a"].tolist() == [*range(9)]
    assert table["b"].tolist() == rows["b"].tolist()


def test_a_dictionary_keeps_its_default() -> None:
    """One of a class of Python's own."""
    read = again(defaultdict(list, a=[1]))
    read["b"].append(2)
    assert read == {"a": [1], "b": [2]}


def test_a_restored_generator_has_the_pool_of_its_seed() -> None:
    """A pool of another size than NumPy's own makes other children."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(5, pool_size=8)))
    assert again(rng).spawn(1)[0].random() == rng.spawn(1)[0].random()


@dataclass(frozen=True)
class Frozen:
    """An object whose class refuses changes."""

    value: list[int] = field(default_factory=list)
    numbers: Any = None


def test_frozen_objects_and_counters_are_restored() -> None:
    """The code of their classes is not called."""
    numbers = count(5, 2)
    next(numbers)
    read = again(Frozen([1], numbers))
    assert read.value == [1]
    assert next(read.numbers) == 7
