"""Pytest plugin that puts the add-on into each crawler that a test makes."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.crawler import Crawler
from scrapy.settings import Settings

FORCED = {
    "ADDONS": {"evocrawl.Addon": 300},
    "ROBOTSTXT_OBEY": False,
    "EVOCRAWL_QUERY": "coral bleaching",
    "EVOCRAWL_MAX_REQUESTS": 0,
    "EVOCRAWL_PROGRESS_S": 0,
    "EVOCRAWL_BACK_OFF_S": 0.05,
    "EVOCRAWL_ALLOW_NETWORKS": "127.0.0.0/8 ::1",
}
PRIORITY = 16
"""Above an add-on's settings, below a project's."""


@pytest.fixture(autouse=True)
def _forced_addon(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Crawler.__init__

    def made(
        self: Crawler, spidercls: Any, settings: Any = None, *rest: Any, **options: Any
    ) -> None:
        complete = settings.copy() if isinstance(settings, Settings) else Settings(settings)
        complete.frozen = False
        for name, value in FORCED.items():
            complete.set(name, value, PRIORITY)
        make(self, spidercls, complete, *rest, **options)

    monkeypatch.setattr(Crawler, "__init__", made)
