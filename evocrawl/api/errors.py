"""Errors of crawls that a program runs. What a setting or a store is wrong in, is in core."""

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
    """The crawl has no page of the address `url`."""

    def __init__(self, url: str) -> None:
        super().__init__(f"the crawl has no page {url[:300]!r}")
        self.url = url


class NotReadyError(CrawlError):
    """The crawl has not begun, or is over."""


FAILURES = {
    "seeds_failed": "no seed has brought a page; see the log of the crawl",
    "state_failed": "the store cannot be written; see the log of the crawl",
    "recording_failed": "the recording cannot be written; see the log of the crawl",
    "warc_failed": "the WARC files cannot be written; see the log of the crawl",
}
"""Stop reasons of crawls that have failed, in words."""

_OF_CORE: dict[str, type[EvocrawlError]] = {"StateError": StateError, "QueryError": QueryError}


def error_of(described: Mapping[str, Any], log: str = "") -> EvocrawlError:
    """Return the error that a crawl has described; see `evocrawl.adapter.hosted.host`.

    `log` is the last line of the crawl's log, for an error that is not evocrawl's own.
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
