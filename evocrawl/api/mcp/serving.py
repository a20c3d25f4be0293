"""Runs the server: on standard input and output, or over HTTP on this machine, with a token."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn

from evocrawl.api.mcp.crawls import Crawls
from evocrawl.api.mcp.server import make_server

LOOPBACK = "127.0.0.1"
PATH = "/mcp"

App = Callable[[Any, Any, Any], Awaitable[None]]


def serve_stdio(crawls: Crawls) -> None:
    """Serve one client on standard input and output until it closes them."""

    async def run() -> None:
        async with crawls:
            await make_server(crawls).run_stdio_async()

    asyncio.run(run())


def serve_http(crawls: Crawls, port: int, token: str, announce: Callable[[str], None]) -> None:
    """Serve clients with `token` on a port of 127.0.0.1 until Ctrl-C; 0 is any free port.

    Calls `announce` with the address once it listens.
    """

    async def run() -> None:
        async with crawls:
            await _Announced(http_app(crawls, token), port, announce).serve()

    asyncio.run(run())


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
            uvicorn.Config(app, host=LOOPBACK, port=port, log_level="warning", ws="none")
        )
        self._announce = announce

    async def startup(self, sockets: Any = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            self._announce(f"http://{LOOPBACK}:{port}{PATH}")
