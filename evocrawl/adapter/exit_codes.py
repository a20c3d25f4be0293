"""Exit codes of ``scrapy crawl`` for a crawl that could not begin or has failed.

===  ==========================================================================================
 1   the crawl has failed: its state or recording cannot be written, or no seed can be fetched
 2   the crawl has not begun: an argument, a setting or a file is wrong
===  ==========================================================================================

Scrapy's own command line returns 0 for every crawl that had a spider, and 1 otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evocrawl.adapter.scrapy_internals import exit_with_failure, running_command
from evocrawl.core.errors import EvocrawlError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

MISTAKE = 2
"""Exit code for a wrong argument, setting or file, as of other commands."""


@contextmanager
def refusing(crawler: Crawler) -> Iterator[None]:
    """Make ``scrapy crawl`` exit with 2 if the block raises an error that a user can act on.

    In a script, the exception of the crawl is all there is.
    """
    try:
        yield
    except EvocrawlError:
        exit_with_failure(crawler)
        _exit_with_mistake()
        raise


def _exit_with_mistake() -> None:
    command = running_command()
    if command is not None:
        # Scrapy sets the attribute to 1 afterwards: a property keeps its own value.
        kind = type(command)
        fixed = property(lambda _: MISTAKE, lambda *_: None)
        command.__class__ = type(kind.__name__, (kind,), {"exitcode": fixed})
