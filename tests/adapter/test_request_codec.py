"""Requests are stored as JSON and restored; parts that cannot be stored are named."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import FormRequest, Request, Spider
from scrapy.http import JsonRequest, Response

from evocrawl.adapter.request_codec import LostRequest, RequestCodec

URL = "http://a.test/"


class Own(Spider):
    """A spider with methods to call back."""

    name = "own"

    def parse_more(self, response: Response, **_: Any) -> None:
        """Do nothing."""

    def failed(self, failure: object) -> None:
        """Do nothing."""


SPIDER = Own()
CRAWLER: Any = SimpleNamespace(spider=SPIDER)
REQUESTS = [
    Request(URL),
    Request(URL, callback=SPIDER.parse_more, errback=SPIDER.failed, cb_kwargs={"depth": [1, 2]}),
    Request(URL, method="POST", body=b"\x00\xff", headers={"X": ["a", "ü"], "Accept": "*"}),
    Request(URL, meta={"cookiejar": 3, "raw": b"\xff", "text": "\ud800"}, cookies={"a": "b"}),
    Request(URL, priority=-3, dont_filter=True, flags=["x"], encoding="latin-1"),
    FormRequest(URL, formdata={"q": "coral"}),
    JsonRequest(URL, data={"q": ["coral"]}),
]


def payloads(lost: list[int] | None = None) -> RequestCodec:
    return RequestCodec(CRAWLER, lambda: lost.append(1) if lost is not None else None)


@pytest.mark.parametrize("request_", REQUESTS, ids=range(len(REQUESTS)))
def test_a_request_is_restored(request_: Request) -> None:
    """With its class, callbacks, headers, body and meta."""
    packed = json.loads(json.dumps(payloads().pack(request_)))
    again = payloads().unpack(packed)
    assert type(again) is type(request_)
    assert isinstance(again, Request)
    assert again.to_dict(spider=SPIDER) == request_.to_dict(spider=SPIDER)


@pytest.mark.parametrize(
    "options",
    [
        {"callback": lambda _: None},
        {"callback": Own().parse_more.__func__},  # type: ignore[attr-defined]
        {"meta": {"thing": object()}},
        {"cb_kwargs": {"share": iter("a")}},
    ],
)
def test_a_request_that_cannot_be_stored_is_named_once(
    options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """B051: each one is counted; the stored value says which request it was."""
    lost: list[int] = []
    packer = payloads(lost)
    for _ in range(2):
        packed = packer.pack(Request(URL, **options))
    assert packer.unpack(packed) == LostRequest(URL)
    assert packer.pack(LostRequest(URL)) == packed
    assert len(lost) == 2
    assert len(caplog.records) == 1
    assert f"<GET {URL}> cannot be stored" in caplog.text


@pytest.mark.parametrize("change", [{"callback": "gone"}, {"_class": "os.system"}, {"url": "x"}])
def test_a_request_that_cannot_be_restored_is_lost(
    change: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    """R20: the spider or the file has changed; only requests are made."""
    packed = payloads().pack(Request(URL)) | change
    assert isinstance(payloads().unpack(packed), LostRequest)
    assert "cannot be stored" in caplog.text


def test_every_part_of_a_request_that_cannot_be_stored_is_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """All parts of the first request, and new parts of later ones; each request is counted."""
    lost: list[int] = []
    packer = payloads(lost)
    things = {"a": object(), "b": iter("b")}
    packer.pack(Request(URL, callback=lambda _: None, cb_kwargs=things, meta={"m": Own}))
    packer.pack(Request(URL, cb_kwargs=things))
    packer.pack(Request(URL, cb_kwargs={"c": object()}))
    assert len(lost) == 3
    first, second = (record.getMessage() for record in caplog.records)
    for name in ("callback '<lambda>'", "cb_kwargs['a']", "cb_kwargs['b']", "meta['m']"):
        assert name in first
    assert "cb_kwargs['c']" in second


def test_a_store_of_an_earlier_version_is_read() -> None:
    """Lists, dicts and bytes are the same."""
    packed = payloads().pack(Request(URL)) | {
        "cb_kwargs": {"a": {"1": [1, {"b": {"evocrawl/bytes": "/w=="}}]}}
    }
    again = payloads().unpack(packed)
    assert isinstance(again, Request)
    assert again.cb_kwargs == {"a": {"1": [1, {"b": b"\xff"}]}}
