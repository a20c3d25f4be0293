"""A callback or pipeline that never returns is named."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from evocrawl.adapter.extensions.stalled import PATIENCE_S, Stalled


class Theirs:
    """A pipeline of the project."""


def watching(active: set[Request], items: int) -> tuple[Stalled, list[float]]:
    clock = [0.0]
    crawler: Any = get_crawler()
    slot = SimpleNamespace(active=active, itemproc_size=items)
    pipelines = SimpleNamespace(middlewares=(Theirs(),))
    crawler.engine = SimpleNamespace(scraper=SimpleNamespace(slot=slot, itemproc=pipelines))
    return Stalled(crawler, lambda: clock[0]), clock


@pytest.mark.parametrize(
    ("items", "end"), [(0, "has not ended for 120 s"), (1, "an item pipeline (Theirs)")]
)
def test_b067_a_response_that_is_never_finished_is_named_once(
    caplog: pytest.LogCaptureFixture, items: int, end: str
) -> None:
    """B067: with its URL without the password, and the item pipelines that may be the cause."""
    stuck, well = Request("http://u:word@a.test/stuck"), Request("http://a.test/well")
    active = {stuck, well}
    stalled, clock = watching(active, items)
    with caplog.at_level(logging.WARNING):
        stalled.look()
        active.remove(well)
        clock[0] = PATIENCE_S - 1
        stalled.look()
        assert not caplog.messages
        active.add(well)
        for clock[0] in (PATIENCE_S, PATIENCE_S + 30):
            stalled.look()
    [message] = caplog.messages
    assert "the callback of http://***@a.test/stuck" in message
    assert "word" not in message
    assert message.endswith(end)
