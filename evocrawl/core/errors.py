"""Errors a user can act on. Each carries the data its message is made of."""

from __future__ import annotations

from evocrawl.core.sanitize import mask_secrets

_SHOWN_CHARS = 300


class EvocrawlError(Exception):
    """Base of every error that evocrawl raises on purpose."""


class QueryError(EvocrawlError, ValueError):
    """The query holds nothing that a page could be compared with."""


class SettingError(EvocrawlError, ValueError):
    """A setting or spider argument is unknown, out of range or contradicts another.

    `name` is the setting, `value` what was given, `allowed` what would have been accepted.
    """

    def __init__(self, name: str, value: object, allowed: str) -> None:
        told = mask_secrets(repr(value))
        told = told if len(told) <= _SHOWN_CHARS else f"{told[:_SHOWN_CHARS]}…"
        super().__init__(f"{name} is {told}; allowed: {allowed}")
        self.name = name
        self.value = value
        self.allowed = allowed


class SettleError(EvocrawlError, RuntimeError):
    """A visit was settled twice, or was never opened."""


class PageBaseError(EvocrawlError, RuntimeError):
    """The page base was asked for something that would make it contradict itself."""


class StateError(EvocrawlError, RuntimeError):
    """A crawl's durable state cannot be used: another's, in use, damaged, or not to be written."""
