"""Refuses invalid values of Scrapy's own settings before a crawl begins.

Scrapy checks few of them: with ``CONCURRENT_REQUESTS = 0`` a crawl waits for ever, and a text that
is not a number raises an exception without the name of the setting.
"""

from __future__ import annotations

import codecs
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from scrapy.settings import default_settings

from evocrawl.adapter.settings_classes import check_classes, listed
from evocrawl.core.config.hints import did_you_mean
from evocrawl.core.config.option import Option, maybe, number, whole
from evocrawl.core.errors import SettingError
from evocrawl.core.files import check_writable, problem_of


def scrapy_flag(raw: Any) -> bool:
    """Read a truth value as Scrapy does, without yes and no."""
    if raw in ("True", "true", "False", "false"):
        return str(raw).lower() == "true"
    return bool(int(raw))


def log_level(raw: Any) -> int:
    """Read a level of the log, a name or a whole number."""
    levels = logging.getLevelNamesMapping()
    return levels[raw] if isinstance(raw, str) and raw in levels else whole(0)(raw)


def statuses(raw: Any) -> list[int]:
    """Read HTTP statuses, a list or a text with commas."""
    listed = raw.split(",") if isinstance(raw, str) else list(raw or ())
    return [whole(100, 999)(each) for each in listed]


_AT_ONCE = Option(whole(1), "a whole number from 1", "how many at once")
_COUNT = Option(whole(0), "a whole number from 0", "how many")
_WHOLE = Option(whole(-(2**31), 2**31), "a whole number", "what is added to a priority")
_SECONDS = Option(number(0), "a number from 0", "seconds")
_TIME = Option(number(0, above=True), "a number above 0", "seconds")
_FLAG = Option(scrapy_flag, "true or false", "whether something is done")
_LEVEL = Option(log_level, "DEBUG, INFO, WARNING, ERROR or CRITICAL", "level of the log")
_STATUSES = Option(statuses, "HTTP statuses, separated by commas", "statuses")

_KINDS: tuple[tuple[Option, str], ...] = (
    (_AT_ONCE, "CONCURRENT_REQUESTS CONCURRENT_REQUESTS_PER_DOMAIN CONCURRENT_ITEMS DNSCACHE_SIZE "
     "REACTOR_THREADPOOL_MAXSIZE SCRAPER_SLOT_MAX_ACTIVE_SIZE"),
    (_COUNT, "CLOSESPIDER_ERRORCOUNT CLOSESPIDER_ITEMCOUNT CLOSESPIDER_PAGECOUNT "
     "CLOSESPIDER_PAGECOUNT_NO_ITEM CLOSESPIDER_TIMEOUT_NO_ITEM CONCURRENT_REQUESTS_PER_IP "
     "DEPTH_LIMIT DOWNLOAD_MAXSIZE DOWNLOAD_WARNSIZE FEED_EXPORT_BATCH_ITEM_COUNT "
     "HTTPCACHE_EXPIRATION_SECS MEMUSAGE_LIMIT_MB MEMUSAGE_WARNING_MB METAREFRESH_MAXDELAY "
     "REDIRECT_MAX_TIMES RETRY_TIMES URLLENGTH_LIMIT"),
    (_WHOLE, "DEPTH_PRIORITY REDIRECT_PRIORITY_ADJUST RETRY_PRIORITY_ADJUST"),
    (_SECONDS, "AUTOTHROTTLE_MAX_DELAY AUTOTHROTTLE_START_DELAY CLOSESPIDER_TIMEOUT DOWNLOAD_DELAY "
     "DOWNLOAD_TIMEOUT LOGSTATS_INTERVAL"),
    (_TIME, "AUTOTHROTTLE_TARGET_CONCURRENCY DNS_TIMEOUT MEMUSAGE_CHECK_INTERVAL_SECONDS"),
    (_FLAG, "AUTOTHROTTLE_DEBUG AUTOTHROTTLE_ENABLED COMPRESSION_ENABLED COOKIES_DEBUG "
     "COOKIES_ENABLED CRAWLSPIDER_FOLLOW_LINKS DEPTH_STATS_VERBOSE DNSCACHE_ENABLED "
     "DOWNLOADER_CLIENT_TLS_VERBOSE_LOGGING DOWNLOADER_STATS DOWNLOAD_FAIL_ON_DATALOSS "
     "DOWNLOAD_VERIFY_CERTIFICATES DUPEFILTER_DEBUG FEED_STORE_EMPTY FORCE_CRAWLER_PROCESS "
     "HTTPCACHE_ALWAYS_STORE HTTPCACHE_ENABLED HTTPCACHE_GZIP HTTPCACHE_IGNORE_MISSING "
     "HTTPERROR_ALLOW_ALL HTTPPROXY_ENABLED LOG_COLOR LOG_ENABLED LOG_FILE_APPEND "
     "LOG_INSTALL_ROOT_HANDLER LOG_SHORT_NAMES LOG_STDOUT MEMDEBUG_ENABLED MEMUSAGE_ENABLED "
     "METAREFRESH_ENABLED RANDOMIZE_DOWNLOAD_DELAY REDIRECT_ENABLED REFERER_ENABLED "
     "REMOTE_CONTROL_ENABLED RETRY_ENABLED ROBOTSTXT_OBEY SCHEDULER_DEBUG STATS_DUMP "
     "SPIDER_LOADER_WARN_ONLY TELNETCONSOLE_ENABLED TWISTED_REACTOR_ENABLED "
     "WARN_ON_GENERATOR_RETURN_VALUE"),
    (_LEVEL, "LOG_LEVEL RETRY_GIVE_UP_LOG_LEVEL DEFAULT_DROPITEM_LOG_LEVEL"),
    (_STATUSES, "RETRY_HTTP_CODES HTTPERROR_ALLOWED_CODES HTTPCACHE_IGNORE_HTTP_CODES"),
)  # fmt: skip
CHECKED: dict[str, Option] = {
    **{name: option for option, names in _KINDS for name in names.split()},
    "DOWNLOAD_DELAY_JITTER": Option(number(0, 1), "a number from 0 to 1", "share of the delay"),
    "FEED_EXPORT_INDENT": Option(maybe(whole(-1)), "a whole number from -1, or none", "spaces"),
}
"""Each setting of Scrapy that a crawl reads as a number, a truth value or a name of a level."""

