"""Requests wait in the scheduler by priority, in the queue of their slot."""

from __future__ import annotations

from math import inf

from scrapy import Request

from evocrawl.adapter.meta import VISIT
from evocrawl.adapter.request_queue import DirectRequestQueue


def request(name: str, visit: int = 0, priority: int = 0, slot: str = "") -> Request:
    meta = {"slot": slot} | ({VISIT: visit} if visit else {})
    return Request(f"http://h/{name}", meta=meta, priority=priority)


class Slots:
    """Slots with the seconds until each has room."""

    def __init__(self, **waits: float) -> None:
        self.waits = waits
        self.asked = 0
        self.queue = DirectRequestQueue(lambda each: each.meta["slot"], self._wait_of)

    def _wait_of(self, each: Request) -> float:
        self.asked += 1
        return self.waits.get(each.meta["slot"], 0.0)

    def popped(self, now_s: float) -> str:
        """Return the names of all requests that may be sent now, in order."""
        names = []
        while (each := self.queue.pop(now_s)) is not None:
            names.append(each.url[-1])
        return "".join(names)


def test_the_highest_priority_goes_first_and_equals_in_order() -> None:
    """Of all slots together, visits included."""
    slots = Slots()
    for name, priority, slot in (("a", 0, "x"), ("b", 0, "y"), ("c", 5, "x"), ("d", 9, "z")):
        slots.queue.push(request(name, priority=priority, slot=slot))
    slots.queue.push(request("e", visit=3, priority=7))
    assert slots.popped(0.0) == "decab"
    assert not slots.queue


def test_a_slot_without_room_does_not_delay_others() -> None:
    """Its requests are sent in order when it has room."""
    slots = Slots(slow=3.0)
    for name, slot in (("a", "slow"), ("b", "quick"), ("c", "slow"), ("d", "quick")):
        slots.queue.push(request(name, slot=slot))
    assert (slots.popped(0.0), slots.queue.wakes_at(), len(slots.queue)) == ("bd", 3.0, 2)
    slots.queue.push(request("e", slot="slow", priority=1))
    assert slots.popped(2.9) == ""
    slots.waits.clear()
    assert (slots.popped(3.0), slots.queue.wakes_at()) == ("eac", None)


def test_a_slot_that_gives_no_time_is_asked_again_in_each_call() -> None:
    """It has no room until one of its requests ends; then the scheduler is asked again."""
    slots = Slots(full=inf)
    slots.queue.push(request("a", slot="full"))
    assert (slots.popped(0.0), slots.queue.wakes_at()) == ("", None)
    slots.waits.clear()
    assert slots.popped(0.0) == "a"


def test_a_call_costs_the_same_with_many_waiting_requests() -> None:
    """Each call asks a bounded number of slots; in several calls all are asked."""
    slots = Slots(**{f"s{number}": inf for number in range(1000)})
    for number in range(1000):
        slots.queue.push(request("a", slot=f"s{number}"))
    slots.popped(0.0)
    slots.asked = 0
    assert slots.popped(0.0) == ""
    assert 0 < slots.asked < 50
    slots.waits = {}
    came = [slots.queue.pop(0.0) for _ in range(1000)]
    assert None not in came


def test_visits_are_held_as_long_as_one_of_their_requests_waits() -> None:
    """Two of one visit count as two."""
    queue = DirectRequestQueue()
    queue.push(request("a", 7))
    queue.push(request("b", 7))
    queue.pop(0.0)
    assert queue.holds(7)
    queue.pop(0.0)
    assert not queue.holds(7)
    queue.push(request("c", 8))
    queue.clear()
    assert not queue
    assert not queue.holds(8)
