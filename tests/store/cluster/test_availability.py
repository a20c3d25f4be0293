"""What a worker logs while Redis does not respond."""

from __future__ import annotations

import logging

import pytest

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.availability import Availability
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.redis.connection import Unreachable
from evocrawl.store.cluster.redis.keys import RedisAddress

PLACE = RedisAddress.of("redis://127.0.0.1:6379/0")
LOST = Unreachable(f"{PLACE}: no node serves a slot of the crawl")
CLOSED = Unreachable(f"{PLACE}: Connection refused")


class Outage:
    """A worker's view of Redis, on a clock of its own."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self.now_s = 0.0
        self.events = WorkerEvents()
        self.availability = Availability(PLACE, 30.0, lambda: self.now_s, self.events)
        self._caplog = caplog
        caplog.set_level(logging.INFO)

    def note(self, error: Unreachable | None, at_s: float) -> list[str]:
        """Note an answer or a failure; return the lines that this logs."""
        self.now_s = at_s
        self._caplog.clear()
        self.events.redis_answered.send(error)
        return [each.getMessage() for each in self._caplog.records]


def test_an_outage_is_logged_with_its_cause_once_in_ten_seconds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Also while other nodes of the cluster respond; another cause is logged at once."""
    outage = Outage(caplog)
    (line,) = outage.note(LOST, 0.0)
    assert line.startswith(f"Redis at {PLACE} is not responding; pausing new requests: no node ")
    for tenths in range(1, 100):
        answer = None if tenths % 10 == 5 else LOST
        assert outage.note(answer, tenths / 10) == []
        assert outage.availability.is_up is (answer is None)
    assert len(outage.note(LOST, 10.0)) == 1
    assert "Connection refused" in outage.note(CLOSED, 10.1)[0]
    assert outage.note(LOST, 10.2) == outage.note(CLOSED, 10.3) == []
    assert outage.note(None, 11.0) == []
    assert outage.note(None, 13.0) == [f"cluster: Redis at {PLACE} responds again"]
    assert outage.note(None, 14.0) == []
    assert len(outage.note(LOST, 14.1)) == 1


def test_the_error_of_a_long_outage_names_the_last_cause(caplog: pytest.LogCaptureFixture) -> None:
    """An error without words is named, too."""
    outage = Outage(caplog)
    outage.note(LOST, 0.0)
    outage.now_s = 31.0
    with pytest.raises(StateError, match=r"for 30 seconds \(no node serves a slot of the crawl\)"):
        outage.availability.check()
    assert "requests: no response (" in outage.note(Unreachable(), 32.0)[0]
