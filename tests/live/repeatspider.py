"""A spider that requests one address several times: with dont_filter, and by form."""

from __future__ import annotations

from typing import Any

from scrapy import FormRequest, Request, Spider


class RepeatSpider(Spider):
    name = "repeats"
    start_urls = ("http://reef.test/",)

    def parse(self, response: Any) -> Any:  # noqa: ARG002 - Scrapy passes it
        yield FormRequest("http://reef.test/", self.parse_answer, formdata={"q": "reef"})
        yield Request("http://reef.test/news", self.parse_news, cb_kwargs={"left": 3})

    def parse_news(self, response: Any, left: int) -> Any:
        """Follow the link of the page, which is another one each time."""
        yield from response.follow_all(css="a", callback=self.parse_page)
        if left == 1:
            # The request object of the response, changed in place.
            response.request.cb_kwargs["left"], response.request.dont_filter = 0, True
            yield response.request
        elif left:
            yield response.request.replace(cb_kwargs={"left": left - 1}, dont_filter=True)

    def parse_answer(self, response: Any) -> Any:
        yield from response.follow_all(css="a", callback=self.parse_page)

    def parse_page(self, response: Any) -> Any:
        yield {"url": response.url}
