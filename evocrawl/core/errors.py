"""Errors that a user can act on. Each has the data of its message as attributes."""

from __future__ import annotations

from evocrawl.core.sanitize import mask_secrets, one_line

_SHOWN_CHARS = 300


class EvocrawlError(Exception):
    """Base class of evocrawl's errors."""


class QueryError(EvocrawlError, ValueError):
    """The query contains no term to compare with pages."""


class UnknownWordsError(QueryError):
    """A relevance model knows no word of the query; in a mix, the other models go on without it.

    `language` is the one in which the query has to be, "" if that is not the reason.
    """

    def __init__(self, message: str, language: str = "") -> None:
        super().__init__(message)
        self.language = language


class SettingError(EvocrawlError, ValueError):
    """A setting or spider argument is unknown, out of range or contradicts another.

    `name` is the setting, `value` its value, `allowed` describes the accepted values, `hint` what
    the user probably meant ("" if unknown).
    """

    def __init__(self, name: str, value: object, allowed: str, hint: str = "") -> None:
        super().__init__(self._text(name, value, allowed, hint))
        self.name = name
        self.value = value
        self.allowed = allowed
        self.hint = hint

    @staticmethod
    def _text(name: str, value: object, allowed: str, hint: str) -> str:
        shown = mask_secrets(repr(value))
        shown = shown if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}…"
        hint = f"; {mask_secrets(one_line(hint))}" if hint else ""
        return f"{name} is {shown}; allowed: {allowed}{hint}"


class UnknownOptionError(SettingError):
    """A setting or argument has a name that evocrawl does not know.

    `allowed` is the nearest known name, as a question, or else all known names.
    """

    @staticmethod
    def _text(name: str, value: object, allowed: str, hint: str) -> str:  # noqa: ARG004 - as above
        advice = allowed if allowed.startswith("did you mean") else f"use {allowed}"
        return f"evocrawl has no option {one_line(name, _SHOWN_CHARS)}; {advice}"


class SettleError(EvocrawlError, RuntimeError):
    """A visit was settled twice, or was never opened."""


class PageBaseError(EvocrawlError, RuntimeError):
    """The page base refused an operation that would make it inconsistent."""


class StateError(EvocrawlError, RuntimeError):
    """A crawl's stored state cannot be used: wrong crawl, in use, damaged or not writable."""
