"""A spider that records the result of each request: a line for each callback or errback."""

from __future__ import annotations

import json
from typing import Any

from scrapy import Request, Spider


class OutcomeSpider(Spider):
    """Asks for `urls` (JSON: addresses, or pairs of an address and a request's arguments).

    With `first` it asks for that page before, and yields the requests from its callback. The last
    errback yields requests for `last`.
    """

    name = "outcomes"

    def __init__(self, urls: str, first: str = "", last: str = "[]", **_: Any) -> None:
        super().__init__()
        self.first = first
        self.urls = json.loads(urls)
        self.last = json.loads(last)
        self.failures = 0

    async def start(self) -> Any:
        if self.first:
            yield Request(self.first, self.parse)
        else:
            for request in self.requests(self.urls):
                yield request

    def parse(self, _: Any) -> Any:
        yield from self.requests(self.urls)

    def requests(self, urls: list[Any]) -> Any:
        for each in urls:
            url, arguments = (each, {}) if isinstance(each, str) else each
            yield Request(url, self.came, errback=self.failed, **arguments)

    def came(self, response: Any) -> Any:
        asked = response.meta.get("redirect_urls", [response.request.url])[0]
        flags = [*map(str, response.flags)]
        yield {"asked": asked, "status": response.status, "at": response.url, "flags": flags}

    def failed(self, failure: Any) -> Any:
        request, error = failure.request, failure.value
        asked = request.meta.get("redirect_urls", [request.url])[0]
        answer = getattr(error, "response", None)
        kinds = [each.__name__ for each in type(error).__mro__]
        yield {"asked": asked, "kinds": kinds, "status": answer.status if answer else None}
        self.failures += 1
        if self.failures == len(self.urls):
            yield from self.requests(self.last)
