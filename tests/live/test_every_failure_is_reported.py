"""Each request of a user's spider gets one callback or one errback, with the failure's own type."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from livecrawl import QUERY, ROOT, Crawl, page, site

from evocrawl.simulation.server.proxy import Request, Response

EXAMPLE = ROOT / "examples" / "reefs"
QUICK = {
    "SPIDER_MODULES": "outcomespider",
    "ITEM_PIPELINES": {},
    "RETRY_TIMES": 2,
    "EVOCRAWL_BACK_OFF_CAP_S": 0.1,
}


def outcomes(crawl: Crawl, proxy: Any, urls: list[Any], **options: Any) -> Any:
    """Crawl `urls` with the spider of outcomes."""
    arguments = {"urls": json.dumps(urls), **options.pop("arguments", {})}
    settings = QUICK | options.pop("settings", {})
    command = ("crawl", "outcomes")
    return crawl(
        proxy, command=command, cwd=EXAMPLE, arguments=arguments, settings=settings, **options
    )


def reported(crawled: Any) -> Counter[str]:
    """Return how often each address had a callback or errback."""
    return Counter(each["asked"] for each in crawled.pages)


@pytest.mark.parametrize("share", [0, 0.2, 1])
def test_ten_failing_pages_have_ten_errbacks(serve, crawl: Crawl, share: float) -> None:
    """Whether second tries are used up, or the host is given up before the page was asked for.

    Each is an HttpError with the answer; the good pages that the last errback asks for come.
    """
    bad = {f"/bad{number}": Response(500) for number in range(10)}
    good = {f"/good{number}": page(text=QUERY) for number in range(5)}
    proxy = serve({"reef.test": site({"/": page(text=QUERY), **bad, **good})})
    urls = [f"http://reef.test{path}" for path in bad]
    last = [f"http://reef.test{path}" for path in good]
    crawled = outcomes(
        crawl,
        proxy,
        urls,
        arguments={"first": "http://reef.test/", "last": json.dumps(last)},
        settings={"EVOCRAWL_RETRY_SHARE": share},
    )
    crawled.check_settled()
    assert reported(crawled) == Counter(urls + last)
    failed = [each for each in crawled.pages if "kinds" in each]
    assert {each["asked"] for each in failed} == set(urls)
    assert all("HttpError" in each["kinds"] and each["status"] == 500 for each in failed)


REFUSING = "http://127.0.0.1:9/"
NAMELESS = "http://nowhere.invalid/"


@pytest.mark.parametrize("obey", [True, False])
def test_a_refused_request_is_reported_at_once(serve, crawl: Crawl, obey: bool) -> None:
    """A crawl without other work does not wait for minutes.

    The errback gets the failure's own type, for robots.txt and for the page.
    """
    crawled = outcomes(
        crawl,
        serve({}),
        [REFUSING, NAMELESS],
        settings={
            "HTTPPROXY_ENABLED": False,
            "EVOCRAWL_ALLOW_NETWORKS": "127.0.0.1",
            "EVOCRAWL_ROBOTS_RETRY_S": 600,
            "ROBOTSTXT_OBEY": obey,
        },
    )
    crawled.check_settled()
    kinds = {each["asked"]: each["kinds"] for each in crawled.pages}
    assert reported(crawled) == Counter([REFUSING, NAMELESS])
    assert "DownloadConnectionRefusedError" in kinds[REFUSING]
    assert "CannotResolveHostError" in kinds[NAMELESS]
    assert all(("RobotsUnreachable" in each) is obey for each in kinds.values())
    assert crawled.stat("stop_reason") == "exhausted"
    assert ("nothing else is left to do" in crawled.log) is obey


def test_half_a_page_is_a_failure_of_its_own(serve, crawl: Crawl) -> None:
    """A custom spider gets ResponseDataLossError after the tries, as with Scrapy alone."""

    async def thirty_bytes() -> AsyncIterator[bytes]:
        yield b"x" * 30

    told_5000 = {"content-length": "5000", "content-type": "text/html"}
    half = site({"/half": lambda _: Response(200, thirty_bytes(), told_5000)})
    proxy = serve({"reef.test": half})
    crawled = outcomes(crawl, proxy, ["http://reef.test/half"])
    crawled.check_settled()
    (only,) = crawled.pages
    assert "ResponseDataLossError" in only["kinds"]
    assert proxy.requested("reef.test").count("/half") == 1 + QUICK["RETRY_TIMES"]


def test_retries_are_those_of_scrapy(serve, crawl: Crawl) -> None:
    """Each request's own limit, dont_retry, and the stats of RetryMiddleware."""
    asked: Counter[str] = Counter()

    def second_time(request: Request) -> Response:
        asked[request.path] += 1
        return page(text=QUERY) if asked[request.path] > 1 else Response(503)

    paths = {"/never": Response(503), "/once": Response(503), "/thrice": Response(503)}
    hosts = {f"h{name[1:]}.test": site({name: answer}) for name, answer in paths.items()}
    proxy = serve({**hosts, "second.test": site({"/": second_time})})
    never, once, thrice = (f"http://h{name[1:]}.test{name}" for name in paths)
    urls = [
        [never, {"meta": {"dont_retry": True}}],
        [once, {"meta": {"max_retry_times": 1}}],
        [thrice, {"meta": {"max_retry_times": 3, "priority_adjust": -5}}],
        "http://second.test/",
    ]
    crawled = outcomes(crawl, proxy, urls)
    crawled.check_settled()
    assert reported(crawled) == Counter([never, once, thrice, "http://second.test/"])
    sent = Counter(each.path for each in proxy.log)
    assert [sent[name] for name in paths] == [1, 2, 4]
    assert crawled.stats["retry/count"] == 1 + 3 + 1
    assert crawled.stats["retry/max_reached"] == 2
    assert crawled.stats["retry/reason_count/503 Service Unavailable"] == 5


def test_without_retries_each_failure_is_reported_at_once(serve, crawl: Crawl) -> None:
    """RETRY_ENABLED=False: one request, one errback."""
    proxy = serve({"reef.test": site({"/a": Response(502), "/b": Response(502)})})
    urls = ["http://reef.test/a", "http://reef.test/b"]
    crawled = outcomes(crawl, proxy, urls, settings={"RETRY_ENABLED": False})
    assert reported(crawled) == Counter(urls)
    assert proxy.requested("reef.test").count("/a") == 1
    assert "retry/count" not in crawled.stats


def test_delays_apply_to_the_slot_that_a_request_names(serve, crawl: Crawl) -> None:
    """Four accounts on one host do not wait for each other: the delay is longer than the test."""
    accounts = [f"http://reef.test/{number}" for number in range(4)]
    proxy = serve({"reef.test": site({f"/{number}": page(text=QUERY) for number in range(4)})})
    urls = [
        [url, {"meta": {"download_slot": f"account{number}"}}]
        for number, url in enumerate(accounts)
    ]
    crawled = outcomes(crawl, proxy, urls, settings={"DOWNLOAD_DELAY": 600})
    crawled.check_settled()
    assert reported(crawled) == Counter(accounts)
