"""Connections kept alive: every try is counted, and none goes out where nobody listens."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from evocrawl.deadlines import keep_deadlines
from evocrawl.header_limits import bound_headers


def mend(handlers: Any) -> None:
    """Mend the pools and the patience of a downloader's handlers for http and https."""
    for scheme in ("http", "https"):
        pool = getattr(handlers._get_handler(scheme), "_pool", None)
        keep_honest(pool)
        bound_headers(pool)
    keep_deadlines(handlers)


def keep_honest(pool: Any) -> None:
    """Mend what Twisted's pool of kept-alive connections does behind a crawl's back.

    - It repeats a GET whose connection breaks before an answer, uncounted; Scrapy's own retry does
      so too, where the budget sees it.
    - It takes back a connection that is being closed from this side, as it is after an answer
      that was too large or of no use, and the next request dies on it unsent.

    What is no such pool is left alone.
    """
    if hasattr(pool, "retryAutomatically"):
        pool.retryAutomatically = False
    if not hasattr(pool, "_putConnection"):
        return
    put = pool._putConnection

    def put_if_open(key: Any, connection: Any) -> None:
        if not _is_closing(connection.transport):
            put(key, connection)

    pool._putConnection = put_if_open


def check_at_last(handlers: Any, checks: ContextVar[Callable[[], None] | None]) -> None:
    """Have each request checked once more when its connection stands, and then sent at once.

    While a connection is made the event loop turns, and a process may be stopped there for a
    minute. `checks` has the check of whoever sends a request; where it raises, nothing is sent.
    What uses no pool of connections is left alone.
    """
    for scheme in ("http", "https"):
        pool: Any = getattr(handlers._get_handler(scheme), "_pool", None)
        if hasattr(pool, "getConnection"):
            pool.getConnection = _checking(pool.getConnection, checks)


def _checking(get: Any, checks: ContextVar[Callable[[], None] | None]) -> Any:
    def get_checked(key: Any, endpoint: Any) -> Any:
        check = checks.get()
        connecting = get(key, endpoint)
        return connecting if check is None else connecting.addCallback(_checked, check)

    return get_checked


def _checked(connection: Any, check: Callable[[], None]) -> Any:
    try:
        check()
    except BaseException:
        connection.transport.loseConnection()
        raise
    send = connection.request

    def send_at_once(request: Any) -> Any:
        del connection.request
        answer = send(request)
        _flush(connection.transport)
        return answer

    connection.request = send_at_once
    return connection


def _flush(transport: Any) -> None:
    """Write what would be written when the event loop turns."""
    while not hasattr(transport, "doWrite") and hasattr(transport, "transport"):
        transport = transport.transport  # TLS lies upon TCP
    if hasattr(transport, "doWrite"):
        transport.doWrite()


def _is_closing(transport: Any) -> bool:
    """Of a plain or a TLS transport."""
    return any(
        getattr(transport, name, False) for name in ("disconnecting", "_aborting", "_aborted")
    )
