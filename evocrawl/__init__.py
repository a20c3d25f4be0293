"""A focused crawler whose frontier is a population of agents.

``ADDONS = {"evocrawl.Addon": 300}`` turns a Scrapy project into one, and `Crawl` runs a crawl from
a program. Both are imported on first use, so that agents, energy and simulator work without Scrapy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evocrawl.addon import Addon
    from evocrawl.api.crawl import Crawl

__all__ = ["Addon", "Crawl"]
__version__ = "0.1.0"

_ON_DEMAND = {"Addon": "evocrawl.addon", "Crawl": "evocrawl.api.crawl"}
"""The module of each name, imported when the name is first used."""


def __getattr__(name: str) -> object:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "Addon":  # its import takes a second, in which Ctrl-C may come
        import_module("evocrawl.adapter.early_stop").end_crawl_in_one_line()
    return getattr(import_module(_ON_DEMAND[name]), name)
