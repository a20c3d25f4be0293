"""What a callback yields, and how long it waits for something else meanwhile."""

from __future__ import annotations

from asyncio import CancelledError, Task, current_task
from collections.abc import AsyncIterator, Callable, Generator
from typing import Any


class Outputs:
    """Iterates over what a callback yields; `on_wait` is called each time it has to wait.

    A callback that has what it needs at hand is never interrupted, and costs no task. `is_waiting`
    while it waits; `give_up` ends it then, as if it had yielded all: its ``finally`` blocks run.
    """

    def __init__(self, outputs: AsyncIterator[Any], on_wait: Callable[[], None]) -> None:
        self._outputs = outputs
        self._on_wait = on_wait
        self._task: Task[Any] | None = None
        self._is_given_up = False
        self.is_waiting = False
        self.waits = 0

    def __aiter__(self) -> Outputs:
        return self

    def __anext__(self) -> Outputs:
        return self

    def __await__(self) -> Generator[Any, Any, Any]:
        """Return the next output; raises StopAsyncIteration after the last."""
        step = anext(self._outputs).__await__()
        try:
            awaited = step.send(None)
        except StopIteration as last:
            return last.value
        self.is_waiting = True
        self.waits += 1
        self._on_wait()
        try:
            return (yield from self._rest(step, awaited))
        except CancelledError:
            if not self._is_given_up or self._task is None:
                raise
            self._task.uncancel()
            raise StopAsyncIteration from None
        finally:
            self.is_waiting = False
            self._task = None

    def give_up(self) -> bool:
        """Wait no longer; False where that cannot be, without an asyncio reactor."""
        if self._task is None:
            return False
        self._is_given_up = True
        self._task.cancel()
        return True

    def _rest(self, step: Generator[Any, Any, Any], awaited: Any) -> Generator[Any, Any, Any]:
        """Hand what the callback awaits to the event loop, and the answers to the callback."""
        try:
            self._task = current_task()
        except RuntimeError:  # no asyncio
            self._task = None
        while True:
            try:
                answer = yield awaited
            except GeneratorExit:
                step.close()
                raise
            except BaseException as error:
                go_on = _thrown(step, error)
            else:
                go_on = _sent(step, answer)
            is_over, awaited = go_on
            if is_over:
                return awaited


def _sent(step: Generator[Any, Any, Any], answer: Any) -> tuple[bool, Any]:
    try:
        return False, step.send(answer)
    except StopIteration as last:
        return True, last.value


def _thrown(step: Generator[Any, Any, Any], error: BaseException) -> tuple[bool, Any]:
    try:
        return False, step.throw(error)
    except StopIteration as last:
        return True, last.value
