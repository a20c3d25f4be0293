"""The settings of the add-on in a project, and those that the project may change."""

from __future__ import annotations

import logging

import pytest
from scrapy import Spider
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

from evocrawl.adapter.scheduler import EvoScheduler
from evocrawl.addon import CLOSED_SCHEMES, OFF, Addon
from evocrawl.middlewares.redirects import OwnOriginRedirectMiddleware


class AnySpider(Spider):
    name = "any"


def settings_with(**own: object) -> Settings:
    """Return the settings of a project with the add-on and `own` settings."""
    settings = Settings()
    settings.setdict({"EVOCRAWL_QUERY": "coral", **own}, "project")
    crawler = Crawler(AnySpider, settings)
    Addon(crawler).update_settings(crawler.settings)
    return crawler.settings


def test_consoles_are_off() -> None:
    """R21: telnet and remote control run the code of every client."""
    settings = settings_with()
    assert OFF
    assert not any(settings.getbool(name) for name in OFF)
    extensions = settings.get_component_priority_dict_with_base("EXTENSIONS")
    assert extensions
    assert not {*OFF.values()} & {*extensions}


def test_a_project_may_open_a_console() -> None:
    """The settings of the project have precedence."""
    settings = settings_with(TELNETCONSOLE_ENABLED=True)
    assert settings.getbool("TELNETCONSOLE_ENABLED")
    assert OFF["TELNETCONSOLE_ENABLED"] in settings["EXTENSIONS_BASE"]
    assert not settings.getbool("REMOTE_CONTROL_ENABLED")


def test_handlers_of_other_schemes_are_off() -> None:
    """R18: except those that the project lists itself."""
    assert all(settings_with()["DOWNLOAD_HANDLERS"][each] is None for each in CLOSED_SCHEMES)
    handler = "scrapy.core.downloader.handlers.s3.S3DownloadHandler"
    own = settings_with(DOWNLOAD_HANDLERS={"s3": handler})["DOWNLOAD_HANDLERS"]
    assert own["s3"] == handler
    assert own["file"] is None


class OwnScheduler(EvoScheduler):
    """A scheduler of the project that extends evocrawl's."""


def test_a_project_may_extend_the_scheduler_and_not_replace_it() -> None:
    """Every class with Scrapy's methods would pass for a subclass: the order of bases decides."""
    assert settings_with(SCHEDULER=OwnScheduler)["SCHEDULER"] is OwnScheduler
    for other in ("scrapy.core.scheduler.Scheduler", Scheduler):
        with pytest.raises(NotConfigured, match="prevails over evocrawl's"):
            settings_with(SCHEDULER=other)


def redirects(settings: Settings) -> dict[object, object]:
    """Return the orders of Scrapy's redirect middleware and evocrawl's."""
    middlewares = settings["DOWNLOADER_MIDDLEWARES"]
    kinds = (RedirectMiddleware, OwnOriginRedirectMiddleware)
    return {each: middlewares[each] for each in kinds if each in middlewares}


@pytest.mark.parametrize("order", [600, None], ids=["kept", "off"])
def test_a_projects_choice_of_redirects_is_kept(
    order: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    """A warning names Scrapy's middleware if the project keeps it; none is added."""
    with caplog.at_level(logging.WARNING):
        own = redirects(settings_with(DOWNLOADER_MIDDLEWARES={RedirectMiddleware: order}))
    assert own == {RedirectMiddleware: order}
    assert ("headers are sent to other origins" in caplog.text) == (order is not None)


def test_scrapys_redirects_are_replaced() -> None:
    """By middlewares that keep headers with their origin."""
    assert redirects(settings_with()) == {
        RedirectMiddleware: None,
        OwnOriginRedirectMiddleware: 600,
    }
