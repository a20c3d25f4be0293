"""The add-on: puts evocrawl's components and settings into a Scrapy project."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

import scrapy
import scrapy.core.downloader.contextfactory  # early: it inspects each frame of the call stack
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.utils.misc import load_object

from evocrawl import __version__
from evocrawl.adapter import log_records
from evocrawl.adapter.banner import keep_off_terminal
from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exit_codes import refusing
from evocrawl.adapter.extensions.dashboard import CrawlDashboard
from evocrawl.adapter.extensions.ending import EndReport
from evocrawl.adapter.extensions.opt_out_files import OptOutFiles
from evocrawl.adapter.extensions.progress import Progress
from evocrawl.adapter.extensions.recorder import Recorder
from evocrawl.adapter.extensions.seeds import SeedWarnings
from evocrawl.adapter.extensions.stalled import Stalled
from evocrawl.adapter.extensions.stats import StatsReport
from evocrawl.adapter.scheduler import EvoScheduler
from evocrawl.adapter.settings_check import check_process, check_settings
from evocrawl.core.sanitize import mask_secrets
from evocrawl.middlewares.backoff import BackoffMiddleware
from evocrawl.middlewares.beginnings import BeginningsMiddleware
from evocrawl.middlewares.browser import BrowserMiddleware
from evocrawl.middlewares.compression import DecompressionMiddleware
from evocrawl.middlewares.encoding import EncodingMiddleware
from evocrawl.middlewares.guard import GuardMiddleware
from evocrawl.middlewares.links import LinksMiddleware
from evocrawl.middlewares.meter import MeterMiddleware
from evocrawl.middlewares.redirects import OwnOriginRedirectMiddleware, OwnOriginRefreshMiddleware
from evocrawl.middlewares.retries import ShareRetryMiddleware
from evocrawl.middlewares.robots import RobotsMiddleware
from evocrawl.middlewares.since import SinceMiddleware
from evocrawl.middlewares.warc import WarcMiddleware
from evocrawl.pipelines.energy import EnergyPipeline
from evocrawl.pipelines.relevance import RelevancePipeline
from evocrawl.pipelines.reward import RewardPipeline

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

USER_AGENT = f"evocrawl/{__version__} (focused crawler on Scrapy/{scrapy.__version__})"

COMPONENTS: tuple[tuple[str, type, int], ...] = (
    ("DOWNLOADER_MIDDLEWARES", RobotsMiddleware, 100),
    ("DOWNLOADER_MIDDLEWARES", BackoffMiddleware, 970),
    ("DOWNLOADER_MIDDLEWARES", GuardMiddleware, 980),
    ("DOWNLOADER_MIDDLEWARES", BeginningsMiddleware, 586),
    ("DOWNLOADER_MIDDLEWARES", EncodingMiddleware, 585),
    ("DOWNLOADER_MIDDLEWARES", BrowserMiddleware, 545),
    ("DOWNLOADER_MIDDLEWARES", SinceMiddleware, 890),  # the HTTP cache is at 900
    ("DOWNLOADER_MIDDLEWARES", MeterMiddleware, 990),
    ("DOWNLOADER_MIDDLEWARES", WarcMiddleware, 995),  # after the meter: it sees what is sent
    ("SPIDER_MIDDLEWARES", LinksMiddleware, -1_000_000),
    ("ITEM_PIPELINES", RelevancePipeline, 100),
    ("ITEM_PIPELINES", EnergyPipeline, 110),
    ("ITEM_PIPELINES", RewardPipeline, 990),
    ("EXTENSIONS", StatsReport, 0),
    ("EXTENSIONS", EndReport, 0),  # before the view: the extension that begins last ends first
    ("EXTENSIONS", Progress, 0),
    ("EXTENSIONS", CrawlDashboard, 0),
    ("EXTENSIONS", SeedWarnings, 0),
    ("EXTENSIONS", Recorder, 0),
    ("EXTENSIONS", OptOutFiles, 0),
    ("EXTENSIONS", Stalled, 0),
)
"""Setting, class and order of each component."""

REPLACED: tuple[tuple[type, type | None, int, str], ...] = (
    (RobotsTxtMiddleware, None, 100, "robots.txt is read twice"),
    (RedirectMiddleware, OwnOriginRedirectMiddleware, 600, "headers are sent to other origins"),
    (RetryMiddleware, ShareRetryMiddleware, 550, "EVOCRAWL_RETRY_SHARE is not kept"),
    (HttpCompressionMiddleware, DecompressionMiddleware, 590, "visits do not say what is garbled"),
    (MetaRefreshMiddleware, OwnOriginRefreshMiddleware, 580, "headers are sent to other origins"),
)
"""Scrapy's downloader middleware, what replaces it (a component above, or the one named)
and its order, and what happens where the project keeps Scrapy's."""

