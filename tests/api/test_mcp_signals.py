"""Ctrl-C and SIGTERM end a server only after its crawls are stopped and its folder is removed."""

from __future__ import annotations

import asyncio
import os
import signal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from evocrawl.api.mcp.crawls import Crawls, Limits

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="mcp is not installed")
TOKEN = "a-token-for-this-test"


def _hit(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_http_server_after_its_crawls(number: signal.Signals) -> None:
    """uvicorn alone would raise the signal again, and so end the process before."""
    from evocrawl.api.mcp import serving  # its import takes seconds

    crawls = Crawls(Limits())
    folders: list[Path] = []

    def announce(url: str) -> None:
        assert url.startswith("http://127.0.0.1:")
        folders.append(crawls._folder)
        _hit(number)

    assert serving.serve_http(crawls, 0, TOKEN, announce) == 128 + number
    assert [each.exists() for each in folders] == [False]


def test_a_signal_ends_the_server_while_it_waits_for_standard_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing can end the thread that reads a line, so the process ends without it."""
    from evocrawl.api.mcp import serving

    crawls = Crawls(Limits())
    seen: list[tuple[int, bool]] = []

    class Waiting:
        async def run_stdio_async(self) -> None:
            assert crawls._folder.exists()
            asyncio.get_running_loop().call_soon(_hit, signal.SIGINT)
            await asyncio.Event().wait()

    def leave(code: int) -> Any:
        seen.append((code, crawls._folder.exists()))
        raise SystemExit(code)

    monkeypatch.setattr(serving, "make_server", lambda _: Waiting())
    monkeypatch.setattr(serving.os, "_exit", leave)
    with pytest.raises(SystemExit):
        serving.serve_stdio(crawls)
    assert seen == [(130, False)]
