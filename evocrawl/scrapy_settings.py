"""Those of Scrapy's settings that a crawl goes by, refused where they make no sense.

Scrapy takes most of them as they are: with ``CONCURRENT_REQUESTS = 0`` a crawl waits for ever, and
what is no number is an exception without the name of the setting.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from evocrawl.errors import SettingError
from evocrawl.options import Option, flag, number, whole

_AT_ONCE = Option(whole(1), "a whole number from 1", "requests at once")
_SECONDS = Option(number(0), "a number from 0", "seconds")
_CHECKED = {
    "CONCURRENT_REQUESTS": _AT_ONCE,
    "CONCURRENT_REQUESTS_PER_DOMAIN": _AT_ONCE,
    "DOWNLOAD_DELAY": _SECONDS,
    "DOWNLOAD_TIMEOUT": _SECONDS,
    "RETRY_TIMES": Option(whole(0), "a whole number from 0", "second tries"),
    "ROBOTSTXT_OBEY": Option(flag, "true or false", "whether robots.txt counts"),
}
_SLOT = {"concurrency": _AT_ONCE, "delay": _SECONDS}
_SLOTS = 'hosts with what each allows, such as {"a.example": {"concurrency": 1, "delay": 2}}'


Settings = TypeVar("Settings", bound=Mapping[str, Any])


def checked(settings: Settings) -> Settings:
    """Return `settings`; raises SettingError for the first of them that makes no sense."""
    for name, option in _CHECKED.items():
        if name in settings:
            option.value(name, settings[name])
    _check_slots(settings.get("DOWNLOAD_SLOTS"))
    return settings


def _check_slots(raw: Any) -> None:
    try:
        slots = json.loads(raw) if isinstance(raw, str) else dict(raw or {})
        for slot in slots.values():
            for name, option in _SLOT.items():
                if name in slot:
                    option.read(slot[name])
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise SettingError("DOWNLOAD_SLOTS", raw, _SLOTS) from error
