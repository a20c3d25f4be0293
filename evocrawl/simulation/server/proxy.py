"""A forward proxy on loopback that responds for many hosts: real HTTP without the real web.

A crawler with ``http_proxy=http://127.0.0.1:PORT`` sends requests in absolute form (RFC 9112
§3.2.2), ``GET http://host/path``, so one small server can serve any number of sites: pages,
redirects, errors, delays and broken connections. The proxy speaks http only and refuses CONNECT.
The idea is that of BUbiNG's ``NamedGraphServerHttpProxy``.

>>> with LoopbackProxy({"a.example": lambda request: Response(body=b"hello")}) as proxy:
...     proxy.url.startswith("http://127.0.0.1:")
True
"""

from __future__ import annotations

import asyncio
import inspect
import socket
import struct
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Self, TypeAlias
from urllib.parse import urlsplit

_MAX_BODY_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Request:
    """Request of a client; `path` includes the query, header names are lower case.

    `order` counts the requests of the proxy from 0, `at_s` is a monotonic time in seconds.
    """

    method: str
    host: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    order: int = 0
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Response:
    """Response of a site. A body that is an iterator is sent piece by piece, without a length.

    Content-Length, Content-Type (``text/html``) and Connection are added unless `headers` contain
    them (lower case), so a test can also send a wrong length.
    """

    status: int = 200
    body: bytes | AsyncIterator[bytes] = b""
    headers: Mapping[str, str] = field(default_factory=dict)


Site: TypeAlias = Callable[[Request], Response | Awaitable[Response]]
"""Returns the responses of one host; runs in the event loop, so a slow one must be a coroutine."""


class Reset(Exception):  # noqa: N818  # a site raises it on purpose; it is not an error
    """Raised by a site to break the connection (TCP RST) instead of a response."""


def redirect(location: str, status: int = 301) -> Response:
    """Return a redirect to `location`."""
    return Response(status, headers={"location": location})


def not_found(_: Request) -> Response:
    """Return a 404 response; the site of a host without pages."""
    return Response(404, b"<title>404</title><p>There is no such page.")


def bad_gateway(_: Request) -> Response:
    """Return a 502 response, as from a proxy that cannot reach the host."""
    return Response(502, b"<title>502</title><p>There is no such host.")


class LoopbackProxy:
    """Serves `sites` (by exact lower-case host name) from a thread, as a context manager.

    `delays` gives the seconds before every response of a host. `elsewhere` responds for hosts that
    are not in `sites`. With `port` 0 the system chooses a free port. `log` contains every request
    in the order of arrival. If a site raises an exception, the response is 500, and the first such
    exception is raised again at the end of the with block, so that a test cannot miss an error in
    its site. Raises OSError if the port is in use.
    """

    def __init__(
        self,
        sites: Mapping[str, Site],
        *,
        elsewhere: Site = bad_gateway,
        delays: Mapping[str, float] | None = None,
        port: int = 0,
    ) -> None:
        self.log: list[Request] = []
        self.port = port
        self._sites = dict(sites)
        self._elsewhere = elsewhere
        self._delays = dict(delays or {})
        self._errors: list[Exception] = []
        self._connections: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)

    @property
    def url(self) -> str:
        """The address for ``http_proxy``."""
        return f"http://127.0.0.1:{self.port}"

    def requested(self, host: str) -> list[str]:
        """Return the paths requested from `host`, in the order of arrival."""
        return [request.path for request in self.log if request.host == host]

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()
        except BaseException:
            self._stop_loop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._stop_loop()
        if self._errors and error is None:
            raise self._errors[0]

    def _stop_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except Reset:
            _reset(writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left or the with block ended: no response is needed
        except Exception as error:  # the body raised an exception
            self._errors.append(error)
            _reset(writer)
        finally:
            self._connections.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Respond to one request; return whether the connection stays open for another."""
        try:
            request, keep = await self._read(reader)
        except (ValueError, asyncio.LimitOverrunError):
            await _send(writer, Response(400), "GET", keep=False)
            return False
        self.log.append(request)
        if delay_s := self._delays.get(request.host, 0.0):
            await asyncio.sleep(delay_s)
        response = await self._answer(request)
        keep = keep and isinstance(response.body, bytes)
        await _send(writer, response, request.method, keep=keep)
        return keep

    async def _answer(self, request: Request) -> Response:
        site = self._sites.get(request.host, self._elsewhere)
        if request.method == "CONNECT" and site is not self._elsewhere:
            return Response(501, b"This proxy speaks http only.")
        try:
            answer = site(request)
            return await answer if inspect.isawaitable(answer) else answer
        except Reset:
            raise
        except Exception as error:
            self._errors.append(error)
            return Response(500)

    async def _read(self, reader: asyncio.StreamReader) -> tuple[Request, bool]:
        """Read one request. Raises ValueError if it is not HTTP/1."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")[:-2]
        method, target, version = first.split(" ")
        headers = {
            name.lower(): value.strip() for name, _, value in (h.partition(":") for h in lines)
        }
        host, path = _target(method, target, headers)
        length = int(headers.get("content-length", "0"))
        if not 0 <= length <= _MAX_BODY_BYTES or "transfer-encoding" in headers:
            raise ValueError("the request body has no length, or is too long")
        body = await reader.readexactly(length)
        wish = headers.get("connection", headers.get("proxy-connection", "")).lower()
        keep = version == "HTTP/1.1" and wish != "close"
        return Request(method, host, path, headers, body, len(self.log), time.monotonic()), keep


def _reset(writer: asyncio.StreamWriter) -> None:
    # With a linger time of 0 the kernel sends RST instead of FIN.
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def _target(method: str, target: str, headers: Mapping[str, str]) -> tuple[str, str]:
    """Return host and path of a request target in absolute, origin or authority form."""
    if method == "CONNECT":
        return (urlsplit(f"//{target}").hostname or "", "")
    parts = urlsplit(target if "://" in target else f"http://{headers.get('host', '')}{target}")
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError(f"not an http target: {target[:200]!r}")
    return parts.hostname, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


async def _send(
    writer: asyncio.StreamWriter, response: Response, method: str, *, keep: bool
) -> None:
    body = response.body
    headers = {"content-type": "text/html", "connection": "keep-alive" if keep else "close"}
    if isinstance(body, bytes):
        headers["content-length"] = str(len(body))
    headers |= response.headers
    phrase = HTTPStatus(response.status).phrase if response.status in _STATUSES else "-"
    lines = [f"HTTP/1.1 {response.status} {phrase}", *(f"{k}: {v}" for k, v in headers.items())]
    writer.write("\r\n".join((*lines, "", "")).encode("latin-1"))
    if method != "HEAD":
        if isinstance(body, bytes):
            writer.write(body)
        else:
            async for chunk in body:
                writer.write(chunk)
                await writer.drain()
    await writer.drain()


_STATUSES = frozenset(HTTPStatus)
