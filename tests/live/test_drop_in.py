"""A user's project becomes a focused crawl by one setting, and works as before."""

from __future__ import annotations

import pytest
from livecrawl import HERE, QUERY, ROOT, Crawl, page, site

from evocrawl.simulation.server.proxy import Response

EXAMPLE = ROOT / "examples" / "reefs"
ARTICLES = ("bleached", "starfish", "harbour")


def _web() -> dict[str, object]:
    json = {"Content-Type": "application/json"}
    topics = [f"/topic/{number} coral bleaching" for number in range(3)]
    pages: dict[str, object] = {
        "/": page(*topics, "/about us", "http://elsewhere.test/article/x coral", text=QUERY),
        "/search": page("/article/searched coral"),
        "/article/searched": page(text="found by the form", title="searched"),
        "/likessearched": Response(200, b'{"likes": 1}', json),
    }
    for number, name in enumerate(ARTICLES):
        pages[f"/topic/{number}"] = page(f"/article/{name} coral bleaching", text=QUERY)
        pages[f"/article/{name}"] = page("/topic/0", text=f"coral {name}", title=name)
        pages[f"/likes{name}"] = Response(200, b'{"likes": 7}', json)
    return {"reef.test": site(pages)}


def test_the_example_project(serve, crawl: Crawl) -> None:
    """Rules, callbacks, arguments, forms, plain requests, items, pipelines and feeds work."""
    proxy = serve(_web())
    crawled = crawl(proxy, command=("crawl", "articles"), cwd=EXAMPLE)
    crawled.check_settled()
    assert {each["name"]: each["section"] for each in crawled.pages} == {
        **dict.fromkeys(ARTICLES, "science"),
        "searched": "search",
    }
    assert {each["likes"] for each in crawled.pages} == {7, 1}
    assert all(each["words"] > 0 for each in crawled.pages)
    assert proxy.requested("elsewhere.test") == []
    assert "/about" not in proxy.requested("reef.test")
    assert crawled.stat("requests") == len(proxy.log)
    assert crawled.stat("stop_reason") == "exhausted"


def test_pages_can_be_items_too(serve, crawl: Crawl) -> None:
    """With page_items each page goes through the pipelines and the feed as well."""
    proxy = serve(_web())
    crawled = crawl(
        proxy,
        command=("crawl", "articles"),
        cwd=EXAMPLE,
        settings={"EVOCRAWL_PAGE_ITEMS": True, "ITEM_PIPELINES": {}},
    )
    crawled.check_settled()
    assert {each["url"] for each in crawled.pages if "url" in each} >= {"http://reef.test/"}


def test_a_project_setting_that_prevails_is_named(serve, crawl: Crawl) -> None:
    """If the project sets SCHEDULER itself, a warning names the consequences."""
    crawled = crawl(
        serve(_web()),
        command=("crawl", "articles"),
        cwd=EXAMPLE,
        settings={"SCHEDULER": "scrapy.core.scheduler.Scheduler"},
    )
    assert "WARNING" in crawled.log
    assert "SCHEDULER (scrapy.core.scheduler.Scheduler) prevails over evocrawl's" in crawled.log
    assert len(crawled.pages) == len(ARTICLES) + 1


def test_a_wrong_setting_ends_the_crawl_with_an_error(serve, crawl: Crawl) -> None:
    """A project without evospider gets the message and a non-zero exit code too."""
    proxy = serve(_web())
    crawled = crawl(
        proxy, command=("crawl", "articles"), cwd=EXAMPLE, settings={"EVOCRAWL_COST": -1}
    )
    assert crawled.code != 0
    assert "EVOCRAWL_COST is '-1'; allowed: a number from 0" in crawled.log
    assert proxy.log == []


def test_evospider_in_a_users_project(serve, crawl: Crawl) -> None:
    """Listing its module is enough; an add-on written as a path is not added twice."""
    proxy = serve({"reef.test": site({"/": page("/a", text=QUERY), "/a": page(text=QUERY)})})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        cwd=EXAMPLE,
        settings={"SPIDER_MODULES": "evocrawl.spiders", "ITEM_PIPELINES": {}},
    )
    crawled.check_settled()
    assert [each["url"] for each in crawled.pages] == ["http://reef.test/", "http://reef.test/a"]


def test_a_jobdir_keeps_the_crawl(serve, crawl: Crawl, tmp_path) -> None:
    """The crawl is stored there, in one file, and the next crawl of the same job continues it."""
    proxy = serve(_web())
    crawled = crawl(
        proxy, command=("crawl", "articles"), cwd=EXAMPLE, settings={"JOBDIR": tmp_path / "job"}
    )
    assert (tmp_path / "job" / "evocrawl.sqlite").is_file()
    again = crawl(
        proxy, command=("crawl", "articles"), cwd=EXAMPLE, settings={"JOBDIR": tmp_path / "job"}
    )
    assert crawled.stats["evocrawl/pages"] == again.stats["evocrawl/pages"] > 0


def test_an_address_that_is_requested_again(serve, crawl: Crawl) -> None:
    """Links of a page fetched again, or of a form's response at a known address, are not lost.

    The second try of a repeated request is no redirect to a known page.
    """
    times: list[str] = []

    def news(_):
        times.append("")
        # The second and later fetches fail once each.
        if len(times) % 2 == 0:
            return Response(503)
        return page(f"/found/{len(times)} coral", text=QUERY)

    def root(request):
        return page("/answer coral", text=QUERY) if request.method == "POST" else page(text=QUERY)

    found = {f"/found/{n}": page(text=QUERY) for n in range(20)} | {"/answer": page(text=QUERY)}
    proxy = serve({"reef.test": site({"/": root, "/news": news, **found})})
    crawled = crawl(
        proxy,
        command=("crawl", "repeats"),
        cwd=EXAMPLE,
        # A copied request has the count of its retries in its meta.
        settings={"SPIDER_MODULES": "repeatspider", "ITEM_PIPELINES": {}, "RETRY_TIMES": 9},
    )
    crawled.check_settled()
    assert {each["url"].rpartition("test")[2] for each in crawled.pages} == {
        "/answer", "/found/1", "/found/3", "/found/5", "/found/7",
    }  # fmt: skip
    retries = 3
    assert crawled.stat("visits/dropped") == retries
    assert crawled.stat("visits/fetched") == crawled.stat("visits/opened") - retries


@pytest.mark.takes_s(55)
def test_a_project_that_sets_the_query_alone_has_no_budget(serve, crawl: Crawl) -> None:
    """All of 1 050 requests are sent, and not only evospider's default of 1 000."""
    crawled = crawl(
        serve({}),
        command=("runspider", "manyspider.py"),
        settings={"ADDONS": {"evocrawl.Addon": 300}, "EVOCRAWL_QUERY": QUERY},
        cwd=HERE,
    )
    crawled.check_settled()
    assert len({each["url"] for each in crawled.pages}) == 1050
    assert crawled.stats["response_received_count"] == 1051
    assert crawled.stats["finish_reason"] == "finished"
