"""The web server of the dashboard, on the reactor of the crawl itself (twisted.web)."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable, Generator, Mapping
from http import HTTPStatus
from typing import Any

from twisted.internet import reactor as the_reactor
from twisted.web.http import Request, datetimeToString

from evocrawl.core.errors import EvocrawlError
from evocrawl.core.sanitize import one_line
from evocrawl.monitor.dashboard.access import Access, Asked, is_loopback
from evocrawl.monitor.dashboard.api import Api, NotFoundError, ParameterError, Row
from evocrawl.monitor.dashboard.connections import Connections
from evocrawl.monitor.dashboard.explaining import Explainer
from evocrawl.monitor.dashboard.metrics import CONTENT_TYPE, metrics
from evocrawl.monitor.dashboard.openapi import description
from evocrawl.monitor.dashboard.page_files import page_files
from evocrawl.monitor.dashboard.source import Source
from evocrawl.monitor.dashboard.stream import Stream
from evocrawl.monitor.dashboard.turns import Task, Turns
from evocrawl.monitor.steps import Steps

logger = logging.getLogger(__name__)

Found = bytes | Steps[Row] | None
"""The body of an answer, or the steps that make its value; None if it comes by another way."""

_JSON = "application/json; charset=utf-8"
_HEADERS = {
    "Server": "evocrawl",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Dashboard:
    """A dashboard that listens; close it when the crawl ends.

    `address` is an IP address or "localhost", `port` 0 takes any free port. Raises OSError, or
    Twisted's CannotListenError, if the port is taken. With no `token` a random one is made.
    """

    def __init__(
        self, source: Source, address: str, port: int, token: str = "", reactor: Any = None
    ) -> None:
        reactor = reactor or the_reactor
        self.token = token or secrets.token_urlsafe(18)
        self._is_random = not token
        api = Api(source)
        self.stream = Stream(api.status, reactor)
        self.access = Access(address, port, self.token, reactor.seconds)
        answers = _Answers(
            api, self.access, self.stream, Explainer(source, reactor), Turns(reactor)
        )
        interface = "127.0.0.1" if address == "localhost" else address
        connections = Connections(answers.begin, reactor)
        self._port: Any = reactor.listenTCP(port, connections, 20, interface)
        self.access.port = self.port

    @property
    def port(self) -> int:
        """The port at which the server listens."""
        return int(self._port.getHost().port)

    @property
    def url(self) -> str:
        """The address for a browser, with a random token in its fragment, which is never sent."""
        address = self.access.address
        shown = f"[{address}]" if ":" in address else address
        return f"http://{shown}:{self.port}/{f'#token={self.token}' if self._is_random else ''}"

    def announce(self) -> None:
        """Log where the dashboard is."""
        logger.info("dashboard: %s", self.url)
        if not is_loopback(self.access.address):
            logger.warning(
                "dashboard: other machines can reach %s:%d, unencrypted; the token guards it",
                self.access.address,
                self.port,
            )

    def close(self) -> Any:
        """End all streams and stop listening; return Twisted's Deferred."""
        self.stream.close()
        return self._port.stopListening()


