"""The first request of a visit."""

from types import SimpleNamespace
from typing import Any

from scrapy import Request

from evocrawl.adapter.meta import VISIT
from evocrawl.adapter.retries import Retries
from evocrawl.core.model import Lead

URL = "http://news.test/"


def test_a_page_visited_again_gets_a_request_of_its_own() -> None:
    """Scrapy compares requests by identity: an object that is sent twice at once is lost."""
    context: Any = SimpleNamespace()
    retries = Retries(context, context, lambda _: True)
    own = Request(URL, cb_kwargs={"shared": []}, meta={"mine": 1})
    lead = Lead(URL, b"12345678", "news.test", b"", 0, 0.0, payload=own)

    def taken() -> Request:
        request = retries.take(_fetch(lead))
        assert request is not None
        request.meta[VISIT] = 7
        return request

    first, second = taken(), taken()
    assert first is own
    assert second is not own
    assert (second.url, second.meta["mine"], second.cb_kwargs) == (URL, 1, {"shared": []})


def _fetch(lead: Lead) -> Any:
    return SimpleNamespace(visit=SimpleNamespace(lead=lead), url="", origin="")
