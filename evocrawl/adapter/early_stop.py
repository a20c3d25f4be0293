"""Ends the process with one line at Ctrl-C before a crawl begins.

Python imports for a second or two before a crawl begins. In that time Ctrl-C would print the
traceback of the module that is being imported.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

_COMMANDS = ("crawl", "runspider")


def end_in_one_line() -> None:
    """End this process with one line and exit code 130 at SIGINT, until another handler is set."""
    signal.signal(signal.SIGINT, _end)


def end_command_in_one_line() -> None:
    """Call `end_in_one_line` if this process is ``scrapy crawl``; it sets its own handler later.

    The handler of another program, or of a shell, stays as it is.
    """
    command = next((each for each in sys.argv[1:] if not each.startswith("-")), "")
    is_first = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    is_main = threading.current_thread() is threading.main_thread()
    if command in _COMMANDS and is_first and is_main:
        end_in_one_line()


def _end(*_: object) -> None:
    os.write(2, b"stopped by Ctrl-C before the crawl began\n")
    os._exit(130)
