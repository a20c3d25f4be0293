"""A browser opens a number of pages, then a new one takes its place; those that fail end early."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from evocrawl.adapter.browser.browsers import Browsers, PageNotOpenedError
from evocrawl.adapter.exceptions import PageTooLarge


class Handler:
    """A substitute for a browser and its driver."""

    made: list[Handler]

    def __init__(self, _: Any) -> None:
        self.pages = self.pages_open = 0
        self.is_ended = False
        self.is_hung = False
        self.acts: list[str] = []
        self.made.append(self)

    async def launch(self) -> None:
        self.acts.append("launch")

    async def start_browser(self) -> None:
        await asyncio.sleep(0)

    async def close(self) -> None:
        self.acts.append("close")

    def kill_browser(self) -> None:
        self.acts.append("kill browser")

    def kill(self) -> None:
        self.acts.append("kill")

    async def try_browser(self) -> None:
        if self.is_hung:
            raise RuntimeError("it does not answer")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Handler]:
    """Return the browsers of the test in the order of their starts."""
    Handler.made = []
    monkeypatch.setattr("evocrawl.adapter.browser.handler.BrowserHandler", Handler)
    return Handler.made


def _run(most_pages: int, use: Callable[[Browsers], Awaitable[None]]) -> dict[str, Any]:
    crawler: Any = SimpleNamespace(settings=Settings())
    crawler.stats = MemoryStatsCollector(crawler)

    async def run() -> None:
        browsers = Browsers(crawler, most_pages)
        await use(browsers)
        await browsers.close()

    asyncio.run(run())
    stats: dict[str, Any] = crawler.stats.get_stats()
    return {name.rpartition("/")[2]: count for name, count in stats.items()}


@pytest.mark.parametrize(
    ("most_pages", "pages", "browsers"), [(3, 7, 3), (3, 6, 2), (1, 4, 4), (0, 9, 1), (100, 9, 1)]
)
def test_a_browser_opens_so_many_pages_and_ends(
    made: list[Handler], most_pages: int, pages: int, browsers: int
) -> None:
    """Each is closed once, and so is its driver; with 0 it stays until the end of the crawl."""

    async def use(each: Browsers) -> None:
        for _ in range(pages):
            async with each.take():
                pass

    stats = _run(most_pages, use)
    assert sum(each.pages for each in made) == pages
    assert len(made) == browsers == stats.get("replaced", 0) + 1
    assert all(each.acts == ["launch", "close", "kill"] for each in made)


def test_a_browser_ends_with_the_last_page_that_is_open_in_it(made: list[Handler]) -> None:
    """The pages that come after it do not wait for that."""

    async def use(each: Browsers) -> None:
        async with each.take() as old:
            async with each.take() as same, each.take() as new:
                assert same is old is made[0]
                assert new is made[1]
            await asyncio.sleep(0.01)
            assert made[0].acts == ["launch"]
        await asyncio.sleep(0.01)
        assert made[0].acts == ["launch", "close", "kill"]
        assert made[1].acts == ["launch"]

    assert _run(2, use) == {"replaced": 1}


@pytest.mark.parametrize("is_old", [False, True])
def test_a_browser_that_hangs_is_killed_once_for_all_its_pages(
    made: list[Handler], is_old: bool
) -> None:
    """Also one that has a successor already."""

    async def use(each: Browsers) -> None:
        async def hang(begun: asyncio.Event, going: asyncio.Event) -> None:
            async with each.take() as handler:
                begun.set()
                await going.wait()
                handler.is_hung = True
                raise TimeoutError

        going = asyncio.Event()
        pages = []
        for _ in range(2):
            begun = asyncio.Event()
            pages.append(asyncio.ensure_future(hang(begun, going)))
            await begun.wait()
        if is_old:
            async with each.take():
                pass
        going.set()
        for error in await asyncio.gather(*pages, return_exceptions=True):
            assert isinstance(error, TimeoutError)
        async with each.take() as handler:
            assert handler is made[1]

    stats = _run(2, use)
    assert stats == ({"restarts": 1, "replaced": 1} if is_old else {"restarts": 1})
    assert [each.acts for each in made] == [
        ["launch", "kill browser", "close", "kill"],
        ["launch", "close", "kill"],
    ]


@pytest.mark.parametrize(
    ("error", "seen"), [(ValueError, PageNotOpenedError), (PageTooLarge, PageTooLarge)]
)
def test_a_page_that_fails_does_not_cost_the_browser(
    made: list[Handler], error: type[Exception], seen: type[Exception]
) -> None:
    """The browser answers: the page is the cause."""

    async def use(each: Browsers) -> None:
        with pytest.raises(seen):
            async with each.take():
                raise error
        async with each.take():
            pass

    assert _run(0, use) == {}
    assert len(made) == 1
