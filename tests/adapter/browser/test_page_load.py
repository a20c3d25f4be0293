"""When a page in the browser counts as loaded."""

import asyncio
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response

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