_MAPPINGS = ("DEFAULT_REQUEST_HEADERS", "DOWNLOAD_HANDLERS", "FEEDS", "FEED_EXPORTERS")
_MAPPING = 'a dictionary, on the command line as JSON such as {"name": "value"}'
_SLOT = {"concurrency": _AT_ONCE, "delay": _SECONDS}
_SLOTS = 'hosts with what each allows, such as {"a.example": {"concurrency": 1, "delay": 2}}'


Settings = TypeVar("Settings", bound=Mapping[str, Any])


def check_settings(settings: Settings) -> Settings:
    """Return `settings`; raises SettingError for the first invalid one."""
    for name, option in CHECKED.items():
        if name in settings:
            option.value(name, settings[name])
    for name in _MAPPINGS:
        _reading(name, settings.get(name), _MAPPING, _mapping)
    _reading("DOWNLOAD_SLOTS", settings.get("DOWNLOAD_SLOTS"), _SLOTS, _check_slots)
    _check_feeds(settings.get("FEEDS"), _feed_formats(settings))
    check_classes(settings)
    return settings


def check_process(settings: Mapping[str, Any]) -> None:
    """Raise SettingError for invalid settings of the log; Scrapy reads these first."""
    for name, option in CHECKED.items():
        if name.startswith("LOG_") and name in settings:
            option.value(name, settings[name])
    _check_log_file(settings.get("LOG_FILE"))
    for module in listed(settings.get("SPIDER_MODULES")):
        _check_module(str(module))
    for name, (allowed, read) in _OF_LOG.items():
        if settings.get(name) is not None:
            _reading(name, settings[name], allowed, read)


def _check_module(name: str) -> None:
    """Raise SettingError if a module of spiders does not exist; its own errors are Scrapy's."""
    try:
        is_found = not name.startswith(".") and find_spec(name) is not None
    except ModuleNotFoundError as error:
        is_found = not f"{name}.".startswith(f"{error.name}.")
    except ImportError:
        is_found = True
    except ValueError:
        is_found = False
    if not is_found:
        raise SettingError("SPIDER_MODULES", name, "modules and packages that can be imported")


def _check_log_file(path: Any) -> None:
    """Raise SettingError for a file that the log cannot be written to."""
    if path and (os.path.isdir(path) or not os.path.isdir(os.path.dirname(path) or ".")):
        raise SettingError("LOG_FILE", str(path), "a file in a folder that exists")


def _check_format(form: Any) -> None:
    record = logging.LogRecord("name", logging.INFO, "file.py", 1, "message", (), None)
    logging.Formatter(form).format(record)


_OF_LOG: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "LOG_FORMAT": (
        "a format of Python's logging, such as %(asctime)s %(levelname)s: %(message)s",
        _check_format,
    ),
    "LOG_ENCODING": ("an encoding, such as utf-8", codecs.lookup),
}


def _reading(name: str, raw: Any, allowed: str, read: Callable[[Any], Any]) -> None:
    try:
        read(raw)
    except (ValueError, TypeError, AttributeError, OverflowError, LookupError) as error:
        raise SettingError(name, raw, allowed) from error


def _feed_formats(settings: Mapping[str, Any]) -> list[str]:
    own = _mapping(settings.get("FEED_EXPORTERS"))
    kinds = {**default_settings.FEED_EXPORTERS_BASE, **own}
    return [name for name, kind in kinds.items() if kind is not None]


def _check_feeds(raw: Any, formats: Sequence[str]) -> None:
    """Raise SettingError for a feed without which Scrapy would crawl on.

    Its format is not known, or it is a folder, or is to be below a file.
    """
    for uri, options in _mapping(raw).items():
        text = str(uri)
        form = options.get("format") if isinstance(options, Mapping) else None
        if form not in formats:
            hint = did_you_mean(str(form), formats)
            raise SettingError(f"FEEDS[{text!r}]['format']", form, ", ".join(formats), hint)
        path = text.removeprefix("file://")
        if path == text and ("://" in text or text.startswith("stdout:")):
            continue
        if os.path.isdir(path):
            raise SettingError("FEEDS", text, "a file, and this is a folder (-o FILE, -O FILE)")
        if any(each.is_file() for each in Path(path).parents):
            raise SettingError("FEEDS", text, "a file, and this is below another file")
        if "%(" not in path:
            _check_writable(path, text)


def _check_writable(path: str, feed: str) -> None:
    try:
        check_writable(path)
    except OSError as error:
        allowed = f"a file that can be written ({problem_of(error)})"
        raise SettingError("FEEDS", feed, allowed) from error


def _mapping(raw: Any) -> dict[Any, Any]:
    return dict(json.loads(raw) if isinstance(raw, str) else raw or {})


def _check_slots(raw: Any) -> None:
    for slot in _mapping(raw).values():
        for name, option in _SLOT.items():
            if name in slot:
                option.read(slot[name])
