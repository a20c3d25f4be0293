"""Asks sources for seeds, and logs how many each gives."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

from evocrawl.core.model import Content
from evocrawl.core.sanitize import mask_secrets, one_line
from evocrawl.relevance.base import Relevance
from evocrawl.seeding.base import Fetch, Seed, SeedError, Topic
from evocrawl.seeding.ranking import fused
from evocrawl.seeding.registry import NamedSource

logger = logging.getLogger(__name__)

PATIENCE_S = 10.0
"""Seconds after which the log names a source that the crawl waits for."""


async def gather(sources: Sequence[NamedSource], topic: Topic, fetch: Fetch) -> list[Seed]:
    """Return the seeds of all sources, the best first. The sources are asked at the same time."""
    shared = replace(topic, relevance=_OneAtATime(topic.relevance))
    lists = await asyncio.gather(*(_ask(source, shared, fetch) for source in sources))
    return fused([each for each in lists if each])


async def first_of(sources: Sequence[NamedSource], topic: Topic, fetch: Fetch) -> list[Seed]:
    """Return the seeds of the first source that has any; the others are not asked."""
    for source in sources:
        seeds = await _ask(source, topic, fetch)
        if seeds:
            return seeds
    return []


async def _ask(named: NamedSource, topic: Topic, fetch: Fetch) -> list[Seed]:
    shown = one_line(mask_secrets(named.notation))
    waiting = "seeds: %s has not answered for %.0f s; the crawl waits for it"
    note = asyncio.get_running_loop().call_later(
        PATIENCE_S, logger.info, waiting, shown, PATIENCE_S
    )
    try:
        seeds = await named.source.seeds(topic, fetch)
    except SeedError as error:
        logger.warning("seeds: %s gives none: %s", shown, one_line(mask_secrets(str(error))))
        return []
    except Exception as error:  # a source of another package
        logger.warning("seeds: %s gives none: it failed: %s", shown, one_line(repr(error)))
        return []
    finally:
        note.cancel()
    if seeds:
        logger.info("seeds: %s gives %d", shown, len(seeds))
    else:
        logger.warning("seeds: %s gives none: it has found nothing", shown)
    return seeds


class _OneAtATime:
    """A relevance model for sources that read answers in several threads at the same time."""

    def __init__(self, model: Relevance) -> None:
        self._model = model
        self._lock = Lock()
        self.reads = model.reads

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def page(self, content: Content) -> float:
        """Return the relevance of a page."""
        with self._lock:
            return self._model.page(content)

    def link(self, anchor: str, context: str, language: str = "") -> float:
        """Return the relevance of a link's own words."""
        with self._lock:
            return self._model.link(anchor, context, language)
