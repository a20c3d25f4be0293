"""Exit codes of ``scrapy crawl`` for a crawl that could not begin or has failed.

===  ==========================================================================================
 1   the crawl has failed: its state or recording cannot be written, or no seed can be fetched
 2   the crawl has not begun: an argument, a setting or a file is wrong
===  ==========================================================================================

Scrapy's own command line returns 0 for every crawl with a spider, and 1 otherwise.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scrapy.utils.log import get_scrapy_root_handler
from twisted.logger import globalLogBeginner

from evocrawl.adapter.scrapy_internals import exit_with_failure, prints_errors, running_command
from evocrawl.core.errors import EvocrawlError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

MISTAKE = 2
"""Exit code for a wrong argument, setting or file, as in other commands."""

_FOLLOWING = {
    "scrapy.core.engine": ("Scraper close failure", "scrapy.core.scraper"),
    "scrapy.utils.signal": ("Error caught on signal handler", "scrapy.extensions.corestats"),
}
"""Errors that Scrapy logs when it closes a spider that it has not opened: by logger, the beginning
of the message and the module that raises it."""


@contextmanager
def refusing(crawler: Crawler) -> Iterator[None]:
    """Make ``scrapy crawl`` exit with 2 if the block raises an error that a user can act on.

    In a script only the exception of the crawl is raised.
    """
    try:
        yield
    except EvocrawlError:
        for name in _FOLLOWING:
            logging.getLogger(name).addFilter(_is_no_consequence)
        _leave_to_log()
        exit_with_failure(crawler)
        _exit_with_mistake()
        raise


def _leave_to_log() -> None:
    """Let the error of a CrawlerProcess be one record of the log.

    Nothing handles its Deferred: Twisted logs a heading and the error, and prints both to stderr as
    well until it is given an observer.
    """
    logging.getLogger("twisted").addFilter(_is_no_heading)
    if get_scrapy_root_handler() is not None and prints_errors():
        globalLogBeginner.beginLoggingTo([], redirectStandardIO=False, discardBuffer=True)


def _is_no_heading(record: logging.LogRecord) -> bool:
    return record.exc_info is not None or "Unhandled error in Deferred" not in str(record.msg)


def _exit_with_mistake() -> None:
    command = running_command()
    if command is not None:
        # Scrapy sets the attribute to 1 afterwards: a property keeps its own value.
        kind = type(command)
        fixed = property(lambda _: MISTAKE, lambda *_: None)
        command.__class__ = type(kind.__name__, (kind,), {"exitcode": fixed})


def _is_no_consequence(record: logging.LogRecord) -> bool:
    """Return False for an error that only says that the spider was never opened."""
    message, module = _FOLLOWING[record.name]
    trace = record.exc_info[2] if record.exc_info else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    is_there = trace is not None and trace.tb_frame.f_globals.get("__name__") == module
    return not (is_there and str(record.msg).startswith(message))
