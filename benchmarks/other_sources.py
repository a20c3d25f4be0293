"""Runs a benchmark with this copy of evocrawl and with another one, each in its own process."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[1]


def parser_of(about: str | None) -> argparse.ArgumentParser:
    """Return a parser of the options `--against` and `--worker`; `about` is the module's text."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--against", default="", metavar="SOURCES")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    return parser


def trees_of(asked: argparse.Namespace) -> list[str]:
    """Return the folders with a copy of evocrawl: the one of `--against` if given, then this."""
    return [each for each in (asked.against, str(HOME)) if each]


def measured_in(tree: str, *arguments: str, **environment: str) -> Any:
    """Run this script with the copy in `tree`; return the JSON that it prints."""
    own = {**os.environ, "PYTHONPATH": tree, **environment}
    command = [sys.executable, str(Path(sys.argv[0]).resolve()), *arguments]
    done = subprocess.run(command, env=own, check=True, capture_output=True, cwd=tree)
    return json.loads(done.stdout)


def measured_by_trees(about: str | None, measure: Callable[[], Any]) -> list[tuple[str, Any]]:
    """Return each folder with what `measure` returns there, as JSON values.

    It reads the command line. In the process of one copy it prints the values and exits.
    """
    asked = parser_of(about).parse_args()
    if asked.worker:
        print(json.dumps(measure()))
        raise SystemExit
    return [(tree, measured_in(tree, "--worker", "all")) for tree in trees_of(asked)]
