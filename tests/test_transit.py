"""Requests that wait in the scheduler, by priority and time."""

from __future__ import annotations

from scrapy import Request

from evocrawl.meta import VISIT
from evocrawl.transit import Transit


def request(name: str, visit: int = 0, priority: int = 0) -> Request:
    return Request(f"http://h/{name}", meta={VISIT: visit} if visit else {}, priority=priority)


def test_the_highest_priority_goes_first_and_equals_in_order() -> None:
    """Whatever the order in which their time comes."""
    transit = Transit()
    for name, priority, from_s in (("a", 0, 0.0), ("b", 0, 0.0), ("c", 5, 0.0), ("d", 9, 3.0)):
        transit.push(request(name, priority=priority), from_s)
    names = [transit.pop(0.0) for _ in range(4)]
    assert [each and each.url[-1] for each in names] == ["c", "a", "b", None]
    assert (transit.wakes_at(), len(transit)) == (3.0, 1)
    last = transit.pop(3.0)
    assert last is not None
    assert last.url == "http://h/d"
    assert transit.wakes_at() is None


def test_visits_are_held_as_long_as_one_of_their_requests_waits() -> None:
    """Two of one visit count as two."""
    transit = Transit()
    transit.push(request("a", 7))
    transit.push(request("b", 7))
    transit.pop(0.0)
    assert transit.holds(7)
    transit.pop(0.0)
    assert not transit.holds(7)
    transit.push(request("c", 8))
    transit.clear()
    assert not transit
    assert not transit.holds(8)
