"""A loopback web whose hosts (127.0.0.x) answer as a test defines, and count every request."""

from __future__ import annotations

import socket
import struct
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


def reply(status: int = 200, body: bytes = b"", **headers: str) -> Answer:
    """Return a response with a body; ``Retry_After="1"`` becomes the header Retry-After."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def reset(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection with RST, without a response."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


class Web:
    """The server; `answers[host][path]` is scripted, other pages are 200 and other robots 404.

    `over` is set when the test ends, `dropped` when a client left a drip before it ended.
    """

    def __init__(self) -> None:
        self.answers: dict[str, dict[str, Answer]] = defaultdict(dict)
        self.hits: Counter[tuple[str, str]] = Counter()
        self.agents: set[str] = set()
        self.over = threading.Event()
        self.dropped = threading.Event()
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web._serve(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_: object) -> None:
                pass

        self._server = Server(("0.0.0.0", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def url(self, host: str, path: str) -> str:
        return f"http://{host}:{self.port}{path}"

    def robots(self, host: str, answer: Answer | bytes) -> None:
        scripted = reply(body=answer) if isinstance(answer, bytes) else answer
        self.answers[host]["/robots.txt"] = scripted

    def page_hits(self) -> dict[str, int]:
        """Return the requested paths except /robots.txt, with their hosts."""
        return {h + p: n for (h, p), n in sorted(self.hits.items()) if p != "/robots.txt"}

    def robots_hits(self, host: str) -> int:
        return self.hits[host, "/robots.txt"]

    def drip_until(self, event: threading.Event) -> Answer:
        """Send the headers at once, then a byte of the body every 50 ms until `event` or the test's end."""

        def drip(handler: BaseHTTPRequestHandler) -> None:
            # A client may close the connection before the first byte.
            try:
                handler.send_response(200)
                handler.end_headers()
                while not (event.wait(0.05) or self.over.is_set()):
                    handler.wfile.write(b"#")
            except OSError:
                self.dropped.set()

        return drip

    def until(self, event: threading.Event, answer: Answer) -> Answer:
        """Return `answer`, delayed until `event`."""

        def later(handler: BaseHTTPRequestHandler) -> None:
            event.wait(30)
            answer(handler)

        return later

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        host = handler.headers["Host"].split(":")[0]
        self.hits[host, handler.path] += 1
        self.agents.add(handler.headers.get("User-Agent", ""))
        known = self.answers[host].get(handler.path)
        if known is None:
            known = reply(404) if handler.path == "/robots.txt" else reply(body=b"page")
        known(handler)
