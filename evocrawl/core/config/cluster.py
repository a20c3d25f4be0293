"""Options of a crawl that several workers share through Redis."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.option import number, option


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """Options of a crawl that several workers share through Redis."""

    lease_s: float = option(
        15.0,
        number(1),
        "a number from 1",
        "seconds without a sign of life after which other workers take over a worker's hosts",
    )
    exchange_s: float = option(
        5.0,
        number(0.5),
        "a number from 0.5",
        "least seconds between two exchanges of what a worker and the others have learnt; less "
        "while the worker has fewer than 40 pages",
    )
    redis_timeout_s: float = option(
        60.0,
        number(1),
        "a number from 1",
        "seconds without a response of Redis after which the crawl ends with an error",
    )
