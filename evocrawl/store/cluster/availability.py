"""Tracks whether Redis responds to a worker."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.redis.connection import Unreachable
from evocrawl.store.cluster.redis.keys import RedisAddress

logger = logging.getLogger(__name__)

_REPEATED_S = 10.0
"""Seconds after which an outage for the same reason is logged again."""

_STEADY_S = 2.0
"""Seconds without a failure after which an outage counts as over in the log: where only a part of a
Redis Cluster responds, failures and answers alternate."""


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
        self._up_since_s = 0.0
        self._named_at_s: dict[str, float] = {}
        """When the log has named each cause of an outage that goes on."""
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
        cause = next((f" ({each})" for each in reversed(self._named_at_s)), "")
        return StateError(f"{self._place}: no response for {self._timeout_s:g} seconds{cause}")

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

    def _note(self, error: Unreachable | None) -> None:
        now_s = self._clock()
        if error is None:
            if self._silent_since_s is not None:
                self._silent_since_s, self._up_since_s = None, now_s
                self._events.work_found.send()
            if self._named_at_s and now_s - self._up_since_s >= _STEADY_S:
                self._named_at_s.clear()
                logger.info("cluster: Redis at %s responds again", self._place)
            return
        if self._silent_since_s is None:
            self._silent_since_s = now_s
        self._warn(str(error).removeprefix(f"{self._place}: ") or "no response", now_s)

    def _warn(self, cause: str, now_s: float) -> None:
        """Log why Redis does not respond, each cause once in ten seconds."""
        if now_s - self._named_at_s.get(cause, -math.inf) < _REPEATED_S:
            return
        self._named_at_s[cause] = now_s
        logger.warning(
            "Redis at %s is not responding; pausing new requests: %s (the crawl ends after %g s "
            "without a response)",
            self._place,
            cause,
            self._timeout_s,
        )
