"""Sorted queues by name, frozen while they go on to change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.frontier.runs_by_name import RunsByName

NAMES = ("a.test", "b.test", "\n", "\ud800")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "take", "read"]),
        st.sampled_from(NAMES),
        st.integers(1, 90),
    ),
    max_size=40,
)


class Queues:
    """Queues, and a list of the entries of each."""

    def __init__(self, spill: SpillFile) -> None:
        self.queues = RunsByName(spill)
        self.entries: dict[str, list[tuple[float, int, int]]] = {}
        self._number = 0

    def put(self, name: str, count: int) -> None:
        new = []
        for _ in range(count):
            self._number += 1
            new.append((float(self._number * 7 % 5), self._number, 3 * self._number))
        self.queues.changing(name).put(sorted(new))
        self.queues.changed(name)
        self.entries[name] = sorted([*self.entries.get(name, ()), *new])

    def take(self, name: str, count: int) -> None:
        if name in self.entries:
            taken = self.queues.changing(name).take(count)
            self.queues.changed(name)
            assert taken == self.entries[name][:count]
            self.entries[name] = self.entries[name][count:]
            if not self.entries[name]:
                del self.entries[name]


def all_of(queues: RunsByName) -> dict[str, list[tuple[float, int, int]]]:
    """Take all entries of all queues."""
    found = {}
    for name in NAMES:
        while queues.first(name) is not None:
            found[name] = found.get(name, []) + queues.changing(name).take(11)
            queues.changed(name)
    return found


@given(STEPS, STEPS)
def test_frozen_queues_are_those_of_the_moment(
    before: list[tuple[str, str, int]], after: list[tuple[str, str, int]]
) -> None:
    """Also if queues are put to, taken from, emptied or made anew while they are read."""
    spill = SpillFile()
    live = Queues(spill)
    for action, name, count in before:
        (live.take if action == "take" else live.put)(name, count)
    frozen, then = live.queues.freeze(), {**live.entries}
    pieces, read = frozen.pieces(1), list[bytes]()
    for action, name, count in after:
        if action == "read":
            read += [piece for _, piece in zip(range(1), pieces, strict=False)]
        else:
            (live.take if action == "take" else live.put)(name, count)
    read += pieces
    again = RunsByName(spill)
    again.load(read)
    assert frozen.is_done
    assert len(again) == sum(map(len, then.values()))
    assert all_of(again) == then
    assert all_of(live.queues) == live.entries


def test_queues_are_frozen_for_one_reader() -> None:
    """The reader before gets an error, not queues of another moment."""
    live = Queues(SpillFile())
    live.put("a.test", 3)
    first = live.queues.freeze()
    second = live.queues.freeze()
    with pytest.raises(ValueError, match="another reader"):
        next(first.pieces(1))
    assert len([*second.pieces(1)]) == 1


def test_queues_that_were_read_or_came_later_are_not_copied() -> None:
    """So the crawl pays for what changes while a snapshot is written, at most once a queue."""
    live = Queues(SpillFile())
    for number in range(100):
        live.put(f"h{number}.test", 3)
    frozen = live.queues.freeze()
    pieces = frozen.pieces(1)
    next(pieces)
    for name in ("h0.test", "new.test", "h7.test", "h7.test", "h9.test"):
        live.put(name, 3)
    assert sorted(frozen._kept) == ["h7.test", "h9.test"]
    assert len([*pieces]) == 99
    live.put("h5.test", 1)
    assert live.queues._frozen is None
