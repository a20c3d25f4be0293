"""Gives plain names to the private parts of scrapy-playwright that evocrawl uses.

It does not import scrapy-playwright, which is an extra.
`tests/adapter/browser/test_playwright_internals.py` fails when one of these parts changes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

ContextMaker = Callable[..., Awaitable[Any]]
"""Opens a browser context: ``await make(name=…, context_kwargs=…, spider=…)``; its wrapper has the
context as `context`."""
PageDownload = Callable[[Any, Any, Any], Awaitable[Any]]
"""Opens a request in a page: ``await download(request, page, spider)`` returns the response."""
Abort = Callable[[Any], Any]
"""Returns True, or an awaitable of it, for a request of a page that is to be aborted."""

_CONTEXT, _DOWNLOAD = "_create_browser_context", "_download_request_with_page"


class OpenHandler:
    """Mixed into scrapy-playwright's download handler, before it: plain names for its methods.

    A subclass overrides `new_context`, `count` and `route_of`, which the handler calls.
    """

    browser: Any
    config: Any
    context_wrappers: dict[str, Any]
    _launch: Callable[[], Awaitable[None]]
    _maybe_launch_browser: Callable[[], Awaitable[None]]

    async def start_driver(self) -> None:
        """Start the driver of Playwright, which starts the browser."""
        await self._launch()

    async def start_browser(self) -> None:
        """Start the browser unless it runs. A cold start may take longer than a page is allowed."""
        await self._maybe_launch_browser()

    async def try_browser(self) -> None:
        """Open and close an empty context; raises an exception if the browser does not work."""
        context = await self.browser.new_context()
        await context.close()

    def configure(self, launch_options: Mapping[str, Any]) -> None:
        """Set how the browser is launched; open no context at the start, and repeat no request."""
        self.config.launch_options = launch_options
        self.config.startup_context_kwargs = {}
        self.config.max_contexts = None
        self.config.target_closed_max_retries = 0

    def limit_navigation(self, timeout_s: float) -> None:
        """Set the seconds that a page of a new context has to open."""
        self.config.navigation_timeout_ms = 1000 * timeout_s

    async def new_context(self, name: str, options: dict[str, Any] | None, spider: Any) -> Any:
        """Open a browser context; return its wrapper, with the context as `context`."""
        return await super()._create_browser_context(name, options, spider)  # type: ignore[misc]

    def count(self, asked: Any) -> None:
        """Count a request of a page in the stats."""
        super()._increment_request_stats(asked)  # type: ignore[misc]

    def route_of(self, context_name: str) -> Any:
        """Return what answers the requests of the pages of a context."""
        raise NotImplementedError

    async def close_context(self, name: str) -> None:
        """Close a browser context if it is open."""
        wrapper = self.context_wrappers.pop(name, None)
        if wrapper is not None:
            with suppress(Exception):  # it is gone with its browser
                await wrapper.context.close()

    async def _create_browser_context(
        self, name: str, context_kwargs: dict[str, Any] | None, spider: Any = None
    ) -> Any:
        return await self.new_context(name, context_kwargs, spider)

    def _increment_request_stats(self, request: Any) -> None:
        self.count(request)

    def _make_request_handler(self, context_name: str, **_: Any) -> Any:
        return self.route_of(context_name)


def can_be_wrapped(handler: Any) -> bool:
    """Return whether a download handler has the functions that `wrap_…` replace."""
    return hasattr(handler, _CONTEXT) and hasattr(handler, _DOWNLOAD)


def wrap_contexts(handler: Any, make: ContextMaker) -> ContextMaker:
    """Make the handler open contexts by `make`; return what it has used."""
    wrapped: ContextMaker = getattr(handler, _CONTEXT)
    setattr(handler, _CONTEXT, make)
    return wrapped


def wrap_downloads(handler: Any, download: PageDownload) -> PageDownload:
    """Make the handler open pages by `download`; return what it has used."""
    wrapped: PageDownload = getattr(handler, _DOWNLOAD)
    setattr(handler, _DOWNLOAD, download)
    return wrapped


def wrap_aborts(handler: Any, aborts: Abort) -> Abort | None:
    """Ask `aborts` about the requests of a page; return what the project has set, None without."""
    wrapped: Abort | None = handler.abort_request
    handler.abort_request = aborts
    return wrapped
