"""A spider whose requests all go through Zyte API, and whose callbacks get its data."""

# No postponed annotations: scrapy-poet reads them.
from typing import Any

from neighbourspider import ReefSpider
from scrapy_poet import DummyResponse
from zyte_common_items import Article


class ZyteSpider(ReefSpider):
    """The article of a page is extracted by Zyte API."""

    name = "zyte"

    async def parse_reef(self, response: DummyResponse, article: Article) -> Any:  # noqa: ARG002
        yield {"url": article.url, "title": article.headline}
