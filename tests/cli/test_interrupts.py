"""Ctrl-C while a command is imported ends it with one line."""

from __future__ import annotations

import subprocess
import sys

import pytest
from processes import interrupted

SLOW = """
import signal, time
from evocrawl import cli

def import_module(name):
    print("up", flush=True)
    for _ in range(600):
        time.sleep(0.1)  # a signal just before a long sleep would wait for its end

signal.signal(signal.SIGINT, signal.default_int_handler)
cli.import_module = import_module
raise SystemExit(cli.main(["sim", "world"]))
"""


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_during_imports_prints_one_line(times: int) -> None:
    """A second Ctrl-C prints no traceback either."""
    with subprocess.Popen(
        [sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        errors = interrupted(child, times)
    assert (child.returncode, errors) == (130, "evocrawl: stopped\n")
