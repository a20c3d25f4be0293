"""Runs a redis-server or valkey-server on loopback for a benchmark."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

NAMES = ("redis-server", "valkey-server")


def program() -> str | None:
    """Return the path of the server, None if there is none on the PATH."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def redis_server(*, append_only: bool = False) -> Iterator[int]:
    """Run a server in its own folder, with or without an append-only file; yield its port."""
    binary = program()
    if binary is None:
        raise SystemExit("there is no redis-server on the PATH")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    line = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "",
            "--appendonly", "yes" if append_only else "no"]  # fmt: skip
    with tempfile.TemporaryDirectory() as where:
        server = subprocess.Popen(line, cwd=where, stdout=subprocess.DEVNULL)
        try:
            while not _answers(port):
                time.sleep(0.05)
            yield port
        finally:
            server.kill()
            server.wait()


def _answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
