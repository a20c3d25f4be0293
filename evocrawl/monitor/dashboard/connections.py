"""Connections of viewers: how many there may be, how long a request may take, and how large it is.

The server is made of `twisted.web.http`, which Scrapy loads too. `twisted.web.server` would load
thirty further modules (Perspective Broker), a tenth of a second of each crawl.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

from twisted.web.http import HTTPChannel, HTTPFactory, Request

MOST_CONNECTIONS = 100
"""A crawl needs the open files of its process for its own requests."""
MOST_BODY_BYTES = 16 * 1024
WHOLE_S = 60
"""Seconds in which a request has to arrive as a whole."""


class Connections(HTTPFactory):
    """Accepts connections and calls `answer` with each request. Nothing is logged."""

    @staticmethod
    def protocol() -> Any:
        """Make a connection of the one kind, since browsers speak HTTP/2 only with TLS."""
        return Channel()

    def __init__(self, answer: Callable[[BoundedRequest], None], reactor: Any) -> None:
        super().__init__(timeout=WHOLE_S, reactor=reactor)
        self.answer = answer
        self.open: set[Channel] = set()

    def startFactory(self) -> None:  # noqa: N802 - Twisted's name
        """Begin no log."""

    def buildProtocol(self, addr: Any) -> Any:  # noqa: N802
        """Return a channel; None, which closes the connection, if there are too many."""
        if len(self.open) >= MOST_CONNECTIONS:
            return None
        channel: Any = super().buildProtocol(addr)
        self.open.add(channel)
        return channel

    def log(self, request: Any) -> None:
        """Do nothing."""


class BoundedRequest(Request):
    """A request whose body is small. Longer ones are refused before they are read."""

    channel: Any
    content: Any
    _is_refused = False

    def gotLength(self, length: int | None) -> None:  # noqa: N802
        """Refuse a body that is too long."""
        self.content = BytesIO()
        if length is not None and length > MOST_BODY_BYTES:
            self._refuse()

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        """Keep a part of the body; refuse a body that grows too long."""
        if self.content.tell() + len(data) > MOST_BODY_BYTES:
            self._refuse()
        else:
            self.content.write(data)

    def process(self) -> None:
        """Answer, unless the viewer does not read its earlier answers."""
        if self.channel.is_full:
            self.channel.transport.abortConnection()
        else:
            self.channel.factory.answer(self)

    def _refuse(self) -> None:
        if self._is_refused:
            return
        self._is_refused = True
        self.channel.transport.write(
            b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        self.channel.loseConnection()


class Channel(HTTPChannel):
    """One connection. `is_full` is True while its buffer is full: its viewer does not read."""

    requestFactory = BoundedRequest  # noqa: N815
    is_full = False

    def resetTimeout(self) -> None:  # noqa: N802
        """Do nothing: bytes that trickle in do not prolong the time for a request."""

    def pauseProducing(self) -> None:  # noqa: N802
        """Note that the buffer is full."""
        self.is_full = True
        super().pauseProducing()

    def resumeProducing(self) -> None:  # noqa: N802
        """Note that the viewer has read."""
        self.is_full = False
        super().resumeProducing()

    def connectionLost(self, reason: Any = None) -> None:  # noqa: N802
        """Make room for another connection."""
        self.factory.open.discard(self)
        super().connectionLost(reason)
