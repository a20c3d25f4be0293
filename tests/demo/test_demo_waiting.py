"""No step of `make` is silent while it waits."""

from __future__ import annotations

import sys
from threading import Event

import pytest

from demo.waiting import announced, main


class Heard:
    """A stderr that signals when a text has been written."""

    def __init__(self, part: str) -> None:
        self.text, self._part, self.has_come = "", part, Event()

    def write(self, text: str) -> int:
        self.text += text
        if self._part in self.text:
            self.has_come.set()
        return len(text)

    def flush(self) -> None:
        """Do nothing."""


def test_a_line_is_printed_repeatedly_until_the_block_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the seconds that have passed."""
    heard = Heard("downloading … 0 s\ndownloading … 0 s\n")
    monkeypatch.setattr(sys, "stderr", heard)
    with announced("downloading", period_s=0.01):
        assert heard.has_come.wait(60)
    assert heard.text.startswith("downloading …\n")


def test_no_line_comes_once_the_wait_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    """After it the command prints its own lines."""
    asked = Event()

    def is_over() -> bool:
        asked.set()
        return True

    with announced("starting", is_over, period_s=0.01):
        assert asked.wait(60)
    assert capsys.readouterr().err == "starting …\n"


def test_the_exit_code_is_that_of_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    """A step that fails still fails."""
    assert main(["trying", sys.executable, "-c", "raise SystemExit(7)"]) == 7
    assert "trying …" in capfd.readouterr().err
