"""Options of how a crawl works together with the rest of a Scrapy project."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.option import flag, maybe, number, option, whole


@dataclass(frozen=True, kw_only=True)
class AdapterOptions:
    """Options of how a crawl works together with the rest of a Scrapy project."""

    max_unsettled: int = option(
        None,
        maybe(whole(1)),
        "a whole number from 1",
        "most concurrent visits, from choice to reward; CONCURRENT_REQUESTS unless set",
    )
    page_items: bool = option(
        None,
        maybe(flag),
        "true or false",
        "whether each page passes the pipelines and feeds as a PageItem; unless set, true for "
        "evospider and false for your own spiders",
    )
    progress_s: float = option(
        None,
        maybe(number(0)),
        "a number from 0",
        "seconds between updates of the view on stderr; 1 on a terminal and 10 elsewhere unless "
        "set, 0 for no view",
    )
    read_timeout_s: float = option(
        10.0,
        number(0, above=True),
        "a number above 0",
        "most seconds of processor time that a large or unusual page may take to read",
    )
    pipelines_wait_s: float = option(
        1.0,
        number(0),
        "a number from 0",
        "seconds that a page may take, once its callback has ended, to reach RewardPipeline "
        "through the project's pipelines; then the visit is settled with the page as it was read",
    )
    closing_wait_s: float = option(
        10.0,
        number(0),
        "a number from 0",
        "seconds that a waiting callback may continue after the crawl begins to close; then it is "
        "cancelled",
    )
