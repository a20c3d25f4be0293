"""No server can write a control character or an extra line into the log."""

from __future__ import annotations

import io
import logging
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evocrawl.adapter import log_records
from evocrawl.adapter.log_records import harmless
from evocrawl.core.errors import SettingError

RUDE = "\x1b[2J\x07\x9b31m\x7f\r\x0b\x0c\x85\u2028\u2029\u202e\u2066\u061c\x00"
FORMAT = "%(asctime)s [%(name)s] %(levelname)s: %(message)s"


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Return the output of a handler that was added after the guard."""
    before = logging.getLogRecordFactory()
    log_records.install()
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logging.Formatter(FORMAT))
    monkeypatch.setattr(logging.root, "handlers", [handler])
    yield written
    logging.setLogRecordFactory(before)


def is_harmless(text: str) -> bool:
    """Return True if a text has no control, format or line-splitting characters."""
    kinds = {unicodedata.category(each) for each in text if each not in "\n\t"}
    return kinds.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})


@given(st.text(st.characters(codec=None)))
@example("a line that begins with a no-break space\n\xa0like a record")
def test_any_text_is_harmless(text: str) -> None:
    assert is_harmless(harmless(text))
    assert all(each[:1] in " \t{}]" for each in harmless(text).split("\n")[1:] if each)


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "M", "Zs"])))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text


def test_what_scrapy_writes_in_several_lines_keeps_its_form() -> None:
    text = "Dumping Scrapy stats:\n{'a': 1,\n 'b': [2,\n       3]}\n"
    assert harmless(text) == text


@pytest.mark.parametrize("name", ["scrapy.core.engine", "protego", "any.library"])
def test_any_logger_is_guarded(log: io.StringIO, name: str) -> None:
    """Arguments by position and by name, the message itself, objects and tracebacks."""
    logger = logging.getLogger(name)
    forged = f"\n2026-11-29 04:00:00 [{name}] ERROR: made up"
    logger.error("%s", RUDE + forged)
    logger.error("%(it)s", {"it": RUDE})
    logger.error(RUDE)
    logger.error(ValueError(RUDE))
    try:
        try:
            raise KeyError(RUDE)
        except KeyError as error:
            raise ValueError(RUDE + forged) from error
    except ValueError:
        logger.exception("it failed: %s", RUDE)
    written = log.getvalue()
    assert is_harmless(written)
    assert sum(line.startswith("20") for line in written.split("\n")) == 5
    assert "\nTraceback (most recent call last):\n  File" in written
    assert "\nValueError: \\x1b[2J" in written


def test_a_record_factory_of_the_project_is_kept(log: io.StringIO) -> None:
    before = logging.getLogRecordFactory()

    def own(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = logging.LogRecord(*args, **kwargs)
        record.mine = "mine"
        return record

    logging.setLogRecordFactory(own)
    try:
        log_records.install()
        log_records.install()
        logging.root.handlers[0].setFormatter(logging.Formatter("%(mine)s %(message)s"))
        logging.getLogger("own").error("a %s", RUDE)
    finally:
        logging.setLogRecordFactory(before)
    assert log.getvalue().startswith("mine a \\x1b[2J")
    assert is_harmless(log.getvalue())


def test_a_wrong_setting_is_one_line(log: io.StringIO) -> None:
    """asyncio reports the end of the crawl; other code logs its exceptions unchanged."""
    error = SettingError("cost", "-1", "a number from 0")
    for name in ("asyncio", "mine"):
        logging.getLogger(name).error("Task exception was never retrieved", exc_info=error)
    first, rest = log.getvalue().split("\n", 1)
    assert first.endswith("[evocrawl] ERROR: cost is '-1'; allowed: a number from 0")
    assert rest.count("SettingError: cost is '-1'") == 1
