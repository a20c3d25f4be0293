"""A focused crawler whose frontier is a population of agents.

``ADDONS = {"evocrawl.Addon": 300}`` turns a Scrapy project into one. The add-on is imported when
it is asked for, so that agents, energy and simulator can be used without Scrapy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evocrawl.addon import Addon

__all__ = ["Addon"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name == "Addon":
        from evocrawl.addon import Addon

        return Addon
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
