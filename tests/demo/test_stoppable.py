"""Ctrl-C while modules are imported ends `make crawl` with one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from processes import interrupted

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_during_imports_prints_one_line(tmp_path: Path, times: int) -> None:
    """A second Ctrl-C prints no traceback either."""
    # A signal that comes just before a long sleep begins would be handled after it.
    sleep = "for _ in range(600):\n    time.sleep(0.1)\n"
    (tmp_path / "slow.py").write_text(f"import time\nprint('up', flush=True)\n{sleep}")
    with subprocess.Popen(
        [sys.executable, "-m", "demo.stoppable", "slow", "more"],
        cwd=ROOT,
        env={"PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        errors = interrupted(child, times)
    assert (child.returncode, errors) == (130, "stopped by Ctrl-C before the crawl began\n")


def test_a_module_runs_as_without_the_wrapper(tmp_path: Path) -> None:
    """With its own arguments and its exit code."""
    (tmp_path / "quick.py").write_text("import sys\nprint(sys.argv[1:])\nsys.exit(3)\n")
    done = subprocess.run(
        [sys.executable, "-m", "demo.stoppable", "quick", "a", "-b"],
        cwd=ROOT,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, "['a', '-b']\n")
