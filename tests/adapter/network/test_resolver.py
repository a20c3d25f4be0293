"""Each name is resolved once for a time, and no request waits too long for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from evocrawl.adapter.network import resolver as lookups
from evocrawl.adapter.network.resolver import LIFETIME_S, MAX_NAMES, DnsCache


class World:
    """A resolver, a clock and timers that the test controls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 0.0
        self.asked: list[tuple[str, Any]] = []
        self.timers: list[Callable[[], None]] = []
        self.lookups = DnsCache()
        monkeypatch.setattr(lookups, "resolver", lambda: self)
        monkeypatch.setattr(lookups, "call_later", self._later)
        monkeypatch.setattr(lookups, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(lookups, "maybe_deferred_to_future", lambda deferred: deferred)

    def resolveHostName(self, receiver: Any, name: str) -> None:  # noqa: N802
        name.encode("idna")
        self.asked.append((name, receiver))

    def answer(self, *addresses: str) -> None:
        """Answer the last lookup."""
        receiver = self.asked[-1][1]
        for address in addresses:
            receiver.addressResolved(type("Address", (), {"host": address}))
        receiver.resolutionComplete()

    def ask(self, name: str) -> list[tuple[str, ...]]:
        """Ask for a name; the list fills with the answer."""
        answers: list[tuple[str, ...]] = []
        Deferred.fromCoroutine(self.lookups.addresses(name)).addCallback(answers.append)
        return answers

    def _later(self, delay_s: float, act: Callable[..., None], *args: Any) -> Any:  # noqa: ARG002
        self.timers.append(lambda: act(*args))
        return type("Timer", (), {"cancel": lambda _: None})()


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


def test_all_that_wait_for_a_name_get_the_same_answer(world: World) -> None:
    """As in B081: each of several waiters gets the whole answer."""
    answers = [world.ask("a.test") for _ in range(5)]
    world.answer("10.0.0.1", "10.0.0.2")
    assert answers == [[("10.0.0.1", "10.0.0.2")]] * 5
    assert len(world.asked) == 1


def test_answers_are_remembered_for_a_time(world: World) -> None:
    """So is the answer that there is no address; later the name is resolved again."""
    world.ask("a.test")
    world.answer()
    assert world.ask("a.test") == [()]
    world.now_s = LIFETIME_S + 1
    assert world.ask("a.test") == []
    world.answer("10.0.0.1")
    assert world.ask("a.test") == [("10.0.0.1",)]
    assert len(world.asked) == 2


def test_a_resolver_that_takes_too_long_is_not_waited_for(world: World) -> None:
    """Its late answer is ignored."""
    answers = world.ask("slow.test")
    world.timers[0]()
    assert answers == [()]
    world.answer("10.0.0.1")
    assert world.ask("slow.test") == [()]


def test_an_impossible_name_has_no_address(world: World) -> None:
    """It fails here, not in the middle of a request."""
    assert world.ask("a" * 70 + "ü.test") == [()]
    assert world.asked == []


def test_the_number_of_known_names_is_bounded(world: World) -> None:
    """The oldest are removed first."""
    for number in range(MAX_NAMES + 1):
        world.ask(f"{number}.test")
        world.answer("10.0.0.1")
    assert world.ask("1.test") == [("10.0.0.1",)]
    assert world.ask("0.test") == []
