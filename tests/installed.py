"""Keeps the metadata of the installed packages in memory.

Scrapy asks all of them for commands at each start, which takes a tenth of a small crawl. Packages
in folders that are added to the path later are read when they are asked for.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import metadata
from itertools import chain

_PATH = frozenset(sys.path)
_INSTALLED = {each.name: each.entry_points for each in metadata.distributions()}


def _entry_points(**wanted: str) -> metadata.EntryPoints:
    added = [each for each in sys.path if each not in _PATH]
    others = {each.name: each.entry_points for each in metadata.distributions(path=added)}
    points = chain.from_iterable((_INSTALLED | others).values())
    return metadata.EntryPoints(points).select(**wanted)


metadata.entry_points = _entry_points
metadata.version = cache(metadata.version)
