"""The private parts of scrapy-playwright that evocrawl uses are as this version has them.

A test fails when scrapy-playwright changes the part. The handler runs in a process of its own, with
a browser of this file that opens no page.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from processes import run

pytest.importorskip("scrapy_playwright")

SCRIPT = """
import asyncio, json
from types import SimpleNamespace
from scrapy import Request
from scrapy.utils.reactor import install_reactor
from scrapy.utils.test import get_crawler
install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from evocrawl.adapter.browser import playwright_internals as internals

FACTS = {"calls": []}
note = FACTS["calls"].append


class Events:
    def on(self, event, listener):
        self.__dict__.setdefault("listeners", {})[event] = listener

    def remove_listener(self, *_):
        pass


class Page(Events):
    url = "http://a.test/"

    async def route(self, pattern, handler):
        FACTS.setdefault("route", handler)

    async def goto(self, url, **_):
        self.count(SimpleNamespace(resource_type="x", method="GET", is_navigation_request=bool))

    async def content(self):
        return "<p>text</p>"

    async def close(self):
        note("page closed")

    def is_closed(self):
        return False

    def on(self, event, listener):
        if event == "request" and not hasattr(self, "count"):
            self.count = listener
        super().on(event, listener)

    def set_default_navigation_timeout(self, most_ms):
        FACTS.setdefault("timeout", most_ms)


class Context(Events):
    pages = ()

    async def new_page(self):
        return Page()

    async def close(self):
        note("context closed")

    set_default_navigation_timeout = Page.set_default_navigation_timeout


class Browser(Events):
    async def new_context(self, **options):
        note(["context", options])
        return Context()


class Provider:
    def __init__(self, config):
        FACTS.setdefault("options", config.launch_options)

    async def start(self):
        note("driver")

    async def launch_browser(self):
        note("browser")
        return Browser()


class Own(internals.OpenHandler, ScrapyPlaywrightDownloadHandler):
    async def new_context(self, name, options, spider):
        note(["own context", name])
        return await super().new_context(name, options, spider)

    def count(self, asked):
        note("own count")
        super().count(asked)

    def route_of(self, name):
        return "the route of " + name


def handler_of(kind):
    own = lambda asked: "the project's own"
    settings = {"PLAYWRIGHT_BROWSER_PROVIDER": Provider, "PLAYWRIGHT_ABORT_REQUEST": own}
    crawler = get_crawler(settings_dict={
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor", **settings})
    return crawler, kind(crawler)


def request():
    return Request("http://a.test/", meta={"playwright": True, "playwright_context": "mine"})


async def open_page():
    crawler, handler = handler_of(Own)
    handler.configure({"args": ["--x"]})
    handler.limit_navigation(2.5)
    await handler.start_driver()
    await handler.start_browser()
    await handler.try_browser()
    FACTS["started"] = [*FACTS["calls"]]
    FACTS["calls"].clear()
    page = await handler.download_request(request())
    FACTS["page"] = page.text
    FACTS["counted"] = crawler.stats.get_value("playwright/request_count")
    await handler.close_context("mine")
    FACTS["opened"] = [*FACTS["calls"]]
    FACTS["left"] = list(handler.context_wrappers)


async def open_wrapped():
    _, handler = handler_of(ScrapyPlaywrightDownloadHandler)
    FACTS["known"] = [internals.can_be_wrapped(handler), internals.can_be_wrapped(object())]
    ways = FACTS["ways"] = []

    async def make(**given):
        ways.append(["context", sorted(given)])
        return await made(**given)

    async def download(request, page, spider):
        ways.append(["download", type(page).__name__])
        return await downloaded(request, page, spider)

    made = internals.wrap_contexts(handler, make)
    downloaded = internals.wrap_downloads(handler, download)
    FACTS["aborts"] = internals.wrap_aborts(handler, len)(None)
    FACTS["asked"] = handler.abort_request is len
    await handler._launch()
    FACTS["wrapped page"] = (await handler.download_request(request())).text


asyncio.get_event_loop().run_until_complete(open_page())
asyncio.get_event_loop().run_until_complete(open_wrapped())
print(json.dumps(FACTS))
"""


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the script has printed."""
    folder = tmp_path_factory.mktemp("playwright")
    (folder / "opens_two_pages.py").write_text(SCRIPT)
    done = run("opens_two_pages", [], cwd=folder, environment=os.environ)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_driver_and_the_browser_start_as_they_are_asked(facts: dict[str, Any]) -> None:
    """With the options and the time-out that are set."""
    assert facts["started"] == ["driver", "browser", ["context", {}], "context closed"]
    assert facts["options"] == {"args": ["--x"]}
    assert facts["timeout"] == 2500


def test_the_handler_calls_the_methods_of_its_subclass(facts: dict[str, Any]) -> None:
    """It makes the context, counts each request and routes the page by them."""
    assert facts["opened"] == [
        ["own context", "mine"], ["context", {}], "own count", "page closed", "context closed",
    ]  # fmt: skip
    assert facts["route"] == "the route of mine"
    assert facts["counted"] == 1
    assert facts["page"] == "<p>text</p>"
    assert facts["left"] == []


def test_a_handler_opens_contexts_and_pages_by_what_it_is_given(facts: dict[str, Any]) -> None:
    """`wrap_contexts` and `wrap_downloads` return what does the work."""
    assert facts["known"] == [True, False]
    assert facts["ways"] == [
        ["context", ["context_kwargs", "name", "spider"]], ["download", "Page"],
    ]  # fmt: skip
    assert facts["wrapped page"] == "<p>text</p>"


def test_a_handler_asks_one_function_about_each_request(facts: dict[str, Any]) -> None:
    """`wrap_aborts` returns the function that the project has set."""
    assert facts["aborts"] == "the project's own"
    assert facts["asked"] is True
