"""The settings of evocrawl's own project."""

from __future__ import annotations

import importlib

import pytest
from scrapy.settings import Settings

from evocrawl.adapter import settings as project
from evocrawl.core.config.config import Config


@pytest.mark.parametrize("store", ["", "redis://:secret@redis.test/0"])
def test_where_the_crawl_is_kept_may_stand_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    """R22: an address with a password is no argument, which any process list shows."""
    monkeypatch.delenv("EVOCRAWL_STORE", raising=False)
    if store:
        monkeypatch.setenv("EVOCRAWL_STORE", store)
    settings = Settings()
    settings.setmodule(importlib.reload(project))
    assert Config.read({**settings, "EVOCRAWL_QUERY": "coral"}).store == store
