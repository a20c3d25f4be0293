"""Reads lines of JSON from standard input and writes lines to a pipe, on the crawl's reactor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from twisted.internet.stdio import StandardIO
from twisted.protocols.basic import LineOnlyReceiver

_LONGEST_LINE = 1 << 20
_standard_io: Any = StandardIO  # its type stubs describe Windows


class LinePipe(LineOnlyReceiver):
    """Calls `on_message` for each line of standard input and `on_end` at its end, and sends lines.

    Lines wait in memory until the reader of descriptor `out` takes them.
    """

    delimiter = b"\n"
    MAX_LENGTH = _LONGEST_LINE

    def __init__(
        self, on_message: Callable[[dict[str, Any]], None], on_end: Callable[[], None], out: int
    ) -> None:
        self._on_message = on_message
        self._on_end = on_end
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: Any = _standard_io(self, stdin=0, stdout=out)

    def send(self, line: bytes) -> None:
        """Send a line."""
        if not self._closed.done():
            self._transport.write(line)

    async def close(self) -> None:
        """Close the pipe when all has been sent."""
        if not self._closed.done():
            self._transport.loseConnection()
            await self._closed

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 - Twisted's name
        """Hand over a message."""
        self._on_message(json.loads(line))

    def connectionLost(self, reason: Any = None) -> None:  # noqa: ARG002, N802 - Twisted's form
        """Note that the pipe is closed."""
        if not self._closed.done():
            self._closed.set_result(None)
            self._on_end()
