"""A server on loopback whose responses have endless headers."""

from __future__ import annotations

import socket
import threading
from typing import Self

BEGINS = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
MISSING = b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
KINDS = {
    "/lines": b"X-A: " + b"a" * 8_000 + b"\r\n",
    "/folded": b" " + b"a" * 8_000 + b"\r\n",
    "/short": b"X: a\r\n" * 1_000,
    "/interim": b"HTTP/1.1 100 Continue\r\n\r\n" * 400,
    "/one": b"X-A: " + b"a" * 60_000,
}
MOST_BYTES = 200_000_000


class Endless:
    """Sends the lines of `KINDS` by path, 200 MB at most, and counts; other paths are 404."""

    def __init__(self) -> None:
        self.sent: dict[str, int] = {}
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(caller,), daemon=True).start()

    def _answer(self, caller: socket.socket) -> None:
        with caller:
            asked = caller.recv(65_536).split(b" ")
            path = asked[1].decode() if len(asked) > 1 else ""
            lines = KINDS.get(path.partition("?")[0])
            try:
                if lines is None:
                    caller.sendall(
                        b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    )
                    return
                if not lines.startswith(b"HTTP/"):
                    caller.sendall(BEGINS)
                self.sent[path] = 0
                while self.sent[path] < MOST_BYTES:
                    caller.sendall(lines)
                    self.sent[path] += len(lines)
            except OSError:
                return
