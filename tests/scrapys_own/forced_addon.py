"""Pytest plugin that puts the add-on into each crawler that a test makes."""

from __future__ import annotations

import gc
from typing import Any

import pytest
import scrapy.core.downloader.contextfactory  # noqa: F401 - early: it inspects the call stack
from scrapy.crawler import Crawler

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


def pytest_collection_finish() -> None:
    """Keep loaded objects out of garbage collection, and let no crawl change that.

    Each crawl collects and freezes all objects, and releases them at its end: in
    a process of many short crawls that takes longer than the crawls.
    """
    gc.collect()
    gc.freeze()
    gc.freeze = gc.unfreeze = lambda: None


@pytest.fixture(autouse=True)
def _forced_addon(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Crawler.__init__

    def made(self: Crawler, *arguments: Any, **options: Any) -> None:
        make(self, *arguments, **options)
        self.settings.frozen = False
        for name, value in FORCED.items():
            self.settings.set(name, value, PRIORITY)

    monkeypatch.setattr(Crawler, "__init__", made)
