"""A dashboard in its own process, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping, Sized
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from processes import start

TESTS = Path(__file__).parent

TOKEN = "a-token-of-the-tests"


class Server:
    """The address of a dashboard."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of an answer; `_` in a header's name stands for -.

        After an answer that there were too many requests, it asks again.
        """
        while (answer := self._ask(path, method, body, headers))[0] == 429:
            time.sleep(0.5)
        return answer

    def _ask(
        self, path: str, method: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, Mapping[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def get(self, name: str, **headers: str) -> Any:
        """Return the JSON of a GET."""
        status, _, body = self.ask(f"/api/v1/{name}", **headers)
        assert status == 200, body
        return json.loads(body)

    def post(self, name: str, value: Any = None, **headers: str) -> tuple[int, Any]:
        """Return status and JSON of a POST with the token."""
        given = {"Authorization": f"Bearer {TOKEN}", "Content_Type": "application/json", **headers}
        body = json.dumps({} if value is None else value).encode()
        status, _, answer = self.ask(f"/api/v1/{name}", "POST", body, **given)
        return status, json.loads(answer)


@contextmanager
def served(store: Path | str) -> Iterator[Server]:
    """Run ``evocrawl dashboard`` on any free port."""
    environment = {**os.environ, "EVOCRAWL_DASHBOARD_TOKEN": TOKEN, "PYTHONPATH": str(TESTS)}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        command = ["dashboard", str(store), "--port", "0"]
        process = start("evocrawl_command", command, cwd=TESTS, environment=environment, output=out)
        try:
            while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/\S*\n", printed(out))):
                assert process.poll() is None, printed(out)
                time.sleep(0.02)
            yield Server(int(found[1]))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(120)


def until_quiet(log: Sized, *servers: Server) -> int:
    """Wait until the servers of a crawl that is paused send no request; return how many have come.

    Each answers fifteen times meanwhile, on a busy machine too, so that its requests under way
    have ended.
    """
    seen, calm = -1, 0
    while calm < 15:
        for each in servers:
            each.get("status")
        calm = calm + 1 if len(log) == seen else 0
        seen = len(log)
        time.sleep(0.2)
    return seen


def printed(file: Path) -> str:
    """Return the output of a program so far."""
    return file.read_text() if file.exists() else ""
