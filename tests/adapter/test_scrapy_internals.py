"""The private parts of Scrapy that evocrawl uses are as this version of Scrapy has them.

A test fails when Scrapy changes the part. Most tests look at one crawl by Scrapy alone, which runs
in a process of its own.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from processes import run
from scrapy import Request, Spider
from scrapy.dupefilters import RFPDupeFilter
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from evocrawl.adapter import scrapy_internals

SPIDER = """
import asyncio
import json
from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider
from evocrawl.adapter import scrapy_internals as internals
from evocrawl.adapter.network.handlers import handler_of, pool_of

FACTS = {}


async def turns():
    # Far fewer turns than until the heartbeat of the engine itself.
    for _ in range(50):
        await asyncio.sleep(0)


class Looking(Spider):
    name = "looking"
    custom_settings = {"DOWNLOAD_DELAY": 0.25, "RANDOMIZE_DOWNLOAD_DELAY": False}

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.opened, signals.spider_opened)
        crawler.signals.connect(spider.second, signals.spider_idle)
        internals.connect_first(crawler, spider.first, signals.spider_idle)
        crawler.signals.connect(spider.closed_now, signals.spider_closed)
        crawler.signals.connect(spider.stopped, signals.engine_stopped)
        return spider

    def opened(self):
        FACTS["ways"] = []
        handlers = self.crawler.engine.downloader.handlers
        pool = pool_of(handler_of(handlers, "https"))
        names = ("retryAutomatically", "_putConnection", "_factory")
        FACTS["pool"] = [type(pool).__name__, *(hasattr(pool, each) for each in names)]
        FACTS["no_pool"] = pool_of(handler_of(handlers, "data"))
        FACTS["schemes"], FACTS["not_configured"] = [*handlers._schemes], handlers._notconfigured

        async def call(result, request):
            FACTS["ways"].append(["call", type(result).__name__])
            return await called(result, request)

        async def scrape(given, response, request):
            FACTS["given"] = given.__name__
            FACTS["ways"].append(["scrape", response.url])
            return await scraped(given, response, request)

        def queue(result, request):
            FACTS["ways"].append(["queue", type(result).__name__])
            return queued(result, request)

        called = internals.wrap_spider_calls(self.crawler.engine, call)
        scraped = internals.wrap_response_scrapes(self.crawler.engine, scrape)
        queued = internals.wrap_result_queue(self.crawler.engine, queue)

    async def start(self):
        FACTS["open in start"] = internals.has_spider_open(self.crawler.engine)
        FACTS["closing in start"] = internals.is_closing(self.crawler.engine)
        FACTS["starts in start"] = internals.has_start_requests(self.crawler.engine)
        yield Request("data:,one")
        yield Request("unknown://two", errback=self.failed)

    def failed(self, failure):
        FACTS["failed"] = failure.request.url

    async def parse(self, response):
        engine = self.crawler.engine
        FACTS["pending"] = internals.has_pending_requests(engine)
        FACTS["in callback"] = [each.url for each in internals.requests_in_engine(engine)]
        FACTS["starts in callback"] = internals.has_start_requests(engine)
        FACTS["command"] = type(internals.running_command()).__module__
        FACTS["default delay"] = internals.default_delay_s(engine.downloader)
        request = Request("http://slow.test/")
        slot = internals.download_slot(engine.downloader, request)
        slot.delay = 7.0
        FACTS["slot"] = engine.downloader.slots["slow.test"].delay
        scheduler = engine._slot.scheduler
        before = scheduler.next_request

        def counted():
            self.asked += 1
            return before()

        scheduler.next_request = counted
        self.asked = 0
        internals.ask_scheduler_soon(engine)
        await turns()
        FACTS["asked"] = self.asked > 0
        FACTS["ran"] = False
        sizes = [engine.scraper.slot.active_size]
        with internals.body_not_counted(engine, response):
            sizes.append(engine.scraper.slot.active_size)
        sizes.append(engine.scraper.slot.active_size)
        FACTS["bodies"], FACTS["body"] = sizes, len(response.body)

        async def run():
            FACTS["ran"] = True

        internals.run_soon(run())
        await turns()

    def first(self):
        FACTS.setdefault("idle", []).append("first")
        if self.settings.get("FAILS"):
            internals.exit_with_failure(self.crawler)

    def second(self):
        FACTS.setdefault("idle", []).append("second")
        if len(FACTS["idle"]) == 2:
            internals.close_spider_soon(self.crawler.engine, "looked")
        raise DontCloseSpider

    def closed_now(self, reason):
        FACTS["reason"] = reason
        FACTS["closing at the end"] = internals.is_closing(self.crawler.engine)

    def stopped(self):
        FACTS["open after the end"] = internals.has_spider_open(self.crawler.engine)
        print(json.dumps(FACTS))
