"""What a worker does at the same time, as tasks of its event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.host_leases import Work

logger = logging.getLogger(__name__)

_STOPS, _STOP_S = 5, 1.0


class BackgroundTasks:
    """Begins tasks and ends them; `fail` is called with what one of them failed with.

    `place` names the crawl in errors.
    """

    def __init__(self, place: str, fail: Callable[[StateError], None]) -> None:
        self._place = place
        self._fail = fail
        self._running: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def begin(self, work: Work) -> None:
        """Begin a task, unless all is to end."""
        if self._is_closed:
            return
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def close(self) -> None:
        """Begin nothing more; what is under way goes on."""
        self._is_closed = True

    async def stop(self) -> None:
        """End all tasks at once, and begin none after."""
        self.close()
        for _ in range(_STOPS):
            # A cancellation that meets a connection just as it breaks may be lost in there.
            for task in self._running:
                task.cancel()
            if not self._running:
                break
            await asyncio.wait(self._running, timeout=_STOP_S)

    async def _guarded(self, work: Work) -> None:
        try:
            await work()
        except StateError as error:
            self._fail(error)
        except Exception as error:  # what nobody thought of must not leave the crawl hanging
            logger.exception("the shared crawl has failed")
            self._fail(StateError(f"{self._place}: {error!r}"))
