"""Iterates over the outputs of a callback, and notes how long it waits for something else."""

from __future__ import annotations

from asyncio import CancelledError, Task, current_task
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from math import inf
from time import monotonic
from typing import Any


class GivenUpError(Exception):
    """A callback was given up while it waited."""


class Wait:
    """The next output of a callback; `on_wait` is called each time the callback has to wait.

    A callback that never waits is never interrupted, and costs no task. `is_waiting` is true while
    it waits. `since_s` is the time, by the monotonic clock, since which it has waited; infinite
    while it has only let other tasks run (``asyncio.sleep(0)``). `give_up` ends the callback then:
    its ``finally`` blocks run. `given_up_at_s` is the time of the last `give_up`, None before.
    """

    def __init__(self, on_wait: Callable[[], None]) -> None:
        self._on_wait = on_wait
        self._task: Task[Any] | None = None
        self._is_cut_off = False
        self.given_up_at_s: float | None = None
        self.is_waiting = False
        self.since_s = inf

    def give_up(self, now_s: float) -> bool:
        """Stop waiting; return False if that is impossible, without an asyncio reactor.

        The first call cancels the callback. If it still continues, the second call closes it.
        """
        if self._task is None:
            return False
        self._is_cut_off = self.given_up_at_s is not None
        self.given_up_at_s = now_s
        self._task.cancel()
        return True

    def _result(self, awaitable: Awaitable[Any]) -> Generator[Any, Any, Any]:
        """Return what `awaitable` returns; raises GivenUpError if it is given up."""
        step: Any = awaitable.__await__()
        try:
            awaited = step.send(None)
        except StopIteration as last:
            return last.value
        return (yield from self._wait(step, awaited))

    def _wait(self, step: Generator[Any, Any, Any], awaited: Any) -> Generator[Any, Any, Any]:
        """Return what comes after a wait for `awaited`; raises GivenUpError if given up."""
        self.is_waiting, self.since_s = True, inf
        self._on_wait()
        try:
            return (yield from self._rest(step, awaited))
        except CancelledError:
            if self.given_up_at_s is None or self._task is None:
                raise
            raise GivenUpError from None
        finally:
            if self.given_up_at_s is not None and self._task is not None:
                self._task.uncancel()
            self.is_waiting = False
            self._task = None

    def _rest(self, step: Generator[Any, Any, Any], awaited: Any) -> Generator[Any, Any, Any]:
        """Pass what the callback awaits to the event loop, and the results to the callback."""
        try:
            self._task = current_task()
        except RuntimeError:  # no asyncio
            self._task = None
        while True:
            if awaited is not None and self.since_s == inf:
                self.since_s = monotonic()
            try:
                answer = yield awaited
            except GeneratorExit:
                step.close()
                raise
            except BaseException as error:
                if self._is_cut_off:
                    step.close()
                    raise
                go_on = _thrown(step, error)
            else:
                go_on = _sent(step, answer)
            is_over, awaited = go_on
            if is_over:
                return awaited


class Outputs(Wait):
    """Iterates over the outputs of a callback; ends if the callback is given up."""

    def __init__(self, outputs: AsyncIterator[Any], on_wait: Callable[[], None]) -> None:
        super().__init__(on_wait)
        self._outputs = outputs

    def __aiter__(self) -> Outputs:
        return self

    def __anext__(self) -> Outputs:
        return self

    def __await__(self) -> Generator[Any, Any, Any]:
        """Return the next output; raises StopAsyncIteration after the last."""
        try:
            return (yield from self._result(anext(self._outputs)))
        except GivenUpError:
            raise StopAsyncIteration from None


class Answer(Wait):
    """Awaits the return value of a callback without ``yield``; None if it is given up."""

    def __init__(self, answer: Awaitable[Any], on_wait: Callable[[], None]) -> None:
        super().__init__(on_wait)
        self._answer = answer

    def __await__(self) -> Generator[Any, Any, Any]:
        """Return the callback's return value."""
        try:
            return (yield from self._result(self._answer))
        except GivenUpError:
            return ()


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
