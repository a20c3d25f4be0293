"""What a fork of the server in `processes` does: it runs one program as ``python -m`` would."""

from __future__ import annotations

import atexit
import gc
import os
import runpy
import sys
import warnings
from pathlib import Path

_TESTS = Path(__file__).parent

freeze = gc.freeze
"""Keeps the present objects out of garbage collection; crawls in a fork cannot do it."""


def run_program(
    program: str,
    arguments: list[str],
    cwd: str,
    environment: dict[str, str],
    printed: tuple[str, str],
    strict: bool,
) -> None:
    """Run it with its own directory, environment, path and output; the arguments are of `start`."""
    for stream, path in enumerate(printed, start=1):
        out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(out, stream)
        os.close(out)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    installed = [each for each in sys.path if not Path(each).is_relative_to(_TESTS)]
    added = [each for each in environment.get("PYTHONPATH", "").split(os.pathsep) if each]
    sys.path[:] = [cwd, *added, *installed]
    sys.argv[1:] = arguments
    if strict:
        warnings.simplefilter("error", ResourceWarning)
    _keep_the_servers_objects_frozen()
    try:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    except Exception as error:
        # As the interpreter does, with the hook that the program may have put in place.
        sys.excepthook(type(error), error, error.__traceback__)
        raise SystemExit(1) from None
    finally:
        # A process of `multiprocessing` leaves this out.
        atexit._run_exitfuncs()
        gc.collect()


def _keep_the_servers_objects_frozen() -> None:
    """Let a crawl neither freeze its objects nor release those of the server.

    A crawl freezes all objects at its start and releases all at its end. The collection at the end
    of the fork would visit the 140 000 objects of the server, too, and copy their memory: that
    takes as long as a small crawl. All objects of the fork itself are collected.
    """
    gc.freeze = gc.unfreeze = lambda: None
