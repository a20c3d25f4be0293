"""Ends the process with one line at Ctrl-C before a crawl or a command begins.

Python imports for a second or two before a crawl begins. In that time Ctrl-C would print the
traceback of the module that is being imported.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

_CRAWLS = ("crawl", "runspider")
_BEFORE_CRAWL = "stopped by Ctrl-C before the crawl began"
_STOPPED = "evocrawl: stopped"


def end_in_one_line(line: str = _BEFORE_CRAWL) -> None:
    """End this process with a line and exit code 130 at SIGINT, until another handler is set."""

    def end(*_: object) -> None:
        os.write(2, f"{line}\n".encode())
        os._exit(130)

    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, end)


def end_crawl_in_one_line() -> None:
    """Call `end_in_one_line` if this process is ``scrapy crawl``; it sets its own handler later.

    The handler of another program, or of a shell, stays as it is.
    """
    if _scrapy_command() in _CRAWLS and _is_default():
        end_in_one_line()


def end_command_in_one_line() -> None:
    """Call `end_in_one_line` if this process is the command ``evocrawl``."""
    if os.path.basename(sys.argv[0]) == "evocrawl" and _is_default():
        end_in_one_line(_STOPPED)


def raise_again() -> None:
    """Raise KeyboardInterrupt at SIGINT again, after `end_command_in_one_line`."""
    if getattr(signal.getsignal(signal.SIGINT), "__module__", "") == __name__:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_default() -> bool:
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _scrapy_command() -> str:
    """Return the name of Scrapy's command; "" in another program.

    Scrapy removes the name from the arguments before it imports the add-ons; then it is a local
    variable of the function that runs the command line.
    """
    frame = sys._getframe().f_back
    while frame is not None:
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) == ("scrapy.cmdline", "execute"):
            name = frame.f_locals.get("cmdname")
            return name or next((each for each in sys.argv[1:] if not each.startswith("-")), "")
        frame = frame.f_back
    return ""
