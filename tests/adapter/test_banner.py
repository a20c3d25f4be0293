"""Scrapy's lines about itself are not shown on a terminal that shows the table of the crawl."""

from __future__ import annotations

import logging
import sys
from typing import Any

import pytest

from evocrawl.adapter import banner
from evocrawl.adapter.banner import keep_off_terminal

LINES = [
    ("scrapy.utils.log", "Scrapy %(version)s started (bot: %(bot)s)"),
    ("scrapy.utils.log", "Versions:\n{}"),
    ("scrapy.addons", "Enabled addons:\n%(addons)s"),
    ("scrapy.crawler", "Overridden settings:\n%(settings)s"),
    ("scrapy.middleware", "Enabled %(componentname)ss:\n%(enabledlist)s"),
    ("scrapy.core.engine", "Spider opened"),
]


def levels(caplog: pytest.LogCaptureFixture) -> list[int]:
    """Return the levels at which Scrapy's lines are logged."""
    caplog.clear()
    words = {"version": 1, "bot": 2, "addons": [], "settings": 1}
    words |= {"componentname": "x", "enabledlist": ""}
    with caplog.at_level(logging.DEBUG):
        for name, line in LINES:
            logging.getLogger(name).info(line, words)
    return [record.levelno for record in caplog.records]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set whether stderr is a terminal, and the arguments of the spider."""

    def be(arguments: dict[str, str] | None = None, *, is_terminal: bool) -> None:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
        monkeypatch.setattr(banner, "spider_arguments", lambda: arguments or {})

    yield be
    be(is_terminal=False)
    keep_off_terminal({})


def test_on_a_terminal_the_lines_are_at_debug(caplog: pytest.LogCaptureFixture, terminal) -> None:
    """Other lines of the same loggers, and warnings, keep their level."""
    terminal(is_terminal=True)
    keep_off_terminal({})
    assert levels(caplog) == [logging.DEBUG] * len(LINES)
    with caplog.at_level(logging.INFO):
        caplog.clear()
        logging.getLogger("scrapy.core.engine").info("Closing spider (%(reason)s)", {"reason": "x"})
        logging.getLogger("scrapy.middleware").warning("Enabled twice")
    assert [record.levelno for record in caplog.records] == [logging.INFO, logging.WARNING]


@pytest.mark.parametrize(
    ("is_terminal", "settings", "arguments"),
    [
        (False, {}, {}),
        (True, {"EVOCRAWL_PROGRESS_S": 0}, {}),
        (True, {}, {"progress_s": "0"}),
        (True, {"LOG_FILE": "log"}, {}),
    ],
)
def test_without_the_view_the_lines_stay_as_scrapy_has_them(
    caplog: pytest.LogCaptureFixture, terminal, is_terminal: bool, settings: Any, arguments: Any
) -> None:
    """In a pipe, with a log file, or where the view is off; also after a crawl with the view."""
    terminal(is_terminal=True)
    keep_off_terminal({})
    terminal(arguments, is_terminal=is_terminal)
    keep_off_terminal(settings)
    assert levels(caplog) == [logging.INFO] * len(LINES)
