"""Packages and parts of Scrapy that projects use most work beside the add-on."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from livecrawl import QUERY, Crawl, page, site
from warcs import warc_urls

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response

REEFS = [f"/reef/{number}" for number in range(10)]
URLS = {f"http://reef.test{path}" for path in REEFS}
ADDONS = {"evocrawl.Addon": 300}
COMMON = {"EVOCRAWL_QUERY": QUERY, "SPIDER_MODULES": "neighbourspider", "ADDONS": ADDONS}


def _pages() -> dict[str, Response]:
    reefs = {path: page(text=f"{QUERY} {path}", title=f"Reef {path}") for path in REEFS}
    return {"/": page(*REEFS, text=QUERY), **reefs}


@pytest.fixture
def web(serve) -> LoopbackProxy:
    return serve({"reef.test": site(_pages())})


def _reefs(web: LoopbackProxy) -> list[str]:
    return [each.path for each in web.log if each.path != "/robots.txt"]


def test_scrapy_poet_injects_page_objects(web: LoopbackProxy, crawl: Crawl) -> None:
    """Pages are fetched once, and scored although the callback does not take its response."""
    pytest.importorskip("scrapy_poet")
    settings = {
        **COMMON,
        "SPIDER_MODULES": "poetspider",
        "ADDONS": {**ADDONS, "scrapy_poet.Addon": 200},
    }
    crawled = crawl(web, command=("crawl", "poet"), settings=settings)
    crawled.check_settled()
    assert {each["url"] for each in crawled.pages} == URLS
    assert {each["title"] for each in crawled.pages} == {f"Reef {path}" for path in REEFS}
    assert sorted(_reefs(web)) == ["/", *REEFS]
    assert crawled.stat("pages") == 11


def test_deltafetch_leaves_out_pages_of_an_earlier_crawl(
    web: LoopbackProxy, crawl: Crawl, tmp_path: Path
) -> None:
    """The second crawl fetches the start page only, and ends."""
    pytest.importorskip("scrapy_deltafetch")
    settings = {
        **COMMON,
        "SPIDER_MIDDLEWARES": {"deltafetching.AsyncDeltaFetch": 100},
        "DELTAFETCH_ENABLED": True,
        "DELTAFETCH_DIR": tmp_path / "delta",
    }
    crawled = crawl(web, command=("crawl", "reefs"), settings=settings)
    crawled.check_settled()
    assert {each["url"] for each in crawled.pages} == URLS
    before = len(_reefs(web))
    again = crawl(web, command=("crawl", "reefs"), settings=settings)
    again.check_settled()
    assert again.pages == []
    assert again.stats["deltafetch/skipped"] == 10
    assert _reefs(web)[before:] == ["/"]


def test_the_http_cache_answers_without_a_request(
    web: LoopbackProxy, crawl: Crawl, tmp_path: Path
) -> None:
    """A response of the cache uses no request of the budget; robots.txt is requested again.

    It is not written to WARC files, which have only network traffic.
    """
    settings = {
        **COMMON,
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": tmp_path / "cache",
        "EVOCRAWL_WARC": tmp_path / "warcs",
    }
    crawled = crawl(web, command=("crawl", "reefs"), settings=settings)
    crawled.check_settled()
    asked = len(web.log)
    assert crawled.stat("requests") == asked
    again = crawl(
        web, command=("crawl", "reefs"), settings={**settings, "EVOCRAWL_MAX_REQUESTS": 3}
    )
    again.check_settled()
    assert {each["url"] for each in again.pages} == URLS
    assert again.stats["httpcache/hit"] >= 11
    assert again.stat("pages") == 11
    assert [each.path for each in web.log[asked:]] == ["/robots.txt"]
    assert again.stat("requests") == again.stat("warc/responses") == 1
    assert len(warc_urls((tmp_path / "warcs").iterdir())) == len(web.log)


def test_autothrottle_sets_the_delay_of_a_host(web: LoopbackProxy, crawl: Crawl) -> None:
    """Every page is fetched, with the delay that AutoThrottle sets."""
    settings = {
        **COMMON,
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_DEBUG": True,
        "AUTOTHROTTLE_START_DELAY": 0.2,
        "AUTOTHROTTLE_MAX_DELAY": 0.4,
    }
    crawled = crawl(web, command=("crawl", "reefs"), settings=settings)
    crawled.check_settled()
    assert {each["url"] for each in crawled.pages} == URLS
    assert crawled.log.count("slot: reef.test") == 11
    times_s = [each.at_s for each in web.log if each.path in REEFS]
    assert times_s[-1] - times_s[0] > 0.1


def test_files_of_items_are_downloaded_and_counted(serve, crawl: Crawl, tmp_path: Path) -> None:
    """robots.txt forbids one of them."""
    files = {f"{path}.pdf": Response(200, b"%PDF-1.4", {"content-type": "x"}) for path in REEFS}
    rules = Response(200, b"User-agent: *\nDisallow: /reef/3.pdf\n")
    web = serve({"reef.test": site({**_pages(), **files, "/robots.txt": rules})})
    settings = {
        **COMMON,
        "ITEM_PIPELINES": {"scrapy.pipelines.files.FilesPipeline": 1},
        "FILES_STORE": tmp_path / "files",
    }
    crawled = crawl(web, command=("crawl", "files"), settings=settings)
    assert crawled.stat("visits/unsettled") == 0
    assert {each["url"] for each in crawled.pages} == URLS
    got = [file["url"] for each in crawled.pages for file in each["files"]]
    assert sorted(got) == sorted(f"{url}.pdf" for url in URLS if not url.endswith("/3"))
    assert len([*(tmp_path / "files" / "full").iterdir()]) == 9
    assert crawled.stat("requests") == len(web.log)
    assert "/reef/3.pdf" not in _reefs(web)


def test_a_feed_is_stored_in_s3(
    web: LoopbackProxy, crawl: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3 is that of moto, in the process of the crawl."""
    pytest.importorskip("moto")
    pytest.importorskip("boto3")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("no_proxy", "amazonaws.com")
    settings = {
        **COMMON,
        "EXTENSIONS": {"neighbourspider.Bucket": 0},
        "BUCKET_FOLDER": tmp_path,
        "FEEDS": {"s3://reefs/stored.jsonl": {"format": "jsonlines"}},
    }
    crawled = crawl(web, command=("crawl", "reefs"), settings=settings)
    crawled.check_settled()
    stored = (tmp_path / "stored.jsonl").read_text().splitlines()
    assert {json.loads(line)["url"] for line in stored} == URLS
    assert crawled.stats["feedexport/success_count/S3FeedStorage"] == 1


