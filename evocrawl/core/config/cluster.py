"""The settings of a crawl that several workers share."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.option import number, option
from evocrawl.core.config.politeness import PolitenessOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions(PolitenessOptions):
    """Options of several workers on one Redis, a part of `evocrawl.core.config.Config`."""

    lease_s: float = option(
        15.0,
        number(1),
        "a number from 1",
        "seconds for which a worker may be silent before its hosts are taken over by others",
    )
    redis_timeout_s: float = option(
        60.0,
        number(1),
        "a number from 1",
        "seconds for which Redis may not answer before the crawl ends with an error",
    )
