"""A real Redis on a loopback port, from Debian's package, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import redis

PASSWORD = "a-Secret-0f-the-tests"
_NAMES = ("redis-server", "valkey-server")


def binary() -> str:
    """Return the server's program, installed where it is missing and may be."""
    for install in (lambda: None, _install):
        install()
        found = next(filter(None, map(shutil.which, _NAMES)), None)
        if found:
            return found
    raise RuntimeError("there is no redis-server, and apt-get cannot install it")


def _install() -> None:
    apt = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"]
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for step in (["update"], ["install", "-y", "--no-install-recommends", "redis-server"]):
        subprocess.run([*apt, *step], env=quiet, stdout=subprocess.DEVNULL, check=False)


class RedisServer:
    """Starts with an append-only file, so that it can be killed and started again."""

    def __init__(self, folder: Path, password: str = PASSWORD) -> None:
        self.password = password
        self.port = _free_port()
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For ``store=``, with the password in it."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGKILL)

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = {
            "port": self.port, "bind": "127.0.0.1", "requirepass": self.password, "save": "",
            "appendonly": "yes", "appendfsync": "always", "dir": self._folder,
        }  # fmt: skip
        line = [binary(), *(str(part) for name in options for part in (f"--{name}", options[name]))]
        self._process = subprocess.Popen(line, stdout=subprocess.DEVNULL)
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

    def wait_for(self, look: Callable[[], Any], timeout_s: float = 60.0) -> Any:
        """Return what `look` returns, once that is not None."""
        until_s = time.monotonic() + timeout_s
        while time.monotonic() < until_s:
            found = look()
            if found is not None:
                return found
            time.sleep(0.02)
        raise TimeoutError("it did not come to pass")

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
