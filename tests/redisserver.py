"""A real Redis on a loopback port, in its own folder."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import redis
from certificates import Certificate
from ports import free_port
from programs import REDIS, needed

PASSWORD = "a-Secret-0f-the-tests"


class RedisServer:
    """Starts with an append-only file, so that it can be killed and started again.

    With a `certificate` it speaks TLS and nothing else, and asks its clients for one of the same
    signer where `asks_clients`. With `by_socket` it is no server of the network. Without `keeps` it
    has no append-only file, and is empty after a restart. The test is skipped where Redis is not
    installed.
    """

    def __init__(
        self,
        folder: Path,
        password: str = PASSWORD,
        *,
        certificate: Certificate | None = None,
        asks_clients: bool = False,
        by_socket: bool = False,
        keeps: bool = True,
    ) -> None:
        self.password = password
        self.port = free_port()
        self._folder = folder
        self._certificate = certificate
        self._asks_clients = asks_clients
        self._keeps = keeps
        self._socket = folder / "redis.sock" if by_socket else None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Return the value of ``store=``, with the password and the files of certificates."""
        if self._socket is not None:
            return f"unix://:{self.password}@{self._socket}?db=0"
        url = f"redis://:{self.password}@127.0.0.1:{self.port}/0"
        if self._certificate is None:
            return url
        trusted = f"{url.replace('redis:', 'rediss:')}?ssl_ca_certs={self._certificate.chain}"
        if not self._asks_clients:
            return trusted
        own = self._certificate
        return f"{trusted}&ssl_certfile={own.chain}&ssl_keyfile={own.key}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGKILL)

    def start(self, *, wait: bool = True) -> None:
        """Start, and wait until it responds."""
        options = {
            "bind": "127.0.0.1", "requirepass": self.password, "save": "",
            "appendonly": "yes" if self._keeps else "no", "appendfsync": "always",
            "dir": self._folder, **self._doors(),
        }  # fmt: skip
        line = [
            needed(REDIS),
            *(str(part) for name in options for part in (f"--{name}", options[name])),
        ]
        self._process = subprocess.Popen(line, stdout=subprocess.DEVNULL)
        if wait:
            self.wait_for(lambda: self._answers() or None)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> None:
        """Stop the server, or kill it."""
        if self._process is not None:
            self._process.send_signal(by)
            self._process.wait()
            self._process = None

    def client(self) -> redis.Redis:
        """Return a client; close it, or use it in a with block."""
        return redis.Redis.from_url(self.url)

    def wait_for(self, look: Callable[[], Any], timeout_s: float = 300.0) -> Any:
        """Return the result of `look` when it is not None."""
        return await_value(look, timeout_s)

    def _doors(self) -> dict[str, object]:
        """Return the options that say where it listens."""
        if self._socket is not None:
            return {"port": 0, "unixsocket": self._socket}
        if self._certificate is None:
            return {"port": self.port}
        return {
            "port": 0, "tls-port": self.port, "tls-cert-file": self._certificate.chain,
            "tls-key-file": self._certificate.key, "tls-ca-cert-file": self._certificate.chain,
            "tls-auth-clients": "yes" if self._asks_clients else "no",
        }  # fmt: skip

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def await_value(look: Callable[[], Any], timeout_s: float = 300.0) -> Any:
    """Return the result of `look` when it is not None."""
    until_s = time.monotonic() + timeout_s
    while time.monotonic() < until_s:
        found = look()
        if found is not None:
            return found
        time.sleep(0.02)
    raise TimeoutError("it did not come to pass")
