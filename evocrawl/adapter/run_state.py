"""Pauses, continues or stops a running crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evocrawl.adapter.scrapy_internals import (
    ask_scheduler_soon,
    close_spider_soon,
    has_spider_open,
    is_closing,
)
from evocrawl.store.cluster.steering import STOPPED

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine


def state_of(engine: ExecutionEngine | None) -> str:
    """Return "running", "paused", "stopping" or "finished"."""
    if engine is None or not has_spider_open(engine):
        return "finished"
    if is_closing(engine):
        return "stopping"
    return "paused" if engine.paused else "running"


def set_state(engine: ExecutionEngine, state: str, reason: str = STOPPED) -> None:
    """Continue ("running"), send no further request ("paused") or end cleanly ("stopping").

    `reason` is the stop reason if the crawl ends.
    """
    if state == "paused":
        engine.pause()
        return
    engine.unpause()
    if state == "stopping" and state_of(engine) == "running":
        close_spider_soon(engine, reason)
    elif has_spider_open(engine):
        ask_scheduler_soon(engine)
