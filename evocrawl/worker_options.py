"""The settings of a crawl that several workers share."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.network_options import NetworkOptions
from evocrawl.options import number, option


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions(NetworkOptions):
    """The part of `evocrawl.config.Config` that is about several workers on one Redis."""

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
