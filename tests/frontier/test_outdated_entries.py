"""Entries of links that have got another priority: no look at the links is needed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Lead
from evocrawl.core.numbering import Numbering
from evocrawl.frontier import CandidatesByRow, Frontier
from evocrawl.frontier.sorted_runs import Runs

RUNS = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=200), min_size=1, max_size=4)


class Counted(CandidatesByRow):
    """Counts the links that are asked for one by one."""

    asked = 0

    def get(self, number: int) -> Lead | None:
        self.asked += 1
        return super().get(number)


def scored_twice(links: int, hosts: int) -> tuple[Frontier, Counted, list[Lead]]:
    """Return a queue of links that had a good score and have a bad one, but the last two."""
    held, rows = Counted(), dict[bytes, int]()
    numbering = Numbering(rows.get, held, lambda lead: rows.get(lead.fingerprint))
    frontier = Frontier(lambda _: False, 50, row_of=numbering)
    leads = [
        Lead(f"http://h{n % hosts}.test/{n}", b"%012d" % n, f"h{n % hosts}.test", b"", 0, 0.0)
        for n in range(links)
    ]
    rows.update((lead.fingerprint, row) for row, lead in enumerate(leads))
    held.put(dict(enumerate(leads)))
    for score, upto in ((0.9, links), (0.1, links - 2)):
        for at in range(0, upto, 100):
            part = np.arange(at, min(at + 100, upto))
            frontier.place(part, np.full(len(part), score))
    return frontier, held, leads


def claimed_by(frontier: Frontier) -> Callable[[bytes], None]:
    claimed = set[bytes]()
    frontier._is_claimed = claimed.__contains__
    return claimed.add


def test_outdated_entries_are_passed_over_without_their_links() -> None:
    """Ten thousand of them come first; a choice asks for a few links, on one host or on many."""
    for hosts in (1, 2000):
        frontier, held, leads = scored_twice(10_000, hosts)
        claim = claimed_by(frontier)
        for number, best in enumerate([*leads[-2:], *leads[:3]]):
            held.asked = 0
            assert frontier.peek(lambda _: True) == best, (hosts, number)
            assert held.asked < 200, (hosts, number)
            claim(best.fingerprint)


def test_outdated_entries_leave_the_disk_when_runs_are_merged() -> None:
    """Links that are scored again and again have few entries there."""
    frontier, _, _ = scored_twice(1000, 1)
    for score in range(30):
        for at in range(0, 1000, 100):
            frontier.place(np.arange(at, at + 100), np.full(100, score / 100))
    assert len(frontier._disk.runs) < 6000
    assert len(frontier) == 1000


@given(RUNS, st.sets(st.integers(0, 800)))
def test_runs_lose_outdated_entries_only(runs: list[list[int]], outdated: set[int]) -> None:
    """The others come out in order, whether runs were merged or began with outdated entries."""
    numbers, entries = iter(range(1000)), list[tuple[float, int, int]]()
    queue = Runs(SpillFile())
    are_outdated = lambda rows: np.isin(rows["number"], [*outdated])  # noqa: E731
    for ranks in runs:
        new = sorted((float(rank), next(numbers), 0) for rank in ranks)
        entries += new
        queue.put(new, are_outdated if len(new) % 2 else None)
    queue.leave_out(are_outdated)
    assert queue.first is None or queue.first[1] not in outdated
    taken = list[tuple[float, int, int]]()
    while queue.first is not None:
        taken += queue.take(7)
    assert [each for each in taken if each[1] not in outdated] == sorted(
        each for each in entries if each[1] not in outdated
    )
