"""The settings of how a crawl works together with the other parts of a Scrapy project."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.option import number, option
from evocrawl.core.config.traps import TrapOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class SeamOptions(TrapOptions):
    """Options of how a crawl works with the project's callbacks and pipelines."""

    pipelines_wait_s: float = option(
        1.0,
        number(0),
        "a number from 0",
        "seconds that a page has, once its callback has ended, to come through the project's "
        "pipelines to RewardPipeline; then it is settled as it was read",
    )
    closing_wait_s: float = option(
        10.0,
        number(0),
        "a number from 0",
        "seconds that a callback may go on waiting once the crawl closes; then it is given up",
    )
