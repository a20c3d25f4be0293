"""Tracks whether Redis responds to a worker."""

from __future__ import annotations

import logging
from collections.abc import Callable

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.redis.keys import RedisAddress

logger = logging.getLogger(__name__)


class Availability:
    """Whether the Redis at `place` responds; `timeout_s` is the longest outage of a crawl."""

    def __init__(
        self,
        place: RedisAddress,
        timeout_s: float,
        clock: Callable[[], float],
        events: WorkerEvents,
    ) -> None:
        self._place = place
        self._timeout_s = timeout_s
        self._clock = clock
        self._events = events
        self._silent_since_s: float | None = None
        events.redis_answered.connect(self._note)

    @property
    def is_up(self) -> bool:
        """True while Redis responds."""
        return self._silent_since_s is None

    def check(self) -> None:
        """Raise StateError if Redis has not responded for too long."""
        since_s = self._silent_since_s
        if since_s is not None and self._clock() - since_s > self._timeout_s:
            raise self.error()

    def error(self) -> StateError:
        """Return the error of an outage that lasts too long."""
        return StateError(f"{self._place}: no response for {self._timeout_s:g} seconds")

    def join_failed(self, error: Exception) -> None:
        """Note that Redis did not respond to an attempt to join."""
        if self._silent_since_s is None:
            logger.warning(
                "cluster: could not join the crawl; trying again for up to %g s: %s",
                self._timeout_s,
                error,
            )
        self._silent_since_s = self._clock()

    def joined(self) -> None:
        """Note that Redis has responded to all of an attempt to join."""
        self._silent_since_s = None

    def _note(self, is_up: bool) -> None:
        if is_up and self._silent_since_s is not None:
            self._silent_since_s = None
            logger.info("cluster: Redis at %s responds again", self._place)
            self._events.work_found.send()
        elif not is_up and self._silent_since_s is None:
            self._silent_since_s = self._clock()
            logger.warning("Redis at %s is not responding; pausing new requests", self._place)
