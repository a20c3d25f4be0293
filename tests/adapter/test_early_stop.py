"""Ctrl-C before a crawl or a command begins ends some processes with one line."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from processes import interrupted

from evocrawl.adapter import early_stop

COMMAND_LINE = """
def execute(do, cmdname=None):
    do()
"""


@pytest.fixture
def handler() -> Iterator[Any]:
    """Return a function that sets the handler of SIGINT.

    The earlier handler is restored at the end.
    """
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


def in_scrapy(*names: str) -> Callable[[Callable[[], None]], None]:
    """Return what calls a function as Scrapy's command line does, knowing the command or not."""
    scope: dict[str, Any] = {"__name__": "scrapy.cmdline"}
    exec(COMMAND_LINE, scope)
    return lambda do: scope["execute"](do, *names)


def in_script(do: Callable[[], None]) -> None:
    do()


@pytest.mark.parametrize(
    ("call", "arguments", "before", "is_changed"),
    [
        (in_scrapy(), ["scrapy", "crawl", "evospider"], signal.default_int_handler, True),
        (in_scrapy(), ["scrapy", "--nolog", "runspider", "x.py"], signal.default_int_handler, True),
        (in_scrapy("crawl"), ["scrapy", "evospider"], signal.default_int_handler, True),
        (in_scrapy("shell"), ["scrapy", "crawl"], signal.default_int_handler, False),
        (in_scrapy(), ["scrapy", "shell", "crawl"], signal.default_int_handler, False),
        (in_script, ["script.py", "crawl"], signal.default_int_handler, False),
        (in_scrapy(), ["scrapy", "crawl", "evospider"], signal.SIG_IGN, False),
    ],
)
def test_a_crawl_that_has_not_begun_ends_in_one_line(
    handler, monkeypatch: pytest.MonkeyPatch, call, arguments: list[str], before, is_changed: bool
) -> None:
    """A shell, a script and a process that ignores Ctrl-C keep their handlers."""
    monkeypatch.setattr(sys, "argv", arguments)
    handler(before)
    call(early_stop.end_crawl_in_one_line)
    assert (signal.getsignal(signal.SIGINT) != before) == is_changed


@pytest.mark.parametrize(
    ("program", "before", "is_changed"),
    [
        ("/usr/bin/evocrawl", signal.default_int_handler, True),
        ("/usr/bin/evocrawl", signal.SIG_IGN, False),
        ("script.py", signal.default_int_handler, False),
    ],
)
def test_a_command_raises_again_once_it_runs(
    handler, monkeypatch: pytest.MonkeyPatch, program: str, before: Any, is_changed: bool
) -> None:
    """Only the process of the command `evocrawl` is changed, and only until then."""
    monkeypatch.setattr(sys, "argv", [program, "sim"])
    handler(before)
    early_stop.end_command_in_one_line()
    assert (signal.getsignal(signal.SIGINT) != before) == is_changed
    early_stop.raise_again()
    assert signal.getsignal(signal.SIGINT) == before


IMPORTS = """
import builtins, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
importing = builtins.__import__

def slow_import(name, *arguments):
    if name == {slow!r}:
        print("up", flush=True)
        for _ in range(600):
            time.sleep(0.1)  # a signal just before a long sleep would wait for its end
    return importing(name, *arguments)

builtins.__import__ = slow_import
"""
OF_COMMAND = 'sys.argv = ["evocrawl", "sim"]\nfrom evocrawl.cli import main'
OF_PROJECT = """
scope = {"__name__": "scrapy.cmdline"}
exec("def execute():\\n cmdname = 'crawl'\\n import evocrawl\\n evocrawl.Addon", scope)
scope["execute"]()
"""


@pytest.mark.parametrize(
    ("slow", "program", "line"),
    [
        ("argparse", OF_COMMAND, "evocrawl: stopped\n"),
        ("scrapy", OF_PROJECT, "stopped by Ctrl-C before the crawl began\n"),
    ],
)
def test_ctrl_c_while_our_modules_are_imported_prints_one_line(
    slow: str, program: str, line: str
) -> None:
    """For a command, and for a project of one's own that names the add-on by its path."""
    code = IMPORTS.format(slow=slow) + program
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        errors = interrupted(child, 1)
    assert (child.returncode, errors) == (130, line)
