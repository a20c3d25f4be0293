"""Pipelines and spider middlewares of a project, which change items in many ways."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem
from scrapy.http import Response

from evocrawl.core.items import PageItem

HOW = ("dropped", "broken", "turned-into-a-dict", "replaced", "kept-back", "emptied", "let-through")


class Meddler:
    """Item pipeline that changes a page in the way that its address names."""

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, PageItem):
            return item
        match item.url.rpartition("/")[2]:
            case "dropped":
                raise DropItem("not wanted")
            case "broken":
                raise ConnectionError("the database is down")
            case "turned-into-a-dict":
                return ItemAdapter(item).asdict()
            case "replaced":
                return replace(item, title="another title")
            case "kept-back":
                await asyncio.sleep(2.5)
            case "emptied":
                item.text, item.content_fingerprint, item.relevance = "", "none", "much"  # type: ignore[assignment]
        return item


class Judge:
    """Item pipeline of a project that sets the relevance of pages itself."""

    def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and item.url.endswith("/dull"):
            item.relevance = 0.9
        return item


class Censor:
    """Spider middleware that lets no page through."""

    async def process_spider_output(
        self,
        response: Response,  # noqa: ARG002 - the interface's form
        result: AsyncIterator[Any],
    ) -> AsyncIterator[Any]:
        async for output in result:
            if not isinstance(output, PageItem):
                yield output
