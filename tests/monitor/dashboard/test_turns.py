"""Answers are made in slices: the crawl goes on between them, and short answers do not wait."""

from __future__ import annotations

import logging

import pytest
from twisted.internet.task import Clock

from evocrawl.monitor.dashboard.turns import REST_S, SLICE_S, Task, Turns
from evocrawl.monitor.steps import Steps


class Work:
    """Answers whose steps take a fourth of a slice each, on a clock of their own."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.done: list[str] = []

    def steps(self, name: str, count: int) -> Steps[None]:
        for _ in range(count):
            self.now_s += SLICE_S / 4
            yield
        self.done.append(name)


def made() -> tuple[Turns, Clock, Work]:
    clock, work = Clock(), Work()
    return Turns(clock, lambda: work.now_s), clock, work


def test_no_turn_of_the_event_loop_takes_much_longer_than_a_slice() -> None:
    """However many answers wait, and however long they are."""
    turns, clock, work = made()
    for number in range(30):
        turns.add(Task(work.steps(str(number), number)))
    longest_s = 0.0
    while len(work.done) < 30:
        began_s = work.now_s
        clock.advance(REST_S)
        longest_s = max(longest_s, work.now_s - began_s)
    assert SLICE_S <= longest_s < 1.3 * SLICE_S
    assert clock.getDelayedCalls() == []


def test_a_short_answer_does_not_wait_for_long_ones() -> None:
    turns, clock, work = made()
    for name in ("long", "longer"):
        turns.add(Task(work.steps(name, 1000)))
        clock.advance(REST_S)
    turns.add(Task(work.steps("short", 1)))
    clock.advance(REST_S)
    assert work.done == ["short"]


def test_an_answer_whose_viewer_has_gone_is_not_made() -> None:
    turns, clock, work = made()
    gone = Task(work.steps("gone", 20))
    turns.add(gone)
    turns.add(Task(work.steps("other", 20)))
    clock.advance(0)
    gone.is_wanted = False
    while len(clock.getDelayedCalls()):
        clock.advance(REST_S)
    assert work.done == ["other"]


def test_an_answer_that_fails_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    turns, clock, work = made()

    def failing() -> Steps[None]:
        yield
        raise KeyError("a mistake of ours")

    turns.add(Task(failing()))
    turns.add(Task(work.steps("other", 1)))
    with caplog.at_level(logging.ERROR):
        clock.advance(REST_S)
    assert work.done == ["other"]
    assert "an answer failed" in caplog.text
