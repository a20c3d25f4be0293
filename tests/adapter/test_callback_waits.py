"""The outputs of a callback keep their order; its waits are reported, and it can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from math import inf
from time import monotonic
from typing import Any

import pytest

from evocrawl.adapter.callback_waits import Answer, Outputs


async def _outputs(log: list[str]) -> AsyncIterator[int]:
    try:
        yield 1
        await asyncio.sleep(0)
        yield 2
        await asyncio.Event().wait()
        yield 3
    finally:
        log.append("closed")


def test_each_wait_is_reported_once_and_outputs_stay_in_order() -> None:
    """An output that is ready is no wait; an output that takes two waits counts as two."""
    log: list[str] = []

    async def run() -> list[int]:
        outputs = Outputs(_outputs(log), lambda: log.append("waits"))
        found: list[int] = []
        async for output in outputs:
            assert not outputs.is_waiting
            found.append(output)
            if output == 2:
                asyncio.get_running_loop().call_later(0.01, outputs.give_up, 7.0)
        return found

    assert asyncio.run(run()) == [1, 2]
    assert log == ["waits", "waits", "closed"]


def test_a_cancellation_of_the_task_itself_goes_on() -> None:
    """It ends the task, and the callback is closed."""
    log: list[str] = []

    async def run() -> None:
        outputs = Outputs(_outputs(log), lambda: None)
        task = asyncio.ensure_future(_all(outputs))
        for _ in range(100):
            await asyncio.sleep(0)
        assert outputs.is_waiting
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert log == ["closed"]


def test_an_exception_of_a_callback_is_passed_on() -> None:
    """Raised before a wait or after it."""

    async def fails(after: int) -> AsyncIterator[int]:
        for _ in range(after):
            await asyncio.sleep(0)
        raise KeyError(after)
        yield 0

    for after in (0, 3):
        with pytest.raises(KeyError):
            asyncio.run(_all(Outputs(fails(after), lambda: None)))


def test_a_callback_without_yield_that_is_given_up_returns_nothing() -> None:
    """Its task goes on; one that swallows the cancellation is closed by the second `give_up`."""
    log: list[str] = []

    async def stubborn() -> list[int]:
        try:
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    log.append("cancelled")
        finally:
            log.append("closed")

    async def run() -> Any:
        answer = Answer(stubborn(), lambda: log.append("waits"))
        loop = asyncio.get_running_loop()

        async def give_up_twice() -> None:
            while "waits" not in log:
                await asyncio.sleep(0)
            answer.give_up(1.0)
            while "cancelled" not in log:
                await asyncio.sleep(0)
            answer.give_up(2.0)

        giving_up = loop.create_task(give_up_twice())
        given = await answer
        await giving_up
        await asyncio.sleep(0)
        return given

    assert asyncio.run(run()) == ()
    assert log == ["waits", "cancelled", "closed"]


def test_a_callback_without_yield_returns_what_it_returns() -> None:
    """After a wait or without one; its exceptions are passed on."""

    async def returns(turns: int) -> int:
        for _ in range(turns):
            await asyncio.sleep(0)
        return 1 // (3 - turns)

    async def ask(turns: int) -> int:
        return await Answer(returns(turns), lambda: None)

    assert [asyncio.run(ask(turns)) for turns in (0, 2)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        asyncio.run(ask(3))


def test_a_yield_to_the_event_loop_is_no_long_wait() -> None:
    """`since_s` is the time at which the callback began to wait for something that takes time."""

    async def polite() -> int:
        for _ in range(3):
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        return 1

    async def run() -> list[float]:
        answer = Answer(polite(), lambda: None)
        task = asyncio.ensure_future(_one(answer))
        seen = []
        while not task.done():
            seen.append(answer.since_s)
            await asyncio.sleep(0)
        return seen

    began = monotonic()
    seen = asyncio.run(run())
    assert seen[:4] == [inf] * 4
    assert began <= seen[-1] <= monotonic()


async def _one(answer: Any) -> Any:
    return await answer


async def _all(outputs: Any) -> list[Any]:
    return [output async for output in outputs]
