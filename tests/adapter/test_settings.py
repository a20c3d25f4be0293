"""The settings of evocrawl's own project."""

from __future__ import annotations

import importlib

import pytest
from scrapy.settings import Settings

from evocrawl.adapter import settings as project
from evocrawl.core.config.config import Config


@pytest.mark.parametrize("store", ["", "redis://:secret@redis.test/0"])
def test_the_store_can_be_set_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    """R22: an address with a password must not be an argument, which process lists show."""
    monkeypatch.delenv("EVOCRAWL_STORE", raising=False)
    if store:
        monkeypatch.setenv("EVOCRAWL_STORE", store)
    settings = Settings()
    settings.setmodule(importlib.reload(project))
    assert Config.read({**settings, "EVOCRAWL_QUERY": "coral"}).store == store
