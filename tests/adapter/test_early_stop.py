"""Ctrl-C before a crawl begins: which processes it ends with one line."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from evocrawl.adapter.early_stop import end_command_in_one_line


@pytest.fixture
def handler() -> Iterator[Any]:
    """Return what sets the handler of SIGINT; the handler of before is set again at the end."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("arguments", "before", "is_changed"),
    [
        (["scrapy", "crawl", "evospider"], signal.default_int_handler, True),
        (["scrapy", "--nolog", "runspider", "spider.py"], signal.default_int_handler, True),
        (["scrapy", "shell", "crawl"], signal.default_int_handler, False),
        (["script.py"], signal.default_int_handler, False),
        (["scrapy", "crawl", "evospider"], signal.SIG_IGN, False),
    ],
)
def test_a_crawl_that_has_not_begun_ends_in_one_line(
    handler, monkeypatch: pytest.MonkeyPatch, arguments: list[str], before: Any, is_changed: bool
) -> None:
    """A shell, a script and a process that ignores Ctrl-C keep their handlers."""
    monkeypatch.setattr(sys, "argv", arguments)
    handler(before)
    end_command_in_one_line()
    assert (signal.getsignal(signal.SIGINT) != before) == is_changed
