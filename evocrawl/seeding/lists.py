"""Gives the addresses in a file or on the standard input, one a line."""

from __future__ import annotations

import asyncio
import sys
from itertools import islice
from typing import IO, ClassVar

from evocrawl.seeding.base import Fetch, Seed, SeedError, Topic, seed
from evocrawl.seeding.ranking import ranked

_MOST_LINES = 1_000_000
_LINE_CHARS = 10_000


class ListFile:
    """``file:urls.txt``; ``file:-`` and ``stdin:`` read the standard input.

    Empty lines and lines that begin with # are skipped; what follows an address is its title.
    """

    form: ClassVar[str] = "a file with an address a line, such as file:urls.txt; file:- for stdin"

    def __init__(self, argument: str) -> None:
        if not argument:
            raise ValueError(self.form)
        self._path = argument

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:  # noqa: ARG002 - the protocol
        """Return all addresses in the order of the file, without a limit."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> list[Seed]:
        try:
            if self._path == "-":
                return _seeds(sys.stdin)
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


def _seeds(lines: IO[str]) -> list[Seed]:
    read = (line[:_LINE_CHARS].strip() for line in islice(lines, _MOST_LINES))
    parts = [line.split(None, 1) for line in read if line and not line.startswith("#")]
    found = [seed(*each) for each in parts]
    if parts and not any(found):
        raise SeedError("it has no http(s) address")
    return ranked((each for each in found if each is not None), _MOST_LINES)
