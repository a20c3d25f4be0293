"""Middlewares, pipelines and signal handlers that cause failures at every place of a crawl."""

from __future__ import annotations

from typing import Any

from scrapy import signals
from scrapy.exceptions import DropItem, IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Request, Response


class Downloads:
    """A downloader middleware that fails in the way that the path of a request names."""

    def process_request(self, request: Request) -> Response | Request | None:
        if request.url.endswith("/endless"):
            request.meta["download_timeout"] = 1
        if request.url.endswith("/request-ignored"):
            raise IgnoreRequest("by the test")
        if request.url.endswith("/request-raises"):
            raise RuntimeError("by the test")
        if request.url.endswith("/request-answered"):
            return HtmlResponse(request.url, body=b"<p>coral</p>", request=request)
        if request.url.endswith("/request-replaced"):
            return Request(request.url.replace("replaced", "replacement"))
        return None

    def process_response(self, request: Request, response: Response) -> Response | Request:
        if request.url.endswith("/response-ignored"):
            raise IgnoreRequest("by the test")
        if request.url.endswith("/response-raises"):
            raise NotConfigured("by the test")
        if request.url.endswith("/response-replaced"):
            return request.replace(url=request.url.replace("replaced", "replacement"))
        return response

    def process_exception(
        self,
        request: Request,
        exception: Exception,  # noqa: ARG002 - Scrapy passes it
    ) -> Response | None:
        if request.url.endswith("/exception-answered"):
            return HtmlResponse(request.url, body=b"<p>coral</p>", request=request)
        return None


class Inputs:
    """A spider middleware that refuses some responses and raises errors in some outputs."""

    def process_spider_input(self, response: Response) -> None:
        if response.url.endswith("/input-raises"):
            raise ValueError("by the test")

    async def process_spider_output_async(self, response: Response, result: Any) -> Any:
        async for each in result:
            if response.url.endswith("/output-swallowed"):
                continue
            if response.url.endswith("/output-raises"):
                raise ValueError("by the test")
            yield each


class Items:
    """A pipeline that drops some pages and fails for others."""

    def process_item(self, item: Any) -> Any:
        if item.url.endswith("/item-dropped"):
            raise DropItem("by the test")
        if item.url.endswith("/item-raises"):
            raise RuntimeError("by the test")
        return item


class Signals:
    """An extension whose handlers refuse some requests."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> Signals:
        self = cls()
        crawler.signals.connect(self._scheduled, signals.request_scheduled)
        crawler.signals.connect(self._headers, signals.headers_received)
        return self

    def _scheduled(self, request: Request) -> None:
        if request.url.endswith("/never-scheduled"):
            raise IgnoreRequest("by the test")

    def _headers(self, request: Request) -> None:
        from scrapy.exceptions import StopDownload

        if request.url.endswith("/download-stopped"):
            raise StopDownload(fail=True)
