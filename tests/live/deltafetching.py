"""scrapy-deltafetch 2.1 for Scrapy 2.19, which needs asynchronous output."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy_deltafetch import DeltaFetch


class AsyncDeltaFetch(DeltaFetch):
    """Passes on one item or request after the other."""

    async def process_spider_output_async(
        self, response: Any, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for each in result:
            for kept in self.process_spider_output(response, [each], None):
                yield kept
