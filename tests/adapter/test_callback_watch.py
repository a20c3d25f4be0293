"""What watches callbacks needs a crawl: a middleware may be called without one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from scrapy.http import Request, Response

from evocrawl.adapter import callback_watch
from evocrawl.adapter.callback_links import Callback
from evocrawl.adapter.callback_watch import CallbackWatch


async def _waits() -> AsyncIterator[int]:
    await asyncio.sleep(0.01)
    yield 1


def test_a_callback_that_waits_without_an_engine_is_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A project's tests may call its spider middlewares so: Scrapy's own tests do."""
    looks: list[Any] = []
    monkeypatch.setattr(callback_watch, "call_later", lambda *given: looks.append(given))
    watch = CallbackWatch(cast(Any, None), cast(Any, None), cast(Any, None))
    response = Response("http://a.test/", request=Request("http://a.test/"))

    async def run() -> list[int]:
        outputs = watch.outputs_of(Callback(response, None), _waits())
        return [each async for each in outputs]

    assert asyncio.run(run()) == [1]
    assert looks == []
