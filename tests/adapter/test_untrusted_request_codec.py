"""Requests from Redis can set few things: they cannot change how the crawl works."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import FormRequest, Request, Spider

from evocrawl.adapter.request_codec import LostRequest, UntrustedRequestCodec


class OurSpider(Spider):
    name = "ours"

    def leaf(self, response: Any) -> None: ...


SPIDER = OurSpider()
CRAWLER: Any = SimpleNamespace(spider=SPIDER)
PAYLOADS = UntrustedRequestCodec(CRAWLER, lambda: None)
URL = "http://a.test/"


def test_a_request_is_shared_with_its_callback_and_arguments(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Only allowed keys of meta are shared; a warning names the others once."""
    request = Request(
        URL,
        SPIDER.leaf,
        headers={"X-Own": "1"},
        cb_kwargs={"n": 1},
        meta={"depth": 2, "mine": object(), "proxy": "http://p.test"},
    )
    for _ in range(2):
        packed = PAYLOADS.pack(request)
    again = PAYLOADS.unpack(packed)
    assert isinstance(again, Request)
    assert again.callback == SPIDER.leaf
    assert (again.cb_kwargs, again.meta) == ({"n": 1}, {"depth": 2})
    assert again.headers["X-Own"] == b"1"
    assert len(caplog.records) == 1
    assert "left out: 'mine', 'proxy'" in caplog.text
    assert request.meta["proxy"] == "http://p.test"


def test_no_request_switches_robots_txt_off() -> None:
    """B078: it cannot set a proxy either."""
    packed = PAYLOADS.pack(Request(URL))
    packed["meta"] = {"dont_obey_robotstxt": True, "proxy": "http://p.test", "depth": 1}
    again = PAYLOADS.unpack(packed)
    assert isinstance(again, Request)
    assert again.meta == {"depth": 1}


@pytest.mark.parametrize(
    "change",
    [
        {"callback": "__init__"}, {"callback": "_private"}, {"errback": 3}, {"meta": [1]},
        {"_class": "os.system"}, {"url": "file:///etc/passwd"}, {"url": "ftp://a.test/"},
    ],
)  # fmt: skip
def test_a_request_with_forbidden_parts_is_refused(change: dict[str, Any]) -> None:
    """R18, R20: private methods, foreign classes, other schemes."""
    with pytest.raises(ValueError):  # noqa: PT011 - any message will do
        PAYLOADS.unpack({**PAYLOADS.pack(Request(URL)), **change})
    with pytest.raises(ValueError, match="JSON object"):
        PAYLOADS.unpack([change])


def test_requests_of_scrapys_classes_are_restored() -> None:
    """Such as a form; a request with a callback that this spider lacks is lost."""
    again = PAYLOADS.unpack(PAYLOADS.pack(FormRequest(URL, formdata={"a": "b"})))
    assert isinstance(again, FormRequest)
    assert again.body == b"a=b"
    packed = {**PAYLOADS.pack(Request(URL)), "callback": "gone"}
    assert PAYLOADS.unpack(packed) == LostRequest(URL)
