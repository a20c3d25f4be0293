"""Pytest plugin that puts the add-on into each crawler that a test makes."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from forked import freeze
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
    """Leave the garbage: to collect it is to visit all that pytest keeps of the tests."""
    freeze()
    gc.disable()


@pytest.fixture(autouse=True)
def _forced_addon(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Crawler.__init__

    def made(self: Crawler, *arguments: Any, **options: Any) -> None:
        make(self, *arguments, **options)
        self.settings.frozen = False
        for name, value in FORCED.items():
            self.settings.set(name, value, PRIORITY)

    monkeypatch.setattr(Crawler, "__init__", made)
    # Each crawl collects at its start.
    monkeypatch.setattr(gc, "collect", lambda *_: 0)
