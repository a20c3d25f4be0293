"""Refuses Scrapy's settings that name a class which cannot be imported."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scrapy.settings import default_settings
from scrapy.utils.misc import load_object

from evocrawl.core.errors import SettingError

_CLASSES = (
    "DOWNLOADER", "DUPEFILTER_CLASS", "ITEM_PROCESSOR", "LOG_FORMATTER",
    "REQUEST_FINGERPRINTER_CLASS", "ROBOTSTXT_PARSER", "SCHEDULER", "SPIDER_LOADER_CLASS",
    "STATS_CLASS", "TWISTED_DNS_RESOLVER", "TWISTED_REACTOR",
)  # fmt: skip
_OPTIONAL = ("TWISTED_DNS_RESOLVER", "TWISTED_REACTOR")
_COMPONENTS = (
    "ADDONS", "DOWNLOADER_MIDDLEWARES", "EXTENSIONS", "ITEM_PIPELINES", "SPIDER_MIDDLEWARES",
)  # fmt: skip
"""Classes with their orders."""
_BY_NAME = ("DOWNLOAD_HANDLERS", "FEED_EXPORTERS", "FEED_STORAGES")
"""Names, or schemes, with their classes."""
_ORDERS = 'classes with their orders, whole numbers or none, such as {"project.Component": 500}'


def check_classes(settings: Mapping[str, Any]) -> None:
    """Raise SettingError for the first class that cannot be imported or has no order.

    Scrapy's own defaults are not checked.
    """
    _check_single(settings)
    for name in _COMPONENTS:
        for component, order in _entries(name, settings.get(name)):
            if order is not None:
                _check_order(name, component, order)
                _check(name, component)
    for each in listed(settings.get("RETRY_EXCEPTIONS")):
        _check("RETRY_EXCEPTIONS", each)
    policy = settings.get("REFERRER_POLICY")
    if isinstance(policy, str) and "." in policy:
        _check("REFERRER_POLICY", policy)
    for name in _BY_NAME:
        for key, path in _entries(name, settings.get(name)):
            if path is not None:
                _check(f"{name}[{key!r}]", path)


def _check_single(settings: Mapping[str, Any]) -> None:
    """Check the settings that name one class; those of the HTTP cache only if it is enabled."""
    for name in _CLASSES:
        value = settings.get(name, getattr(default_settings, name))
        if value != getattr(default_settings, name) and (value or name not in _OPTIONAL):
            _check(name, value)
    if settings.get("HTTPCACHE_ENABLED") in (True, 1, "1", "True", "true"):
        for name in ("HTTPCACHE_POLICY", "HTTPCACHE_STORAGE"):
            _check(name, settings.get(name, getattr(default_settings, name)))


def listed(value: Any) -> list[Any]:
    """Return the entries of a list, or of a text with commas."""
    return value.split(",") if value and isinstance(value, str) else list(value or ())


def _entries(name: str, value: Any) -> Iterator[tuple[Any, Any]]:
    try:
        entries = json.loads(value) if isinstance(value, str) else value or {}
        yield from list(entries.items())
    except (ValueError, AttributeError) as error:
        raise SettingError(name, value, _ORDERS) from error


def _check_order(name: str, component: Any, order: Any) -> None:
    try:
        float(order)
    except (TypeError, ValueError) as error:
        raise SettingError(
            f"{name}[{str(component)!r}]", order, "a whole number or none"
        ) from error


def _check(setting: str, path: Any) -> None:
    """Import a class; an error inside its module is raised unchanged."""
    if not isinstance(path, str):
        if callable(path):
            return
        raise SettingError(setting, path, "the dotted path of a class")
    try:
        found = load_object(path)
    except (ImportError, NameError, ValueError) as error:
        allowed = "the dotted path of a class that can be imported, with its package installed"
        raise SettingError(setting, path, f"{allowed} ({error})") from error
    if not callable(found):
        raise SettingError(setting, path, "the dotted path of a class, and this is none")
