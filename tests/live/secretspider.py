"""A spider that sends its own key with its requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, Spider

HEADERS = {"X-Api-Key": "k3y-secret", "Authorization": "Bearer t0ken", "Accept-Language": "fr"}


class SecretSpider(Spider):
    name = "secrets"

    async def start(self) -> AsyncIterator[Request]:
        for plain in (True, False):
            for path in ("away", "refresh", "home"):
                yield Request(
                    f"http://reef.test/{path}/{plain}",
                    headers=HEADERS,
                    meta={"evocrawl": False} if plain else {},
                )

    def parse(self, response: Any) -> Any:
        yield {"url": response.url}
