"""scrapy-zyte-api works beside the add-on; a server on loopback stands for Zyte API."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any
from urllib.parse import urlsplit

import pytest
from livecrawl import QUERY, Crawl, page, site

from evocrawl.simulation.server.proxy import Request, Response

REEFS = [f"/reef/{number}" for number in range(10)]
HANDLER = "scrapy_zyte_api.handler.ScrapyZyteAPIHTTP{}DownloadHandler"


class ZyteApi:
    """Answers ``POST /v1/extract`` with the pages of a site, and notes which were asked for."""

    def __init__(self) -> None:
        reefs = {path: page(text=f"{QUERY} {path}", title=f"Reef {path}") for path in REEFS}
        rules = Response(200, b"User-agent: *\nDisallow: /reef/3\n")
        self._site = site({"/": page(*REEFS, text=QUERY), **reefs, "/robots.txt": rules})
        self.asked: list[tuple[str, ...]] = []

    def answer(self, request: Request) -> Response:
        wanted = json.loads(request.body)
        path = urlsplit(wanted["url"]).path
        kinds = {"httpResponseBody", "browserHtml", "article"} & set(wanted)
        self.asked.append((path, *sorted(kinds)))
        found: Any = self._site(Request("GET", "reef.test", path))
        answer: dict[str, Any] = {"url": wanted["url"], "statusCode": found.status}
        if "httpResponseBody" in wanted:
            answer["httpResponseBody"] = b64encode(found.body).decode()
            answer["httpResponseHeaders"] = [
                {"name": name, "value": value} for name, value in found.headers.items()
            ]
        if "article" in wanted:
            answer["article"] = {
                "url": wanted["url"], "headline": f"Article {path}",
                "metadata": {"probability": 1.0},
            }  # fmt: skip
        return Response(200, json.dumps(answer).encode(), {"content-type": "application/json"})


def test_pages_and_data_come_from_zyte_api_under_the_rules_of_the_crawl(
    serve, crawl: Crawl
) -> None:
    """robots.txt holds, each request counts, and each page is asked for once."""
    pytest.importorskip("scrapy_zyte_api")
    api = ZyteApi()
    web = serve({"127.0.0.1": api.answer})
    settings = {
        "EVOCRAWL_QUERY": QUERY,
        "SPIDER_MODULES": "zytespider",
        "ADDONS": {
            "scrapy_poet.Addon": 200,
            "evocrawl.Addon": 300,
            "scrapy_zyte_api.Addon": 500,
        },
        "ZYTE_API_KEY": "a-key-for-this-test",
        "ZYTE_API_URL": f"http://127.0.0.1:{web.port}/v1/",
        "EVOCRAWL_TRUSTED_HANDLERS": ",".join(HANDLER.format(each) for each in ("", "S")),
    }
    crawled = crawl(web, command=("crawl", "zyte"), settings=settings)
    crawled.check_settled()
    wanted = [path for path in REEFS if path != "/reef/3"]
    assert {each["title"] for each in crawled.pages} == {f"Article {path}" for path in wanted}
    assert sorted(api.asked) == sorted(
        [(path, "httpResponseBody") for path in ("/robots.txt", "/")]
        + [(path, "article") for path in wanted]
    )
    assert crawled.stat("requests") == len(api.asked) == len(web.log)
