"""Keeps Scrapy's log of its versions, settings and components off a terminal with our view."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from typing import Any

from evocrawl.adapter.scrapy_internals import spider_arguments

_LOGGERS: dict[str, tuple[str, ...]] = {
    "scrapy.utils.log": ("Scrapy %(version)s started", "Versions:"),
    "scrapy.addons": ("Enabled addons",),
    "scrapy.crawler": ("Overridden settings",),
    "scrapy.middleware": ("Enabled ",),
    "scrapy.core.engine": ("Spider opened",),
    "scrapy.extensions.logstats": ("Crawled ",),
}
"""By logger, the beginnings of its messages before formatting."""


def has_view(settings: Mapping[str, Any]) -> bool:
    """Return whether the crawl that is about to begin shows its view and its log on a terminal."""
    interval = spider_arguments().get("progress_s", settings.get("EVOCRAWL_PROGRESS_S"))
    try:
        is_off = interval is not None and float(interval) == 0
    except (TypeError, ValueError):
        is_off = False  # the error comes when the options are read
    return not is_off and not settings.get("LOG_FILE") and sys.stderr.isatty()


def keep_off_terminal(settings: Mapping[str, Any]) -> None:
    """Log Scrapy's versions, settings and components at DEBUG if the terminal has the view."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.removeFilter(_demote)
        if has_view(settings):
            logger.addFilter(_demote)


def _demote(record: logging.LogRecord) -> bool:
    if record.levelno == logging.INFO and str(record.msg).startswith(_LOGGERS[record.name]):
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
    return True
