"""Scrapy under a wall clock that jumps an hour ahead or back each time it is read.

Twisted, which uses the wall clock itself, is not affected: it is imported before.
"""

from __future__ import annotations

import itertools
import time

import twisted.python.runtime  # noqa: F401

_real, _ahead_s = time.time, itertools.cycle((0.0, 3600.0, -3600.0))
time.time = lambda: _real() + next(_ahead_s)

if __name__ == "__main__":
    from scrapy.cmdline import execute

    execute()
