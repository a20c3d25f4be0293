"""Connections of viewers are bounded in number, time and size."""

from __future__ import annotations

from typing import Any

from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from evocrawl.monitor.dashboard.connections import (
    MOST_BODY_BYTES,
    MOST_CONNECTIONS,
    WHOLE_S,
    Connections,
)

HEAD = b"POST /x HTTP/1.1\r\nHost: a\r\n"


class Transport(StringTransport):
    """A connection that notes that it was cut."""

    is_cut = False

    def abortConnection(self) -> None:  # noqa: N802 - Twisted's name
        self.is_cut = True


def listening() -> tuple[Connections, Clock, list[bytes]]:
    """A server that notes the body of each request and answers nothing."""
    clock, bodies = Clock(), list[bytes]()
    return Connections(lambda each: bodies.append(each.content.read()), clock), clock, bodies


def connected(server: Connections) -> tuple[Any, Transport]:
    channel, transport = server.buildProtocol(None), Transport()
    channel.makeConnection(transport)
    return channel, transport


def test_connections_are_limited_and_one_that_ends_makes_room() -> None:
    server, _, _ = listening()
    open_ = [connected(server)[0] for _ in range(MOST_CONNECTIONS)]
    assert server.buildProtocol(None) is None
    open_[3].connectionLost(None)
    assert server.buildProtocol(None) is not None


def test_a_request_that_trickles_in_is_cut_off() -> None:
    """Head or body: bytes do not prolong the time."""
    for head in (b"GET /", HEAD + b"Content-Length: 9000\r\n\r\n"):
        server, clock, bodies = listening()
        channel, transport = connected(server)
        channel.dataReceived(head)
        for _ in range(WHOLE_S + 1):
            channel.dataReceived(b"x")
            clock.advance(1)
        assert transport.disconnecting
        assert bodies == []


def test_a_body_is_bounded_however_it_comes() -> None:
    chunk = b"400\r\n" + b"x" * 1024 + b"\r\n"
    for head, parts in (
        (b"Content-Length: %d\r\n\r\n" % (MOST_BODY_BYTES + 1), []),
        (b"Transfer-Encoding: chunked\r\n\r\n", [chunk] * 17),
    ):
        server, _, bodies = listening()
        channel, transport = connected(server)
        for part in (HEAD + head, *parts):
            channel.dataReceived(part)
        assert transport.value().count(b" 413 ") == 1
        assert transport.disconnecting
        assert bodies == []


def test_a_viewer_that_does_not_read_its_answers_gets_no_further_one() -> None:
    server, _, bodies = listening()
    channel, transport = connected(server)
    channel.pauseProducing()
    channel.dataReceived(HEAD + b"Content-Length: 2\r\n\r\n{}")
    assert transport.is_cut
    assert bodies == []
    channel, transport = connected(server)
    channel.pauseProducing()
    channel.resumeProducing()
    channel.dataReceived(HEAD + b"Content-Length: 2\r\n\r\n{}")
    assert bodies == [b"{}"]
