"""The background tasks of a worker in its event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.events import WorkerEvents

logger = logging.getLogger(__name__)

_STOPS, _STOP_S = 5, 1.0

Work = Callable[[], Coroutine[Any, Any, None]]
"""A coroutine function that runs as a separate task."""


class BackgroundTasks:
    """Starts and stops tasks; sends the event `failed` with the error of a task that fails.

    `place` names the crawl in errors.
    """

    def __init__(self, place: str, events: WorkerEvents) -> None:
        self._place = place
        self._events = events
        self._running: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def begin(self, work: Work) -> None:
        """Start a task, unless the tasks are closed."""
        if self._is_closed:
            return
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def close(self) -> None:
        """Start no further task; running tasks continue."""
        self._is_closed = True

    async def stop(self) -> None:
        """Cancel all tasks, and start no further one."""
        self.close()
        for _ in range(_STOPS):
            # redis-py may swallow a cancellation while its connection breaks, so cancel again.
            for task in self._running:
                task.cancel()
            if not self._running:
                break
            await asyncio.wait(self._running, timeout=_STOP_S)

    async def _guarded(self, work: Work) -> None:
        try:
            await work()
        except StateError as error:
            self._events.failed.send(error)
        except Exception as error:  # an unexpected error must end the crawl, not block it
            logger.exception("worker: a background task has failed")
            self._events.failed.send(StateError(f"{self._place}: {error!r}"))