OFF = {
    "TELNETCONSOLE_ENABLED": "scrapy.extensions.telnet.TelnetConsole",
    "REMOTE_CONTROL_ENABLED": "scrapy.extensions.remote_control.RemoteControl",
}
"""Settings and extensions of consoles that run the code of any client that can connect.

Unless the project sets one, its extension is not imported: aiohttp alone takes 0.2 s."""

CLOSED_SCHEMES = ("file", "ftp", "s3")
"""Schemes whose download handlers are switched off, so that no link of a page can use them."""


URL_LOGGERS = ("scrapy.crawler", "scrapy.downloadermiddlewares.redirect")
"""Loggers of Scrapy that log URLs as the settings or a server wrote them, with passwords."""


class Addon:
    """``ADDONS = {"evocrawl.Addon": 300}``."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the add-on; the crawler's context is made when the settings are complete."""
        return cls(crawler)

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Make log records harmless before Scrapy writes the first; check the log's settings."""
        log_records.install()
        check_process(settings)
        keep_off_terminal(settings)

    def update_settings(self, settings: BaseSettings) -> None:
        """Put evocrawl's components in place; warn if the project's settings prevail.

        Raises NotConfigured and changes nothing if the project has a scheduler of its own.
        """
        log_records.install()
        with refusing(self._crawler):
            check_settings(settings)
        settings.set("SCHEDULER", EvoScheduler, "addon")
        if not _is_ours(load_object(settings["SCHEDULER"])):
            raise NotConfigured(
                f"this project's SCHEDULER ({settings['SCHEDULER']}) prevails over evocrawl's: the "
                "crawl is not focused"
            )
        settings.set("ROBOTSTXT_OBEY", True, "addon")
        settings.set("USER_AGENT", USER_AGENT, "addon")
        for name, extension in OFF.items():
            settings.set(name, False, "addon")
            if extension in settings["EXTENSIONS_BASE"] and not settings.getbool(name):
                settings["EXTENSIONS_BASE"].delete(extension, "addon")
        for scheme in CLOSED_SCHEMES:
            settings["DOWNLOAD_HANDLERS"].set(scheme, None, "addon")
        for theirs, ours, order, effect in REPLACED:
            _replace(theirs, ours, order, effect, settings)
        for setting, component, order in COMPONENTS:
            settings.setdefault_in_component_priority_dict(setting, component, order)
            if _given(setting, component, settings) is None:
                _warn(setting, f"{component.__name__}: None", "that part is switched off")
        for name in URL_LOGGERS:
            logging.getLogger(name).addFilter(_mask)
        with refusing(self._crawler):
            CrawlContext.of(self._crawler)


def _is_ours(scheduler: object) -> bool:
    # Not by issubclass: Scrapy's schedulers have a metaclass that compares methods by name.
    return EvoScheduler in getattr(scheduler, "__mro__", ())


def _replace(
    theirs: type, ours: type | None, order: int, effect: str, settings: BaseSettings
) -> None:
    setting = "DOWNLOADER_MIDDLEWARES"
    if _given(setting, theirs, settings) is not None:
        _warn(setting, theirs, effect)
        return
    has_said_no = any(load_object(key) is theirs for key in settings[setting])
    settings[setting].set(theirs, None, "addon")
    if ours is not None and not has_said_no:
        settings.setdefault_in_component_priority_dict(setting, ours, order)


def _mask(record: logging.LogRecord) -> bool:
    """Remove passwords from the URLs of a log record."""
    if isinstance(record.args, dict):
        texts = {key: str(value) for key, value in record.args.items()}
        secret = {
            key: mask_secrets(text) for key, text in texts.items() if mask_secrets(text) != text
        }
        record.args = {**record.args, **secret}
    return True


def _given(setting: str, component: type, settings: BaseSettings) -> object:
    """Return the order that `setting` gives `component`, None if it is switched off."""
    for key, order in settings[setting].items():
        if load_object(key) is component:
            return order
    return None


def _warn(setting: str, value: object, effect: str) -> None:
    logger.warning(
        "add-on: this project's %s (%s) prevails over evocrawl's: %s",
        setting,
        value,
        effect,
        extra={"evocrawl_setting": setting},
    )
