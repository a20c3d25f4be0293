"""Python programs in processes of their own that begin with the imports done.

Starting Scrapy takes longer than most of the crawls made here, and nearly all of it is imports. So
a server does them once (see `warm`), and each program is a fork of it. A fork is a process like any
other, with its own directory, environment, signals and exit code. All forks have one seed of string
hashes; where that matters a program is started afresh, with another.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.context import ForkServerProcess
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from signal import SIGINT, SIGKILL, Signals

import pytest
from forked import run_program

_TESTS = Path(__file__).parent
_TIMEOUT_S = 600

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["warm"])  # in this folder; a package "tests" is installed, too


class Forked:
    """A running program, with the part of `subprocess.Popen`'s interface that tests need."""

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process
        assert process.pid is not None
        self.pid = process.pid

    @property
    def returncode(self) -> int | None:
        """Return the exit code, or minus the signal; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; raises TimeoutExpired."""
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0.0)
        return code

    def send_signal(self, by: Signals) -> None:
        """Send a signal, unless it has ended."""
        if self._process.exitcode is None:
            os.kill(self.pid, by)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(SIGKILL)


Process = Forked | subprocess.Popen[bytes]


@cache
def _start_server() -> None:
    """Start the server with this folder on its path; it is not given the path of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(_TESTS), prepend=os.pathsep)
        ensure_running()


def start(
    program: str,
    arguments: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    output: Path,
    errors: Path | None = None,
    strict: bool = False,
    hash_seed: int | None = None,
) -> Process:
    """Run ``python -m program``; what it prints is added to the file, pipe or terminal `output`.

    What it prints as errors is added to `errors`, or else to `output` too. `strict` makes errors of
    warnings about resources. With `hash_seed` it is no fork.
    """
    if hash_seed is not None:
        warned = ["-W", "error::ResourceWarning"] if strict else []
        line = [sys.executable, *warned, "-m", program, *arguments]
        seeded = {**environment, "PYTHONHASHSEED": str(hash_seed)}
        with output.open("ab") as out, (errors or output).open("ab") as err:
            return subprocess.Popen(line, cwd=cwd, env=seeded, stdout=out, stderr=err)
    printed = (str(output), str(errors or output))
    arguments_of_run = (program, list(arguments), str(cwd), dict(environment), printed, strict)
    _start_server()
    process = _context.Process(target=run_program, args=arguments_of_run, name=program, daemon=True)
    process.start()
    return Forked(process)


def run(
    program: str, arguments: Sequence[str], *, cwd: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m program`` to its end; return its exit code and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        out, errors = Path(folder, "out"), Path(folder, "errors")
        process = start(
            program, arguments, cwd=cwd, environment=environment, output=out, errors=errors
        )
        try:
            code = process.wait(_TIMEOUT_S)
        finally:
            process.kill()
        return subprocess.CompletedProcess(
            [program, *arguments], code, out.read_text(), errors.read_text()
        )


def interrupted(child: subprocess.Popen[str], times: int) -> str:
    """Send Ctrl-C `times` once the child has printed "up"; return what it writes to stderr."""
    assert child.stdout is not None
    assert child.stdout.readline() == "up\n"
    for _ in range(times):
        child.send_signal(SIGINT)
    return child.communicate(timeout=60)[1]
