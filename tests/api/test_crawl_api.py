"""A crawl that a program runs: back pressure, feedback, stop, cancelled tasks, killed processes."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from reef_site import reef

import evocrawl
from evocrawl.api.errors import (
    CrawlError,
    CrawlFailedError,
    NotReadyError,
    UnknownPageError,
    error_of,
)
from evocrawl.api.page import Page
from evocrawl.core.errors import QueryError, SettingError, StateError, UnknownOptionError

SEED = "http://reef.example/"
FAST: dict[str, Any] = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 8}


def test_a_wrong_option_is_an_error_before_anything_starts() -> None:
    with pytest.raises(UnknownOptionError, match="did you mean max_requests"):
        evocrawl.Crawl("coral", SEED, max_request=5)
    with pytest.raises(SettingError, match="max_requests is -1"):
        evocrawl.Crawl("coral", SEED, max_requests=-1)
    with pytest.raises(SettingError, match="EVOCRAWL_COST is 'x'"):
        evocrawl.Crawl("coral", SEED, settings={"EVOCRAWL_COST": "x"})
    with pytest.raises(ValueError, match="pages_ahead is 0; allowed: a number from 1, or None"):
        evocrawl.Crawl("coral", SEED, pages_ahead=0)


def test_a_method_that_needs_a_running_crawl_raises_an_error_before() -> None:
    async def ask() -> None:
        crawl = evocrawl.Crawl("coral", SEED)
        for question in (crawl.status(), crawl.results(), crawl.stop(), crawl.wait()):
            with pytest.raises(NotReadyError, match="the crawl has not begun"):
                await question
        await crawl.close()

    asyncio.run(ask())


def test_a_page_that_is_not_there_is_named_by_its_address_or_its_visit() -> None:
    """Addresses are quoted, since they come from others."""
    assert str(UnknownPageError("http://a.test/")) == "the crawl has no page 'http://a.test/'"
    assert str(UnknownPageError(7)) == "the crawl has no page of visit 7"


def test_errors_of_the_crawl_arrive_as_the_same_errors() -> None:
    setting = {"kind": "SettingError", "message": "", "name": "store", "value": "/",
               "allowed": "a file", "hint": ""}  # fmt: skip
    assert str(error_of(setting)) == "store is '/'; allowed: a file"
    for kind in (StateError, QueryError):
        assert type(error_of({"kind": kind.__name__, "message": "why"})) is kind
    assert type(error_of({"kind": "ControlError", "message": "why"})) is CrawlError
    other = error_of({"kind": "KeyError", "message": ""}, "the last line")
    assert str(other) == "the crawl has failed: KeyError: the last line"


def test_a_slow_reader_slows_the_crawl_and_a_program_can_teach_and_stop_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = tmp_path / "slow.sqlite"

    async def run() -> list[Page]:
        pages: list[Page] = []
        async with evocrawl.Crawl(
            "coral bleaching", SEED, max_requests=400, store=store, settings=FAST,
            pages_ahead=3, max_unsettled=6,
        ) as crawl:  # fmt: skip
            with pytest.raises(NotReadyError, match="has begun already"):
                await crawl.start()
            async for page in crawl:
                pages.append(page)
                if len(pages) == 1:
                    await _until_still(proxy.log)
                    # robots.txt, what was sent, what waits for a place, and no more
                    assert len(proxy.log) <= 1 + 3 + 6 + 1
                    taught = await crawl.feedback(page.url, relevant=False)
                    assert "has learnt that this page is not relevant" in taught
                    with pytest.raises(CrawlError, match="the crawl has no page"):
                        await crawl.feedback("http://reef.example/none", relevant=True)
                    assert (await crawl.results(1, start=0))[0].relevance > 0.5
                if len(pages) == 30:
                    await crawl.stop()
            status = await crawl.status()
            assert (status.state, status.reason) == ("finished", "stopped_by_program")
            assert 30 <= status.pages == len(pages) < 60
            assert len({page.url for page in pages}) == len(pages)
            with pytest.raises(NotReadyError, match="the crawl is over"):
                await crawl.feedback(SEED, relevant=True)
        return pages

    async def go_on() -> None:
        crawl = evocrawl.Crawl(
            "coral bleaching", SEED, max_requests=400, store=store, settings=FAST, pages_ahead=3,
            max_unsettled=6,
        )  # fmt: skip
        task = asyncio.create_task(_read(crawl, first))
        assert (await asyncio.wait_for(first, 120)) not in pages
        process = crawl._process._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(CrawlFailedError, match="the process of the crawl ended with signal 9"):
            await task
        assert (await crawl.status()).reason == "killed"

    with reef(300) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        urls = asyncio.run(run())
        pages = {page.url for page in urls}
        with asyncio.Runner() as runner:
            first: asyncio.Future[str] = runner.get_loop().create_future()
            runner.run(go_on())


async def _read(crawl: evocrawl.Crawl, first: asyncio.Future[str]) -> None:
    async with crawl:
        async for page in crawl:
            if not first.done():
                first.set_result(page.url)


async def _until_still(log: list[Any]) -> None:
    """Wait until no request comes for a while."""
    before = -1
    while len(log) != before or len(log) < 5:
        before = len(log)
        await asyncio.sleep(1.5)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import evocrawl, sys; from evocrawl.core.config.config import Config\n"
        "heavy = {'scrapy', 'twisted', 'numpy', 'lxml', 'mcp', 'markdownify'}\n"
        "print(sorted(heavy & {*sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
