"""Runs a crawl as an asynchronous context manager and iterator."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Set
from contextlib import suppress
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any, Self, TypeVar

from evocrawl.api import stored
from evocrawl.api.crawl_process import CrawlProcess
from evocrawl.api.errors import NotReadyError
from evocrawl.api.page import Page, Result
from evocrawl.api.status import CrawlStatus
from evocrawl.core.config.config import Config
from evocrawl.monitor.explanation import Explanation

T = TypeVar("T")

_FILE = "crawl.sqlite"
_STOP_S = 60.0
_PATIENT = {"pipelines_wait_s": 1e9, "store_bodies": True, "progress_s": 0}
"""Options with another default: a page may wait for its reader for any time."""


class Crawl:
    """A crawl of evospider in a separate process.

    >>> async def read() -> None:
    ...     async with Crawl("coral bleaching", max_requests=500) as crawl:
    ...         async for page in crawl:
    ...             print(page.relevance, page.title)

    `options` are further arguments of evospider, like `query` and `seeds`; `settings` are Scrapy's,
    such as ``{"DOWNLOAD_DELAY": 0.5}``. The crawl is at most `pages_ahead` pages ahead of its
    reader, so that memory is bounded; None sends no pages, for a program that reads only status and
    results. Without `store` the crawl is kept in a temporary file that the end of the block
    removes. `stop_s` are the seconds in which the crawl has to end cleanly when the block is left.

    Raises SettingError at once for an unknown option or a value out of range. `start`, and so
    ``async with``, raises the errors that only the crawl can find: QueryError, StateError,
    SettingError or CrawlFailedError.
    """

    def __init__(
        self,
        query: str = "",
        seeds: str | Iterable[str] = (),
        *,
        store: str | Path = "",
        settings: Mapping[str, Any] | None = None,
        pages_ahead: int | None = 32,
        stop_s: float = _STOP_S,
        **options: Any,
    ) -> None:
        if pages_ahead is not None and pages_ahead < 1:
            raise ValueError(f"pages_ahead is {pages_ahead}; allowed: a number from 1, or None")
        self.query = query
        self._pages_ahead = pages_ahead
        self._stop_s = stop_s
        self._settings = dict(settings or {})
        given = {"query": query, "seeds": _plain(seeds), "store": str(store)}
        self._options = _PATIENT | {name: _plain(value) for name, value in options.items()}
        self._options |= {name: value for name, value in given.items() if value}
        evocrawls = {name: _plain(value) for name, value in self._settings.items()}
        Config.read(evocrawls, self._options)
        self._process = CrawlProcess()
        self._folder: str | None = None
        self._has_begun = False

    @property
    def store(self) -> str:
        """The store of the crawl; "" before it begins without one."""
        return str(self._options.get("store", ""))

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Begin the crawl, or continue the one in its store. ``async with`` calls it."""
        if self._has_begun:
            raise NotReadyError("the crawl has begun already; make another Crawl for another crawl")
        self._has_begun = True
        if not self.store:
            self._folder = tempfile.mkdtemp(prefix="evocrawl-")
            self._options["store"] = str(Path(self._folder, _FILE))
        job = {
            "arguments": self._options,
            "settings": {name: _plain(value) for name, value in self._settings.items()},
            "pages_ahead": self._pages_ahead,
        }
        try:
            await self._process.start(job)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Stop the crawl if it runs, and wait for its end. ``async with`` calls it."""
        if not self._has_begun:
            return
        ending = asyncio.ensure_future(self._process.end(self._stop_s))
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:
            await ending  # a cancelled task must not leave a crawl running
            raise
        finally:
            if self._folder is not None:
                await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def __aiter__(self) -> AsyncIterator[Page]:
        """Yield the pages as they come; end with the crawl. Raises CrawlFailedError if it fails."""
        if self._pages_ahead is None:
            raise NotReadyError("a crawl with pages_ahead=None sends no pages")
        self._check_begun()
        while (page := await self._process.pages.get()) is not None:
            yield page
            self._process.take_more(1)
        self._process.pages.put_nowait(None)  # another iteration ends too
        if self._process.failure is not None:
            raise self._process.failure

    async def wait(self) -> CrawlStatus:
        """Wait for the end of the crawl, without its pages; return its last status.

        Raises CrawlFailedError if the crawl fails.
        """
        self._check_begun()
        while await self._process.pages.get() is not None:
            self._process.take_more(1)
        self._process.pages.put_nowait(None)
        if self._process.failure is not None:
            raise self._process.failure
        return self._process.last

    async def status(self) -> CrawlStatus:
        """Return how far the crawl is."""
        self._check_begun()
        if self._process.is_over:
            return self._process.last
        try:
            return CrawlStatus.of_message(await self._process.ask("status"))
        except NotReadyError:
            return self._process.last

    async def results(self, count: int = 20, *, start: int = 0) -> list[Result]:
        """Return the pages so far, the most relevant first: `count` of them from `start` on."""
        return await self._from_store(stored.results, count, start)

    async def page(self, url: str) -> Page:
        """Return a page of the crawl. Raises UnknownPageError."""
        return await self._from_store(stored.page, url)

    async def why(self, url: str) -> Explanation:
        """Return why the crawl followed a link to `url`, or why it did not.

        Replays the journal, some milliseconds a page of the crawl.
        """
        return await self._from_store(stored.why, url, str(self._options.get("learnt", "")))

    async def feedback(self, url: str, *, relevant: bool) -> str:
        """Teach the running crawl that a page is relevant, or is not; return what has changed.

        Raises CrawlError for an address that the crawl has no page of, and after its end.
        """
        self._check_begun()
        answer = await self._process.ask("feedback", url=url, relevant=relevant)
        return str(answer["message"])

    async def stop(self) -> None:
        """Ask the crawl to end: requests under way are finished, and the store is closed."""
        self._check_begun()
        if not self._process.is_over:
            await self._process.ask("stop")

    async def commit(self) -> None:
        """Write all settled visits to the store, for programs that read it."""
        self._check_begun()
        if not self._process.is_over:
            with suppress(NotReadyError):  # it has ended: everything is in the store
                await self._process.ask("commit")

    def _check_begun(self) -> None:
        if not self._has_begun:
            raise NotReadyError("the crawl has not begun; use async with, or start()")

    async def _from_store(self, read: Callable[..., T], *arguments: Any) -> T:
        await self.commit()
        return await asyncio.to_thread(read, self.store, *arguments)


def _plain(value: Any) -> Any:
    """Return the JSON value of an option or a setting."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Set):
        return sorted(map(_plain, value))
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    return [_plain(each) for each in value]
