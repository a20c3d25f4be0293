"""A spider with monitors of Spidermon, which check the stats of Scrapy and evocrawl."""

from __future__ import annotations

from typing import Any

from scrapy import Spider
from scrapy.http import Response
from spidermon import Monitor, MonitorSuite, monitors
from spidermon.contrib.scrapy.monitors import FinishReasonMonitor, ItemCountMonitor


class Monitored(Spider):
    """Reads two pages."""

    name = "monitored"
    start_urls = ("http://reef.test/", "http://reef.test/first")
    custom_settings = {  # noqa: RUF012
        "EXTENSIONS": {"spidermon.contrib.scrapy.extensions.Spidermon": 500},
        "SPIDERMON_ENABLED": True,
        "SPIDERMON_MIN_ITEMS": 2,
        "SPIDERMON_SPIDER_CLOSE_MONITORS": ("monitored.Closing",),
    }

    def parse(self, response: Response, **_: Any) -> dict[str, str]:
        return {"url": response.url}


@monitors.name("scheduler")
class SchedulerMonitor(Monitor):  # type: ignore[misc]
    """The stats of the scheduler, and those of evocrawl."""

    @monitors.name("enqueued")
    def test_enqueued(self) -> None:
        assert self.data.stats["scheduler/enqueued"] == 2
        assert self.data.stats["scheduler/dequeued"] == 2

    @monitors.name("evocrawl")
    def test_evocrawl(self) -> None:
        assert self.data.stats["evocrawl/pages"] == 2
        assert self.data.stats["evocrawl/visits/unsettled"] == 0


class Closing(MonitorSuite):  # type: ignore[misc]
    """Runs when the spider is closed."""

    monitors = (FinishReasonMonitor, ItemCountMonitor, SchedulerMonitor)
