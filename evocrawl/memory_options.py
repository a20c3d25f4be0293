"""The settings of how much of a crawl is kept in memory."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.options import option, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOptions:
    """The part of `evocrawl.config.Config` that is about memory."""

    memory_links: int = option(
        5000,
        whole(1),
        "a whole number from 1",
        "waiting links that are kept in memory, beside a quarter as many records of pages; the "
        "others are on disk. What the crawl does is the same with any number",
    )
