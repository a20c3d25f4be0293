"""When a page in the browser counts as loaded, and what becomes of requests without an answer."""

import asyncio
from typing import Any

import pytest
from programs import needs_chromium
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from evocrawl.adapter.browser.launching import launch_options
from evocrawl.adapter.browser.page_load import PageLoad
from evocrawl.adapter.browser.parts import PageParts
from evocrawl.core.model import VisitId

pytest.importorskip("playwright")


class BusyPage:
    """A page with a quiet network, whose scripts handle the last answer late or never."""

    def __init__(self, scripts_end: bool) -> None:
        self.has_handled = False
        self._scripts_end = scripts_end

    async def evaluate(self, expression: str) -> int:
        """Answer after the page has finished what it was doing."""
        del expression
        await (asyncio.sleep(0) if self._scripts_end else asyncio.Event().wait())
        self.has_handled = True
        return 0


def settled(page: BusyPage, timeout_s: float) -> PageLoad:
    """Load a page until it counts as loaded."""
    parts: Any = object.__new__(PageParts)
    url = "http://reef.test/"
    load = PageLoad(Request(url), Response(url), VisitId(1), parts, timeout_s, lambda: True)
    asyncio.run(load.settle(page))
    return load


def test_a_page_is_read_after_its_scripts_have_handled_the_last_answer() -> None:
    page = BusyPage(scripts_end=True)
    assert settled(page, 60).left_s == 0
    assert page.has_handled


def test_a_script_that_never_ends_holds_a_page_until_its_time_is_over() -> None:
    page = BusyPage(scripts_end=False)
    assert settled(page, 0.05).left_s == 0
    assert not page.has_handled


class LostCookies:
    """The cookies of a page whose browser does not give them: it hangs or has died."""

    def keep(self, rows: object) -> None:
        """Fail, as a request to a closed browser does."""
        raise RuntimeError(f"no cookies can be kept: {rows}")


async def _opened(load: PageLoad) -> tuple[str, int]:
    """Return the title of a page when it is closed, and the number of tasks that still wait."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**launch_options({"timeout": 0}, {}))
        page = await browser.new_page()
        await page.route("**", load.route)
        await page.goto(load.response.url, wait_until="domcontentloaded", timeout=0)
        await page.wait_for_function("document.title", timeout=120_000)
        title = await page.title()
        await browser.close()
    return title, len(asyncio.all_tasks()) - 1


@pytest.mark.takes_s(5)
@needs_chromium
def test_a_request_that_cannot_be_answered_fails_and_nothing_waits_for_it() -> None:
    """A task that waits is destroyed some day, with an error in the log of the crawl."""
    url, parts, cookies = "http://reef.test/", object.__new__(PageParts), LostCookies()
    body = "<script>fetch('/api').catch(() => { document.title = 'failed' })</script>"
    response = HtmlResponse(url, body=body, encoding="utf-8", headers={"Content-Type": "text/html"})
    given: Any = cookies
    load = PageLoad(Request(url), response, VisitId(1), parts, 300, lambda: True, cookies=given)
    assert asyncio.run(_opened(load)) == ("failed", 0)
