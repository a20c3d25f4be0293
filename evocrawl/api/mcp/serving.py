"""Runs the server: on standard input and output, or over HTTP on this machine, with a token."""

from __future__ import annotations

import asyncio
import hmac
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from evocrawl.api.mcp.crawls import Crawls
from evocrawl.api.mcp.server import make_server

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
_ANSWERS_S = 5
"""Seconds that answers under way have when the server ends."""

App = Callable[[Any, Any, Any], Awaitable[None]]


def serve_stdio(crawls: Crawls) -> None:
    """Serve one client on standard input and output until it closes them.

    SIGINT (Ctrl-C) and SIGTERM end the process, with an exit code of 128 and their number, once the
    crawls are stopped.
    """

    async def run() -> None:
        stopped = _signals()
        async with crawls:
            serving = asyncio.ensure_future(make_server(crawls).run_stdio_async())
            await asyncio.wait((serving, stopped), return_when=asyncio.FIRST_COMPLETED)
        if not serving.done():
            # A thread waits for a line of standard input, and nothing can end its waiting.
            os._exit(128 + stopped.result())
        serving.result()

    asyncio.run(run())


def _signals() -> asyncio.Future[int]:
    """Return a future of the first SIGINT or SIGTERM, which ends nothing by itself."""
    loop = asyncio.get_running_loop()
    first: asyncio.Future[int] = loop.create_future()

    def note(number: int) -> None:
        if not first.done():
            first.set_result(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, note, number)
    return first


def serve_http(crawls: Crawls, port: int, token: str, announce: Callable[[str], None]) -> int:
    """Serve clients with `token` on a port of 127.0.0.1; 0 is any free port. Return the exit code.

    Calls `announce` with the address once it listens. SIGINT (Ctrl-C) and SIGTERM stop the crawls,
    so that calls that wait for them return, and then the server.
    """

    async def run() -> int:
        stopped = _signals()
        server = _Announced(http_app(crawls, token), port, announce)
        async with crawls:
            serving = asyncio.ensure_future(server.serve())
            await asyncio.wait((serving, stopped), return_when=asyncio.FIRST_COMPLETED)
            server.should_exit = True
        await serving
        return 128 + stopped.result() if stopped.done() else 0

    return asyncio.run(run())


def http_app(crawls: Crawls, token: str) -> App:
    """Return the ASGI application: the server behind its token.

    The protocol's library refuses other Host and Origin headers than those of this machine (DNS
    rebinding).
    """
    return guarded(make_server(crawls).streamable_http_app(streamable_http_path=PATH), token)


def guarded(app: App, token: str) -> App:
    """Return `app` for requests with ``Authorization: Bearer TOKEN``; others get 401 (RFC 6750)."""
    expected = f"Bearer {token}".encode()

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = [value for name, value in scope["headers"] if name == b"authorization"]
            if len(given) != 1 or not hmac.compare_digest(given[0], expected):
                await _refuse(send)
                return
        elif scope["type"] != "lifespan":
            return
        await app(scope, receive, send)

    return guard


async def _refuse(send: Any) -> None:
    body = b"this server needs its token: Authorization: Bearer TOKEN\n"
    headers = [
        (b"www-authenticate", b"Bearer"),
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class _Announced(uvicorn.Server):
    """A server that prints its address once it listens."""

    def __init__(self, app: App, port: int, announce: Callable[[str], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app, host=LOOPBACK, port=port, log_level="warning", ws="none",
                timeout_graceful_shutdown=_ANSWERS_S,
            )
        )  # fmt: skip
        self._announce = announce

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve_http`: uvicorn raises them again before crawls are stopped."""
        yield

    async def startup(self, sockets: Any = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            self._announce(f"http://{LOOPBACK}:{port}{PATH}")
