"""A request is checked again when its connection is made."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any

import pytest
from twisted.internet.defer import Deferred, succeed

from evocrawl.adapter.network.handlers import check_at_last


class Transport:
    """A transport that writes when the test says so, or is closed."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def doWrite(self) -> None:  # noqa: N802 - Twisted's name
        self.calls.append("written")

    def loseConnection(self) -> None:  # noqa: N802 - Twisted's name
        self.calls.append("closed")


class Wrapped:
    """The wrapper that TLS puts around a transport."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.loseConnection = transport.loseConnection


class Connection:
    def __init__(self, transport: Any) -> None:
        self.transport = transport
        self.asked: list[str] = []

    def request(self, what: str) -> str:
        self.asked.append(what)
        return "answer"


class Pool:
    """Hands out one connection, now or when it is made."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.made: Deferred[Connection] = succeed(connection)

    def getConnection(self, key: Any, endpoint: Any) -> Deferred[Connection]:  # noqa: N802
        assert (key, endpoint) == ("key", "endpoint")
        return self.made


class Handlers:
    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def _get_handler(self, scheme: str) -> Any:
        return self if scheme == "http" else object()


def checked(pool: Pool, check: Callable[[], None] | None) -> Any:
    """Ask for a connection while `check` is set; it is unset afterwards."""
    checks: ContextVar[Callable[[], None] | None] = ContextVar("checks", default=None)
    check_at_last(Handlers(pool), checks)

    def ask() -> Any:
        checks.set(check)
        return pool.getConnection("key", "endpoint")

    got: list[Any] = []
    copy_context().run(ask).addBoth(got.append)
    return got


@pytest.mark.parametrize("wrap", [lambda transport: transport, Wrapped])
def test_a_request_that_passes_the_check_is_written_at_once(
    wrap: Callable[[Transport], Any],
) -> None:
    """Over TLS, too; the next request on the same connection is sent as usual."""
    transport = Transport()
    pool = Pool(Connection(wrap(transport)))
    (connection,) = checked(pool, lambda: None)
    assert connection.request("one") == "answer"
    assert transport.calls == ["written"]
    assert connection.request("two") == "answer"
    assert transport.calls == ["written"]
    assert connection.asked == ["one", "two"]


def test_a_request_that_fails_the_check_is_not_sent() -> None:
    """B075: its connection was begun when the request was still allowed.

    The connection is closed.
    """

    def refuse() -> None:
        raise PermissionError("not ours any more")

    transport = Transport()
    pool = Pool(Connection(transport))
    pool.made = Deferred()
    got = checked(pool, refuse)
    assert got == []
    pool.made.callback(pool.connection)
    assert got[0].check(PermissionError)
    assert transport.calls == ["closed"]
    assert pool.connection.asked == []


def test_a_request_without_a_check_is_sent_unchanged() -> None:
    """The transport is the original one."""
    transport = Transport()
    pool = Pool(Connection(transport))
    (connection,) = checked(pool, None)
    connection.request("one")
    assert transport.calls == []
