"""Asks sources for seeds, and logs how many each gives."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from evocrawl.core.sanitize import mask_secrets, one_line
from evocrawl.seeding.base import Fetch, Seed, SeedError, Topic
from evocrawl.seeding.ranking import fused
from evocrawl.seeding.registry import NamedSource

logger = logging.getLogger(__name__)


async def gather(sources: Sequence[NamedSource], topic: Topic, fetch: Fetch) -> list[Seed]:
    """Return the seeds of all sources, the best first."""
    return fused(
        [each for each in [await _ask(source, topic, fetch) for source in sources] if each]
    )


async def first_of(sources: Sequence[NamedSource], topic: Topic, fetch: Fetch) -> list[Seed]:
    """Return the seeds of the first source that has any; the others are not asked."""
    for source in sources:
        seeds = await _ask(source, topic, fetch)
        if seeds:
            return seeds
    return []


async def _ask(named: NamedSource, topic: Topic, fetch: Fetch) -> list[Seed]:
    shown = one_line(mask_secrets(named.notation))
    try:
        seeds = await named.source.seeds(topic, fetch)
    except SeedError as error:
        logger.warning("seeds: %s gives none: %s", shown, one_line(mask_secrets(str(error))))
        return []
    except Exception as error:  # a source of another package
        logger.warning("seeds: %s gives none: it failed: %s", shown, one_line(repr(error)))
        return []
    if seeds:
        logger.info("seeds: %s gives %d", shown, len(seeds))
    else:
        logger.warning("seeds: %s gives none: it has found nothing", shown)
    return seeds
