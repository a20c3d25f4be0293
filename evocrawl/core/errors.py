"""Errors that a user can act on. Each has the data of its message as attributes."""

from __future__ import annotations

from evocrawl.core.sanitize import mask_secrets

_SHOWN_CHARS = 300


class EvocrawlError(Exception):
    """Base class of evocrawl's errors."""


class QueryError(EvocrawlError, ValueError):
    """The query contains no term to compare with pages."""


class SettingError(EvocrawlError, ValueError):
    """A setting or spider argument is unknown, out of range or contradicts another.

    `name` is the setting, `value` its value, `allowed` describes the accepted values.
    """

    def __init__(self, name: str, value: object, allowed: str) -> None:
        shown = mask_secrets(repr(value))
        shown = shown if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}…"
        super().__init__(f"{name} is {shown}; allowed: {allowed}")
        self.name = name
        self.value = value
        self.allowed = allowed


class SettleError(EvocrawlError, RuntimeError):
    """A visit was settled twice, or was never opened."""


class PageBaseError(EvocrawlError, RuntimeError):
    """The page base refused an operation that would make it inconsistent."""


class StateError(EvocrawlError, RuntimeError):
    """A crawl's stored state cannot be used: wrong crawl, in use, damaged or not writable."""
