"""What a callback yields comes as it came; its waits are known, and it can be given up then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from evocrawl.adapter.callback_waits import Outputs


async def _outputs(log: list[str]) -> AsyncIterator[int]:
    try:
        yield 1
        await asyncio.sleep(0)
        yield 2
        await asyncio.Event().wait()
        yield 3
    finally:
        log.append("closed")


def test_each_wait_is_told_once_and_outputs_stay_in_order() -> None:
    """An output that is at hand is no wait; one that is waited for twice is two."""
    log: list[str] = []

    async def run() -> list[int]:
        outputs = Outputs(_outputs(log), lambda: log.append("waits"))
        found: list[int] = []
        async for output in outputs:
            assert not outputs.is_waiting
            found.append(output)
            if output == 2:
                asyncio.get_running_loop().call_later(0.01, outputs.give_up)
        return found

    assert asyncio.run(run()) == [1, 2]
    assert log == ["waits", "waits", "closed"]


def test_a_cancellation_that_nobody_asked_for_goes_on() -> None:
    """Who cancels the task itself is heard; the callback is closed."""
    log: list[str] = []

    async def run() -> None:
        outputs = Outputs(_outputs(log), lambda: None)
        task = asyncio.ensure_future(_all(outputs))
        await asyncio.sleep(0.01)
        assert outputs.is_waiting
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert log == ["closed"]


def test_what_a_callback_raises_comes_out() -> None:
    """Before it waits or after."""

    async def fails(after: int) -> AsyncIterator[int]:
        for _ in range(after):
            await asyncio.sleep(0)
        raise KeyError(after)
        yield 0

    for after in (0, 3):
        with pytest.raises(KeyError):
            asyncio.run(_all(Outputs(fails(after), lambda: None)))


async def _all(outputs: Any) -> list[Any]:
    return [output async for output in outputs]