class _Answers:
    """Answers every address of the server."""

    def __init__(
        self, api: Api, access: Access, stream: Stream, explainer: Explainer, turns: Turns
    ) -> None:
        self._api = api
        self._access = access
        self._stream = stream
        self._explainer = explainer
        self._turns = turns
        self._assets = page_files()

    def begin(self, request: Request) -> None:
        """Answer a request soon; an unexpected exception gives a 500 without details."""
        task = Task(self._steps(request))
        request.notifyFinish().addErrback(lambda _: setattr(task, "is_wanted", False))
        self._turns.add(task)

    def _steps(self, request: Request) -> Steps[None]:
        for name, value in _HEADERS.items():
            request.setHeader(name, value)
        request.setHeader("Date", datetimeToString())
        try:
            found = self._answer(request)
            if isinstance(found, Generator):
                found = _json(request, (yield from found))
        except Exception as error:
            found = _failed(request, error)
        if found is not None:
            request.setHeader("Content-Length", str(len(found)))
            request.write(found)
            request.finish()

    def _answer(self, request: Request) -> Found:
        """Return the body of an answer, or the steps that make its value."""
        path = _path(request)
        is_asset = path in self._assets
        refused = self._access.refusal(_asked(request), is_asset=is_asset)
        if refused is not None:
            return _problem(request, *refused)
        method = _text(request.method)
        if is_asset and method in ("GET", "HEAD"):
            content, kind = self._assets[path]
            request.setHeader("Content-Type", kind)
            return content
        if path == "metrics" and method in ("GET", "HEAD"):
            request.setHeader("Content-Type", CONTENT_TYPE)
            return metrics(self._api.status(), self._api.source.record).encode()
        begin, _, name = path.partition("api/v1/")
        if begin or not name:
            return _problem(request, 404, "no such address")
        if method in ("GET", "HEAD"):
            return self._read(request, name)
        if method == "POST":
            return self._write(request, name)
        request.setHeader("Allow", "GET, HEAD, POST")
        return _problem(request, 405, "allowed methods: GET, HEAD, POST")

    def _read(self, request: Request, name: str) -> Found:
        if name == "openapi.json":
            return _json(request, description())
        if name == "events":
            return self._events(request)
        query = _query(request)
        if name == "explain":
            self._explainer.answer(request, query.get("url", ""), _json)
            return None
        if name.startswith("agents/"):
            return _json(request, self._api.agent(name.partition("/")[2]))
        return self._called(request, name, self._api.reads, query)

    def _write(self, request: Request, name: str) -> Found:
        if not _header(request, "content-type").startswith("application/json"):
            return _problem(request, 415, "the body must be application/json")
        try:
            body = json.loads(request.content.read() if request.content else b"")
        except (ValueError, RecursionError):
            raise ParameterError("the body is not valid JSON") from None
        if not isinstance(body, dict):
            raise ParameterError("the body must be a JSON object")
        return self._called(request, name, self._api.writes, body)

    def _called(
        self, request: Request, name: str, table: Mapping[str, Callable[[Any], Any]], argument: Any
    ) -> Found:
        call = table.get(name)
        if call is None:
            is_other = name in self._api.reads or name in self._api.writes
            if is_other:
                request.setHeader("Allow", "POST" if table is self._api.reads else "GET, HEAD")
            return _problem(request, 405 if is_other else 404, "no such address for this method")
        found = call(argument)
        return found if isinstance(found, Generator) else _json(request, found)

    def _events(self, request: Request) -> bytes | None:
        if request.method == b"HEAD":
            return b""
        request.setHeader("Content-Type", "text/event-stream; charset=utf-8")
        if not self._stream.add(request):
            return _problem(request, 503, "too many viewers")
        return None


def _failed(request: Request, error: Exception) -> bytes:
    """Return the body of an answer to an exception; only those of the API have details."""
    match error:
        case ParameterError():
            return _problem(request, 400, str(error))
        case NotFoundError():
            return _problem(request, 404, str(error))
        case EvocrawlError():
            return _problem(request, 409, str(error))
    logger.error("dashboard: a request for %s failed", _path(request), exc_info=error)
    return _problem(request, 500, "the server has failed; see the log of the crawl")


def _asked(request: Request) -> Asked:
    client = request.getClientAddress()
    return Asked(
        _text(request.method),
        _header(request, "host"),
        _header(request, "origin"),
        _header(request, "authorization"),
        getattr(client, "host", ""),
        _header(request, "sec-fetch-site"),
    )


def _header(request: Request, name: str) -> str:
    return request.getHeader(name) or ""


def _path(request: Request) -> str:
    return one_line(_text(request.path), 300).lstrip("/")


def _query(request: Request) -> dict[str, str]:
    """Return the parameters; of a repeated parameter the last value counts."""
    return {
        _text(name): values[-1].decode("utf-8", "replace") for name, values in request.args.items()
    }


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _json(request: Request, value: Any, status: int = 200) -> bytes:
    request.setResponseCode(status, HTTPStatus(status).phrase.encode())
    request.setHeader("Content-Type", _JSON)
    return json.dumps(value, allow_nan=False).encode("ascii")


def _problem(request: Request, status: int, reason: str) -> bytes:
    return _json(request, {"error": reason}, status)
