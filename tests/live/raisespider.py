"""A spider whose callbacks raise, and a spider middleware that handles some of what they raise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.http import Response

HOME = "http://reef.test/"


class Raises(Spider):
    """Requests a page of each kind; its callbacks raise an error of that kind."""

    name = "raises"
    custom_settings = {"SPIDER_MIDDLEWARES": {"raisespider.Handles": 500}}  # noqa: RUF012

    async def start(self) -> AsyncIterator[Request]:
        self.crawler.signals.connect(self.raised, signals.spider_error)
        for kind in ("plain", "generates", "awaits", "refused", "broken"):
            for handled in ("", "?handled"):
                yield Request(f"{HOME}{kind}{handled}", getattr(self, kind), errback=self.failed)

    def plain(self, response: Response) -> Any:
        raise ValueError(response.url)

    def generates(self, response: Response) -> Iterator[Any]:
        yield {"before": response.url}
        raise ValueError(response.url)

    async def awaits(self, response: Response) -> Any:
        raise ValueError(response.url)

    refused = broken = plain

    def parse(self, response: Response, **_: Any) -> dict[str, str]:
        return {"on": response.url}

    def failed(self, failure: Any) -> None:
        self.crawler.stats.inc_value(f"raises/errback/{failure.request.url.removeprefix(HOME)}")
        failure.raiseException()

    def raised(self, failure: Any, response: Response) -> None:  # noqa: ARG002
        self.crawler.stats.inc_value(f"raises/error/{response.url.removeprefix(HOME)}")


class Handles:
    """Handles exceptions of some pages; raises errors itself before or after some callbacks."""

    def process_spider_input(self, response: Response) -> None:
        if "refused" in response.url and not response.url.endswith("-on"):
            raise LookupError(response.url)

    def process_spider_exception(self, response: Response, exception: Exception) -> Any:
        if response.url.endswith("?handled"):
            return iter([{"handled": type(exception).__name__}, Request(response.url + "-on")])
        if "broken" in response.url:
            raise KeyError(response.url)
        return None