def test_dead_proxies_lose_no_page(web: LoopbackProxy, crawl: Crawl) -> None:
    """A dead proxy is no failure of the host behind it."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))  # it does not listen, and no other server gets its port
        dead = [f"http://127.0.0.1:{deaf.getsockname()[1]}", "http://127.0.0.3:9"]
        settings = {
            **COMMON,
            "DOWNLOADER_MIDDLEWARES": {"neighbourspider.RotatingProxies": 610},
            "ROTATING_PROXIES": f"{dead[0]},{web.url},{dead[1]},{web.url}",
            "RETRY_TIMES": 6,
        }
        crawled = crawl(web, command=("crawl", "reefs"), settings=settings)
    crawled.check_settled()
    assert {each["url"] for each in crawled.pages} == URLS
    assert crawled.stat("hosts/given_up") == 0


def test_requests_that_imitate_a_browser_obey_the_rules(serve, crawl: Crawl) -> None:
    """scrapy-impersonate connects by curl; its handler is trusted by name."""
    pytest.importorskip("scrapy_impersonate")
    agents: set[str] = set()
    pages = _pages()

    def answer(request: Request) -> Response:
        agents.add(request.headers.get("sec-ch-ua", ""))
        return site({**pages, "/robots.txt": Response(200, b"User-agent: *\nDisallow: /reef/3\n")})(
            request
        )

    web = serve({"reef.test": answer})
    handler = "scrapy_impersonate.ImpersonateDownloadHandler"
    settings = {
        **COMMON,
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
        "EVOCRAWL_TRUSTED_HANDLERS": handler,
    }
    crawled = crawl(web, command=("crawl", "impersonates"), settings=settings)
    crawled.check_settled()
    assert {each["url"] for each in crawled.pages} == URLS - {"http://reef.test/reef/3"}
    assert any("Chrom" in each for each in agents)
    assert crawled.stat("requests") == len(web.log)
