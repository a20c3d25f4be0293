"""Scripts that pages share are kept within bounds, for any answer of a site."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from evocrawl.adapter.browser import parts
from evocrawl.adapter.browser.parts import Asked, PageParts


class Engine:
    """Answers each request with the same body, and notes its address."""

    def __init__(self, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.downloader = SimpleNamespace(total_concurrency=16)
        self.urls: list[str] = []
        self._body = body
        self._headers = headers

    async def download_async(self, request: Request) -> Response:
        self.urls.append(request.url)
        return Response(request.url, body=self._body, headers=self._headers)


def _get(engine: Engine, urls: list[str]) -> PageParts:
    crawler: Any = SimpleNamespace(engine=engine, settings=Settings())
    crawler.stats = MemoryStatsCollector(crawler)
    shared = PageParts(crawler)

    async def get() -> None:
        for url in urls:
            asked = Asked(url, "GET", "script", {}, None)
            part = await shared.get(asked, Request("http://a.test/"), 1)  # type: ignore[arg-type]
            assert part is not None

    asyncio.run(get())
    return shared


@pytest.mark.parametrize("body", [b"", b"x", b"x" * 3_000], ids=len)
@pytest.mark.parametrize("headers", [{}, {"X-Long": "y" * 2_000}], ids=["plain", "long header"])
def test_scripts_with_an_address_of_their_own_for_each_page_do_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch, body: bytes, headers: dict[str, str]
) -> None:
    """Also empty ones: their addresses and headers take memory, too."""
    monkeypatch.setattr(parts, "_SHARED_BYTES", 40_000)
    urls = [f"http://a.test/app.js?v={number}" for number in range(200)]
    engine = Engine(body, headers)
    shared = _get(engine, [*urls, urls[-1]])
    assert engine.urls == urls
    assert 1 <= len(shared._shared) <= 40
    assert list(shared._shared) == urls[-len(shared._shared) :]
    assert 0 < shared._shared_bytes <= 40_000


def test_a_script_that_is_used_again_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was not used for the longest time goes first."""
    monkeypatch.setattr(parts, "_SHARED_BYTES", 20_000)
    often = "http://a.test/app.js"
    urls = [url for number in range(100) for url in (often, f"http://a.test/{number}.js")]
    engine = Engine(b"x" * 2_000)
    _get(engine, urls)
    assert engine.urls.count(often) == 1
    assert len(engine.urls) == 101
