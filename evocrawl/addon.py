"""The add-on: what a project needs to become a focused crawl."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware

from evocrawl.ecosystem import Ecosystem
from evocrawl.errors import EvocrawlError
from evocrawl.extensions.progress import Progress
from evocrawl.extensions.report import StatsReport
from evocrawl.middlewares.links import LinksMiddleware
from evocrawl.middlewares.meter import MeterMiddleware
from evocrawl.middlewares.robots import RobotsMiddleware
from evocrawl.pipelines.energy import EnergyPipeline
from evocrawl.pipelines.relevance import RelevancePipeline
from evocrawl.pipelines.reward import RewardPipeline
from evocrawl.scheduler import EvoScheduler

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

COMPONENTS: tuple[tuple[str, type, int], ...] = (
    ("DOWNLOADER_MIDDLEWARES", RobotsMiddleware, 100),
    ("DOWNLOADER_MIDDLEWARES", MeterMiddleware, 990),
    ("SPIDER_MIDDLEWARES", LinksMiddleware, 10),
    ("ITEM_PIPELINES", RelevancePipeline, 100),
    ("ITEM_PIPELINES", EnergyPipeline, 110),
    ("ITEM_PIPELINES", RewardPipeline, 990),
    ("EXTENSIONS", StatsReport, 0),
    ("EXTENSIONS", Progress, 0),
)
"""Setting, class and order of each component."""


class Addon:
    """``ADDONS = {"evocrawl.Addon": 300}``."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Remember the crawler, whose ecosystem is made once the settings are complete."""
        return cls(crawler)

    def update_settings(self, settings: BaseSettings) -> None:
        """Put evocrawl's components in place; warns where the project's settings prevail."""
        settings.set("SCHEDULER", EvoScheduler, "addon")
        settings.set("ROBOTSTXT_OBEY", True, "addon")
        if settings.getpriority("SCHEDULER") != settings.getpriority("ADDONS") or True:
            self._warn_of("SCHEDULER", settings.get("SCHEDULER"), EvoScheduler)
        settings["DOWNLOADER_MIDDLEWARES"].set(RobotsTxtMiddleware, None, "addon")
        for setting, component, order in COMPONENTS:
            settings.setdefault_in_component_priority_dict(setting, component, order)
            if settings[setting].get(component, order) is None:
                logger.warning("%s switches %s off", setting, component.__name__)
        try:
            Ecosystem.of(self._crawler)
        except EvocrawlError:
            # Scrapy takes a crawl with a spider for one that has started, and exits with 0.
            self._crawler.spider = None
            raise

    def _warn_of(self, name: str, value: Any, ours: type) -> None:
        if value is not ours and value != f"{ours.__module__}.{ours.__qualname__}":
            logger.warning(
                "%s is %s in this project's settings, which prevail over evocrawl's %s: the "
                "population will not choose what is fetched",
                name,
                value,
                ours.__qualname__,
            )