"""


def looked(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code of a crawl, and what its spider has seen of the engine."""
    path = folder / "looking.py"
    path.write_text(SPIDER)
    arguments = ["runspider", str(path), "--nolog", *options]
    done = run("scrapy", arguments, cwd=folder, environment=os.environ)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a spider has seen of the engine in a crawl that ends well."""
    code, facts = looked(tmp_path_factory.mktemp("internals"))
    assert code == 0
    return facts


def test_a_spider_is_open_until_its_end(facts: dict[str, Any]) -> None:
    """`has_spider_open` is False once the engine has stopped."""
    assert facts["open in start"]
    assert not facts["open after the end"]


def test_an_engine_that_closes_its_spider_is_closing(facts: dict[str, Any]) -> None:
    """`is_closing` is False while the crawl goes on."""
    assert not facts["closing in start"]
    assert facts["closing at the end"]


def test_the_request_of_a_callback_is_in_the_engine(facts: dict[str, Any]) -> None:
    """`requests_in_engine` has it as long as the callback goes on; the scheduler has it no more."""
    assert "data:,one" in facts["in callback"]
    assert not facts["pending"]


def test_results_reach_callbacks_and_errbacks_through_the_wrapped_functions(
    facts: dict[str, Any],
) -> None:
    """A response goes from the queue through the spider middlewares to its callback.

    A failure goes from the queue to its errback.
    """
    assert facts["given"] == "call"
    ways = facts["ways"]
    assert [each for each in ways if each[1] != "Failure"] == [
        ["queue", "TextResponse"], ["scrape", "data:,one"], ["call", "TextResponse"]
    ]  # fmt: skip
    assert [each for each in ways if each[1] == "Failure"] == [
        ["queue", "Failure"], ["call", "Failure"]
    ]  # fmt: skip
    assert facts["failed"] == "unknown://two"


def test_start_requests_end_with_start(facts: dict[str, Any]) -> None:
    """`has_start_requests` is False in a callback that outlives start()."""
    assert facts["starts in start"]
    assert not facts["starts in callback"]


def test_the_engine_can_be_made_to_ask_the_scheduler(facts: dict[str, Any]) -> None:
    """`ask_scheduler_soon` reaches `next_request`."""
    assert facts["asked"]


def test_the_size_of_a_body_can_be_left_out_for_a_while(facts: dict[str, Any]) -> None:
    before, meanwhile, after = facts["bodies"]
    assert before == after >= facts["body"] > 0
    assert meanwhile == before - facts["body"]


def test_a_coroutine_runs_on_the_event_loop(facts: dict[str, Any]) -> None:
    """`run_soon` does not wait for it."""
    assert facts["ran"]


def test_the_engine_closes_its_spider_for_the_reason_given(facts: dict[str, Any]) -> None:
    """A handler of spider_idle that keeps the spider open does not prevent `close_spider_soon`."""
    assert facts["reason"] == "looked"


def test_new_slots_get_the_delay_of_the_settings(facts: dict[str, Any]) -> None:
    """`default_delay_s` returns it."""
    assert facts["default delay"] == 0.25


def test_the_slot_of_a_request_is_the_downloaders(facts: dict[str, Any]) -> None:
    """`download_slot` makes the slot of a host that has none."""
    assert facts["slot"] == 7.0


def test_a_handler_can_be_connected_before_others(facts: dict[str, Any]) -> None:
    """`connect_first` puts it before handlers that were connected earlier."""
    assert facts["idle"][:2] == ["first", "second"]


def test_a_crawl_can_exit_with_failure(tmp_path: Path) -> None:
    """`exit_with_failure` makes the process exit with 1, though the crawl ended."""
    code, facts = looked(tmp_path, "-s", "FAILS=1")
    assert facts["reason"] == "looked"
    assert code == 1


def test_the_running_command_of_scrapy_is_found(facts: dict[str, Any]) -> None:
    """`running_command` finds it in a crawl; a script has no command."""
    assert facts["command"] == "scrapy.commands.runspider"
    assert scrapy_internals.running_command() is None


def test_a_response_keeps_the_encoding_that_it_was_made_with() -> None:
    assert scrapy_internals.given_encoding(HtmlResponse("http://a.test/")) is None
    made = HtmlResponse("http://a.test/", body=b"", encoding="gb18030")
    assert scrapy_internals.given_encoding(made) == "gb18030"


def test_a_dupe_filter_forgets_what_it_has_seen() -> None:
    dupefilter, request = RFPDupeFilter.from_crawler(get_crawler()), Request("http://a.test/")
    assert [dupefilter.request_seen(request) for _ in range(2)] == [False, True]
    scrapy_internals.forget_seen(dupefilter)
    assert not dupefilter.request_seen(request)


def test_scrapy_makes_a_retry_by_the_method_that_can_be_overridden() -> None:
    class Refusing(scrapy_internals.OpenRetryMiddleware):
        def retried(self, request: Request, reason: object) -> None:  # noqa: ARG002 - its form
            return None

    request, failed = Request("http://a.test/"), Response("http://a.test/", status=503)
    crawler = get_crawler()
    crawler.spider = Spider.from_crawler(crawler, name="any")
    usual = scrapy_internals.OpenRetryMiddleware.from_crawler(crawler)
    assert isinstance(usual.process_response(request, failed), Request)
    assert Refusing.from_crawler(crawler).process_response(request, failed) is failed


def test_the_handler_of_http_has_a_pool_that_can_be_patched(facts: dict[str, Any]) -> None:
    assert facts["pool"] == ["HTTPConnectionPool", True, True, True]
    assert facts["no_pool"] is None
    assert {"http", "https"} <= set(facts["schemes"])
    assert "https" not in facts["not_configured"]
