"""Objects of a crawl in a snapshot: those that are there are filled, others are made."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import pytest
from sortedcontainers import SortedKeyList
from test_snapshot_form import Holder, again

from evocrawl.store.journal.snapshot.graph import SnapshotError


def test_a_shared_object_stays_one_object_and_loops_are_restored() -> None:
    """Identity is part of the state: an agent in two queues is one agent."""
    one = Holder("one")
    loop = Holder(one, [one])
    loop.other.append(loop)
    read = again([one, loop])
    assert read[1].value is read[0]
    assert read[1].other == [read[0], read[1]]


class Listening:
    """An object with a method of another one, a function, and listeners."""

    of_run = ("setting",)

    def __init__(self, known: Holder, setting: int) -> None:
        self.known = known
        self.setting = setting
        self.ask: Callable[[object], bool] = known.__eq__
        self.made: Callable[[], int] = lambda: setting
        self.listeners = [known.__eq__]
        self.count = 0


def test_functions_and_settings_of_the_process_are_kept() -> None:
    """The snapshot fills the objects to which they belong."""
    before, known = Listening(Holder(5), 1), Holder(0)
    before.count = 9
    fresh = Listening(known, 2)
    listeners = fresh.listeners
    read = again(before, fresh)
    assert read is fresh
    assert (read.count, read.setting, read.made()) == (9, 2, 2)
    assert read.known is known
    assert known.value == 5
    assert read.ask(Holder(5))
    assert read.listeners is listeners


def test_a_sorted_list_with_a_key_is_filled_after_what_the_key_reads() -> None:
    """The key is a function of the process."""

    class Ranked:
        def __init__(self) -> None:
            self.ranked = SortedKeyList(key=self._key)
            self.worth: dict[int, float] = {}

        def _key(self, number: int) -> float:
            return -self.worth[number]

    before, fresh = Ranked(), Ranked()
    before.worth = {1: 0.2, 2: 0.9}
    before.ranked.update((1, 2))
    assert [*again(before, fresh).ranked] == [2, 1]


def test_an_object_in_a_tuple_is_filled_in_place() -> None:
    """As one in an attribute; a tuple of another length has other objects."""
    known = Holder(0)
    read = again((1, Holder(5)), (1, known))
    assert read == (1, Holder(5))
    assert read[1] is known
    assert again((1, Holder(5)), (1, known, 2))[1] is not known


def test_a_deque_of_the_same_length_at_most_is_filled_in_place() -> None:
    """Another part of the crawl may refer to it."""
    same, longer = deque([0], maxlen=3), deque([0], maxlen=4)
    assert again(deque([1, 2], maxlen=3), same) is same
    assert [*same] == [1, 2]
    read = again(deque([1, 2], maxlen=3), longer)
    assert (read, read.maxlen) == (deque([1, 2]), 3)
    assert [*longer] == [0]


class Scale:
    """An object whose method others have."""

    def __init__(self, factor: int) -> None:
        self.factor = factor

    def of(self, number: int) -> int:
        return self.factor * number


class Measuring:
    """An object with a method of another one."""

    def __init__(self, measure: Callable[..., Any]) -> None:
        self.measure = measure


def test_an_object_that_is_made_has_the_method_of_an_object_that_is_there() -> None:
    """Of the new crawl's object, which has the values of the old one."""
    scale, fresh = Scale(3), Scale(0)
    read = again(Holder([Measuring(scale.of)], scale), Holder([], fresh))
    assert read.other is fresh
    assert read.value[0].measure.__self__ is fresh
    assert read.value[0].measure(5) == 15


def test_an_object_with_the_method_of_another_object_than_before_is_refused() -> None:
    """It would go on with an object that the snapshot does not fill."""
    scale, fresh = Scale(3), Scale(0)
    with pytest.raises(SnapshotError, match="a method belongs to another object"):
        again(Holder([Measuring(scale.of)], scale), Holder([Measuring(Scale(7).of)], fresh))


@pytest.mark.parametrize("name", ["of", "__eq__"])
def test_a_method_of_no_object_of_the_new_crawl_is_refused(name: str) -> None:
    """A file names no method of Python's own."""
    scale = Scale(3)
    with pytest.raises(SnapshotError, match=r"Measuring\.measure belonged to the process"):
        again(
            Holder([Measuring(getattr(scale, name))], scale if name != "of" else None),
            Holder([], Scale(0)),
        )
