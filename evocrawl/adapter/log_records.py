"""Escapes control characters in the log records of all loggers.

Text of a server reaches the log through many libraries: a header that Scrapy cannot use, a value
in robots.txt, the message of an exception. Python makes all records of a process in one place, the
record factory. There each text is made harmless for all handlers, also for those added later.
"""

from __future__ import annotations

import logging
import re
import sys
from typing import Any

from scrapy.spiderloader import SpiderLoader

from evocrawl.adapter.exit_codes import MISTAKE
from evocrawl.core.config.hints import did_you_mean
from evocrawl.core.errors import QueryError, SettingError, StateError

_UNHANDLED = ("asyncio", "twisted")
"""Loggers that report uncaught exceptions."""
_FOR_USERS = (QueryError, SettingError, StateError)
_TAKEN = re.compile(r"_?crawl\w*\(\) got multiple values for argument '(\w+)'")
_NO_SPIDER = re.compile(r"Spider not found: (.*)")
_STEERING = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Control characters (C0 but tab and line feed, DEL, C1), separators of lines and paragraphs, marks
of the reading direction, and invisible characters (Unicode Cf). CWE-117, CVE-2021-42574."""
_NEXT_LINE = re.compile(r"\n(?![ \t\n{}\]]|\Z)")
_NEXT_OF_TRACEBACK = re.compile(
    r"\n(?![ \t\n]|\Z|Traceback \(most recent|The above exception|During handling of"
    r"|[\w.]+(?::|\n|\Z))"
)


def harmless(text: str) -> str:
    r"""Return `text` with escapes in place of characters that control a terminal or viewer.

    Each further line is indented unless it begins with a brace or bracket, so that none looks like
    another record.

    >>> harmless("rude \x1b[2J\x07\nERROR: made up")
    'rude \\x1b[2J\\x07\n  ERROR: made up'
    """
    if text.isprintable():
        return text
    return _NEXT_LINE.sub("\n  ", _STEERING.sub(_escaped, text))


def harmless_traceback(text: str) -> str:
    """Return a formatted traceback with the same escapes, in Python's layout."""
    return _NEXT_OF_TRACEBACK.sub("\n  ", _STEERING.sub(_escaped, text))


class HarmlessRecord(logging.LogRecord):
    """A record whose message and traceback are harmless.

    If asyncio or Twisted report that an error which the user can correct has ended the crawl (an
    invalid setting, a store that cannot be used), the record is that error's message.
    """

    def getMessage(self) -> str:  # noqa: N802 - logging's name
        """Return the harmless message. Formatters call this before they read the traceback."""
        if self.exc_info and self.name in _UNHANDLED:
            error = self.exc_info[1]
            if isinstance(error, _FOR_USERS):
                self.name, self.msg, self.args = "evocrawl", str(error), ()
                self.exc_info = None
        return harmless(super().getMessage())

    @property
    def exc_text(self) -> str | None:
        """The traceback as the first formatter has formatted it, with escapes."""
        return self.__dict__.get("exc_text")

    @exc_text.setter
    def exc_text(self, text: str | None) -> None:
        self.__dict__["exc_text"] = None if text is None else harmless_traceback(text)


def install() -> None:
    """Make all log records of this process harmless, also those of another factory.

    An error that the user can correct, and that ends the process, is printed in one line.
    """
    _say_in_one_line()
    made_before = logging.getLogRecordFactory()
    if made_before is HarmlessRecord or isinstance(made_before, _Factory):
        return
    is_plain = made_before is logging.LogRecord
    logging.setLogRecordFactory(HarmlessRecord if is_plain else _Factory(made_before))


def _say_in_one_line() -> None:
    """Make Python end without a traceback for errors that a user can correct."""
    hook = sys.excepthook
    if getattr(hook, "is_evocrawls", False):
        return

    def say(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        error = _as_mistake(error, trace)
        if not isinstance(error, _FOR_USERS):
            hook(kind, error, trace)
            return
        print(f"evocrawl: error: {harmless(str(error))}", file=sys.stderr)
        # Python exits with the code of a SystemExit that its hook raises.
        raise SystemExit(MISTAKE)

    say.is_evocrawls = True  # type: ignore[attr-defined]
    sys.excepthook = say


def _as_mistake(error: BaseException, trace: Any) -> BaseException:
    """Return the user's mistake that has caused an error of Scrapy; `error` if it is not known."""
    taken = _TAKEN.search(str(error)) if isinstance(error, TypeError) else None
    if taken is not None:
        return SettingError(
            taken[1], _argument(taken[1], trace), "a spider's argument of another name"
        )
    missing = _NO_SPIDER.fullmatch(str(error.args[0])) if isinstance(error, KeyError) else None
    if missing is not None:
        names = _spiders(trace)
        hint = did_you_mean(missing[1], names)
        return SettingError("SPIDER", missing[1], ", ".join(names) or "a spider of a project", hint)
    return error


def _spiders(trace: Any) -> list[str]:
    """Return the names of the project's spiders, as Scrapy's spider loader found them."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    loader = trace.tb_frame.f_locals.get("self")
    return sorted(loader.list()) if isinstance(loader, SpiderLoader) else []


def _argument(name: str, trace: Any) -> object:
    """Return the value of the spider's argument `name`, which Scrapy uses as its own parameter."""
    value: object = None
    while trace is not None:
        held = trace.tb_frame.f_locals
        given = held.get("kwargs") or getattr(held.get("opts"), "spargs", None) or {}
        value = given.get(name, value)
        trace = trace.tb_next
    return value


class _Factory:
    """Makes the records of a project's own record factory harmless."""

    def __init__(self, made_before: Any) -> None:
        self._made_before = made_before
        self._kinds: dict[type, type] = {}

    def __call__(self, name: str, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record: logging.LogRecord = self._made_before(name, *args, **kwargs)
        kind = type(record)
        if kind not in self._kinds:
            self._kinds[kind] = type(kind.__name__, (HarmlessRecord, kind), {})
        record.__class__ = self._kinds[kind]
        return record


def _escaped(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]
