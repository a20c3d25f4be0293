"""Bounds the headers of a response: a server can send header lines without end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrapy.exceptions import DownloadFailedError

MOST_BYTES = 1024 * 1024
MOST_LINES = 1_000


class HeadersTooLongError(DownloadFailedError):
    """The headers of a response are longer than the limit."""


def bound_headers(pool: Any) -> None:
    """Make connections of a Twisted pool abort a response with too many headers.

    The limits are 1 MiB and 1 000 lines of status lines and headers, with folded lines and interim
    responses (1xx). Twisted itself bounds only the length of one line. Other pools stay as they
    are.
    """
    kind = getattr(pool, "_factory", None)
    if not isinstance(kind, type) or not hasattr(kind, "buildProtocol"):
        return

    class Bounded(kind):  # type: ignore[misc, valid-type]
        def buildProtocol(self, addr: Any) -> Any:  # noqa: N802 - Twisted's interface
            protocol = super().buildProtocol(addr)
            protocol.request = _bounded(protocol, protocol.request)
            return protocol

    pool._factory = Bounded


def _bounded(protocol: Any, request: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def send(what: Any) -> Any:
        answer = request(what)
        parser = protocol._parser
        if parser is not None:
            parser.lineReceived = _counted(protocol, parser.lineReceived)
        return answer

    return send


def _counted(protocol: Any, receive: Callable[[bytes], None]) -> Callable[[bytes], None]:
    lines = size = 0

    def count(line: bytes) -> None:
        nonlocal lines, size
        lines += 1
        size += len(line)
        if lines > MOST_LINES or size > MOST_BYTES:
            # Close at once: do not wait for a server that goes on sending.
            protocol.transport.abortConnection()
            raise HeadersTooLongError(
                f"more than {MOST_BYTES} bytes or {MOST_LINES} lines of headers"
            )
        receive(line)

    return count
