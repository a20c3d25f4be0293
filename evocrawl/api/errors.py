"""Errors of crawls that a program runs. Errors of settings and stores are in `core`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evocrawl.core.errors import EvocrawlError, QueryError, SettingError, StateError


class CrawlError(EvocrawlError, RuntimeError):
    """A crawl cannot do what it was asked to do; the message says why."""


class CrawlFailedError(CrawlError):
    """The crawl has ended without success. `reason` is its stop reason, "" if it never began."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class UnknownPageError(CrawlError, LookupError):
    """The crawl has no page of an address, or of the number of a visit."""

    def __init__(self, page: str | int) -> None:
        shown = f"of visit {page}" if isinstance(page, int) else repr(page[:300])
        super().__init__(f"the crawl has no page {shown}")


class NotReadyError(CrawlError):
    """The crawl has not begun, or is over."""


FAILURES = {
    "seeds_failed": "no seed has brought a page; see the log of the crawl",
    "state_failed": "the store cannot be written; see the log of the crawl",
    "recording_failed": "the recording cannot be written; see the log of the crawl",
    "warc_failed": "the WARC files cannot be written; see the log of the crawl",
}
"""Words for the stop reasons of failed crawls."""

_OF_CORE: dict[str, type[EvocrawlError]] = {"StateError": StateError, "QueryError": QueryError}


def error_of(described: Mapping[str, Any], log: str = "") -> EvocrawlError:
    """Return the error from its description by a crawl; see `evocrawl.adapter.hosted.host`.

    `log` is the last line of the crawl's log; it is used for errors of other packages.
    """
    kind, message = str(described["kind"]), str(described["message"])
    if "allowed" in described:
        return SettingError(
            str(described["name"]),
            described["value"],
            str(described["allowed"]),
            str(described["hint"]),
        )
    if kind in _OF_CORE:
        return _OF_CORE[kind](message)
    if kind == "ControlError":
        return CrawlError(message)
    return CrawlFailedError(f"the crawl has failed: {kind}: {message or log}")
