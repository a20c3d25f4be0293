"""A spider whose requests are no links: they do not go through the population."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import FormRequest, Request, Spider
from scrapy.http import Response

HOME = "http://reef.test/"
PLAIN = {"evocrawl": False}


class Kept(Spider):
    """Requests forms, redirects and data: URLs outside the population."""

    name = "kept"

    async def start(self) -> AsyncIterator[Request]:
        yield Request(HOME, self.home, meta=PLAIN)
        yield Request("data:,start", self.data, dont_filter=True)

    def home(self, _: Response) -> Iterator[Any]:
        for number in range(12):
            yield Request(
                f"{HOME}plain/{number}", self.page, meta=PLAIN, cb_kwargs={"number": number}
            )
            yield FormRequest(
                f"{HOME}form", self.page, formdata={"n": str(number)}, meta=PLAIN,
                cb_kwargs={"number": 100 + number},
            )  # fmt: skip
            yield Request(f"data:,{number}", self.data)
            yield Request(f"{HOME}go/{number}", self.page, cb_kwargs={"number": 200 + number})
        yield Request(HOME + "lost", lambda _: {"lost": 1}, meta=PLAIN, priority=-9)

    def page(self, response: Response, number: int) -> dict[str, Any]:
        return {"number": number, "url": response.url}

    def data(self, response: Response) -> dict[str, Any]:
        return {"data": response.text}
