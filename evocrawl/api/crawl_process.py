"""Starts the process of a crawl and exchanges messages with it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from typing import Any

from evocrawl.api.errors import FAILURES, CrawlFailedError, NotReadyError, error_of
from evocrawl.api.page import Page
from evocrawl.api.status import CrawlStatus
from evocrawl.core.errors import EvocrawlError
from evocrawl.core.sanitize import mask_secrets, one_line

_COMMAND = ("-m", "evocrawl.adapter.hosted")
_LONGEST_LINE = 1 << 28
_LOG_LINES = 50
_ASKED_S = 60.0
_LAST_S = 10.0
"""Seconds that a process has to end after it was interrupted or closed."""


class CrawlProcess:
    """Runs one crawl in a separate process, and reads its messages.

    A separate process does not use the program's event loop, so any number of crawls may follow
    each other. Scrapy's reactor cannot be started twice in one process.
    """

    def __init__(self) -> None:
        self.pages: asyncio.Queue[Page | None] = asyncio.Queue()
        """Pages that were not read yet, at most the number asked for; None marks the end."""
        self.log: deque[str] = deque(maxlen=_LOG_LINES)
        """The last lines of the crawl's log."""
        self.last = CrawlStatus("starting")
        self.failure: EvocrawlError | None = None
        self._began = asyncio.Event()
        self._over = asyncio.Event()
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._readers: list[asyncio.Task[None]] = []

    async def start(self, job: Mapping[str, Any]) -> None:
        """Start the process; return when the crawl has begun. Raises the error if it cannot."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *_COMMAND,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._readers = [
            asyncio.create_task(self._read(self._process.stdout)),
            asyncio.create_task(self._read_log(self._process.stderr)),
        ]
        self._write({**job, "path": [each for each in sys.path if each]})
        await self._began.wait()
        if self.last.state == "starting" and self.failure is not None:
            await self.wait()
            raise self.failure

    @property
    def is_over(self) -> bool:
        """True once the process has ended and all its messages are read."""
        return self._over.is_set()

    async def ask(self, name: str, **more: Any) -> Any:
        """Return the crawl's answer. Raises CrawlError if it refuses or has ended."""
        if self._process is None or self.is_over:
            raise NotReadyError("the crawl is over" if self.is_over else "the crawl has not begun")
        number = next(self._numbers)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        self._write({"ask": number, "do": name, **more})
        try:
            return await asyncio.wait_for(answer, _ASKED_S)
        except TimeoutError:
            raise NotReadyError(f"the crawl does not answer within {_ASKED_S:.0f} s") from None
        finally:
            self._asked.pop(number, None)

    def take_more(self, pages: int) -> None:
        """Ask the crawl for more pages."""
        if not self.is_over:
            self._write({"more": pages})

    async def wait(self) -> None:
        """Wait until the process has ended."""
        await self._over.wait()

    async def end(self, grace_s: float) -> None:
        """End the crawl: cleanly, or at once if that takes longer than `grace_s`."""
        if self._process is None:
            return
        with suppress(EvocrawlError):
            await asyncio.wait_for(self.ask("stop"), grace_s)
        if not await self._is_over_within(grace_s):
            self._signal(signal.SIGTERM)
            if not await self._is_over_within(_LAST_S):
                self._signal(signal.SIGKILL)
        await self.wait()

    async def _is_over_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.send_signal(number)

    def _write(self, message: Mapping[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(OSError, RuntimeError):  # the process has ended; the reader will notice
            self._process.stdin.write(json.dumps(message).encode("ascii") + b"\n")

    async def _read(self, stream: asyncio.StreamReader) -> None:
        try:
            async for line in stream:
                self._take(json.loads(line))
        finally:
            await self._ended()

    def _take(self, message: dict[str, Any]) -> None:
        if "page" in message:
            self.pages.put_nowait(Page.of_message(message["page"]))
        elif "answer" in message:
            self._answered(message)
        elif "began" in message:
            self.last = CrawlStatus("running")
            self._began.set()
        elif "end" in message:
            self.last = CrawlStatus.of_message({**message["end"]["status"], "state": "finished"})
            reason = str(message["end"]["reason"])
            if reason in FAILURES:
                self.failure = CrawlFailedError(FAILURES[reason], reason)
        elif "error" in message:
            self.failure = error_of(message["error"], self._last_line())
            self._began.set()

    def _answered(self, message: dict[str, Any]) -> None:
        future = self._asked.get(message["answer"])
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(error_of(message["error"]))
        else:
            future.set_result(message["value"])

    async def _read_log(self, stream: asyncio.StreamReader) -> None:
        async for line in stream:
            self.log.append(mask_secrets(line.decode("utf-8", "replace").rstrip()))

    async def _ended(self) -> None:
        assert self._process is not None
        code = await self._process.wait()
        await asyncio.gather(self._readers[1], return_exceptions=True)
        if self._process.stdin is not None:
            self._process.stdin.close()
        if not self.last.is_over and self.failure is None:
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            last = f": {self._last_line()}" if self.log else ""
            self.failure = CrawlFailedError(f"the process of the crawl ended with {how}{last}")
        if not self.last.is_over and self.last.state != "starting":
            self.last = CrawlStatus("finished", reason="killed")
        for each in self._asked.values():
            if not each.done():
                each.set_exception(NotReadyError("the crawl is over"))
        self._over.set()
        self._began.set()
        self.pages.put_nowait(None)

    def _last_line(self) -> str:
        return one_line(self.log[-1], 300) if self.log else ""
