"""A spider whose callbacks get page objects by scrapy-poet."""

# No postponed annotations: scrapy-poet reads them.
from typing import Any

import attrs
from neighbourspider import ReefSpider
from scrapy_poet import DummyResponse
from web_poet import WebPage, field


@attrs.define
class Reef:
    """What a page is about."""

    url: str
    title: str


class ReefPage(WebPage[Reef]):
    """A page of a reef."""

    @field
    def url(self) -> str:
        return str(self.response.url)

    @field
    def title(self) -> str:
        return self.css("title::text").get(default="")


class PoetSpider(ReefSpider):
    """Its callback does not take the response."""

    name = "poet"

    async def parse_reef(self, response: DummyResponse, page: ReefPage) -> Any:  # noqa: ARG002
        yield await page.to_item()
