"""The settings of what keeps a crawl out of traps."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.cluster import ClusterOptions
from evocrawl.core.config.option import flag, option


@dataclass(frozen=True, slots=True, kw_only=True)
class TrapOptions(ClusterOptions):
    """The part of `evocrawl.core.config.config.Config` that is about duplicates and traps."""

    novelty: bool = option(
        True,
        flag,
        "true or false",
        "whether pages that say nothing new earn nothing, and links like those to them wait",
    )
    probe: bool = option(
        True,
        flag,
        "true or false",
        "whether servers whose pages say nothing new are asked once for an address that cannot "
        "exist, to tell their pages from what they say where there is none",
    )
