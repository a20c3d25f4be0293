"""Connections kept alive: every try is counted, and none goes out where nobody listens."""

from __future__ import annotations

from typing import Any

from evocrawl.deadlines import keep_deadlines


def mend(handlers: Any) -> None:
    """Mend the pools and the patience of a downloader's handlers for http and https."""
    for scheme in ("http", "https"):
        keep_honest(getattr(handlers._get_handler(scheme), "_pool", None))
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


def _is_closing(transport: Any) -> bool:
    """Of a plain or a TLS transport."""
    return any(
        getattr(transport, name, False) for name in ("disconnecting", "_aborting", "_aborted")
    )
