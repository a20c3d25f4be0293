"""Gives the addresses in a file or on the standard input, one a line."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from io import TextIOWrapper
from itertools import islice
from typing import IO, ClassVar

from evocrawl.seeding.base import Fetch, Seed, SeedError, Topic, seed
from evocrawl.seeding.ranking import ranked

_MOST_LINES = 1_000_000
_LINE_CHARS = 10_000
_NONE = "it has no http(s) address"
_BOM = "\ufeff"
"""The byte order mark, with which some editors begin a file."""


class ListFile:
    """``file:urls.txt``; ``file:-`` and ``stdin:`` read the standard input.

    Empty lines and lines that begin with # are skipped; what follows an address is its title.
    """

    form: ClassVar[str] = "a file with an address a line, such as file:urls.txt; file:- for stdin"

    def __init__(self, argument: str) -> None:
        if not argument:
            raise ValueError(self.form)
        self._path = argument

    def check(self) -> None:
        """Raise SeedError for a file that is missing, cannot be read, or has no address.

        A pipe or a device, which can be read only once, is not read.
        """
        if self._path == "-":
            return
        try:
            kind = stat.S_IFMT(os.stat(self._path).st_mode)
            if kind not in (stat.S_IFREG, stat.S_IFDIR):
                return
            with open(self._path, encoding="utf-8", errors="replace") as lines:
                if not any(map(_seed_of, lines)):
                    raise SeedError(_NONE)
        except OSError as error:
            raise SeedError(error.strerror or str(error)) from error

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:  # noqa: ARG002 - the protocol
        """Return all addresses in the order of the file, without a limit."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> list[Seed]:
        try:
            if self._path == "-":
                return _seeds(_standard_input())
            with open(self._path, encoding="utf-8", errors="replace") as lines:
                return _seeds(lines)
        except OSError as error:
            raise SeedError(error.strerror or str(error)) from error


class StandardInput(ListFile):
    """``stdin:``."""

    form: ClassVar[str] = "nothing after the colon"

    def __init__(self, argument: str) -> None:
        if argument:
            raise ValueError(self.form)
        super().__init__("-")


def _standard_input() -> IO[str]:
    """Return the standard input, whose bytes that are no UTF-8 are replaced as in a file."""
    if sys.stdin is None or sys.stdin.closed:
        raise SeedError("there is no standard input")
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    return sys.stdin


def _seeds(lines: IO[str]) -> list[Seed]:
    found = [each for each in map(_seed_of, islice(lines, _MOST_LINES)) if each is not None]
    if not found:
        raise SeedError(_NONE)
    return ranked(found, _MOST_LINES)


def _seed_of(line: str) -> Seed | None:
    """Return the seed of a line, None if it is empty, a comment, or has no http(s) address."""
    parts = line[:_LINE_CHARS].lstrip(_BOM).split(None, 1)
    return seed(*parts) if parts and not parts[0].startswith("#") else None
