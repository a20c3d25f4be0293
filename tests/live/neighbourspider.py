"""Spiders of one project that uses other packages for Scrapy beside the add-on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import scrapy


class ReefSpider(scrapy.Spider):
    """Follows the links of its start page, and yields an item for each page that they lead to."""

    name = "reefs"
    start_urls = ("http://reef.test/",)

    def parse(self, response: Any) -> Iterator[Any]:
        yield from response.follow_all(css="a", callback=self.parse_reef, meta=self.more())

    def parse_reef(self, response: Any) -> Iterator[Any]:
        yield self.item(response)

    def more(self) -> dict[str, Any]:
        """Return the meta of the requests."""
        return {}

    def item(self, response: Any) -> dict[str, Any]:
        """Return the item of a page."""
        return {"url": response.url, "title": response.css("title::text").get()}


class FilesSpider(ReefSpider):
    """Its items have files to be downloaded."""

    name = "files"

    def item(self, response: Any) -> dict[str, Any]:
        """Return an item with a file."""
        return {"url": response.url, "file_urls": [f"{response.url}.pdf"]}


class ImpersonatingSpider(ReefSpider):
    """Its requests look like a browser's."""

    name = "impersonates"

    def more(self) -> dict[str, Any]:
        """Name the browser."""
        return {"impersonate": "chrome"}


class RotatingProxies:
    """Gives each request the next proxy of a list; a dead one is not used again."""

    def __init__(self, proxies: list[str]) -> None:
        self._proxies = proxies
        self._next = itertools.count()

    @classmethod
    def from_crawler(cls, crawler: Any) -> RotatingProxies:
        return cls(crawler.settings.getlist("ROTATING_PROXIES"))

    def process_request(self, request: Any) -> None:
        request.meta["proxy"] = self._proxies[next(self._next) % len(self._proxies)]

    def process_exception(self, request: Any, exception: Exception) -> Any:
        if not isinstance(exception, scrapy.exceptions.DownloadConnectionRefusedError):
            return None
        if len(self._proxies) > 1 and request.meta["proxy"] in self._proxies:
            self._proxies.remove(request.meta["proxy"])
        return request.replace(dont_filter=True)


class Bucket:
    """Extension: an S3 of moto within this process; the bucket's objects are files at the end."""

    def __init__(self, folder: Path) -> None:
        import boto3
        from moto import mock_aws

        self._folder = folder
        self._mock = mock_aws()
        self._mock.start()
        self._s3 = boto3.client("s3", region_name="us-east-1")
        self._s3.create_bucket(Bucket="reefs")

    @classmethod
    def from_crawler(cls, crawler: Any) -> Bucket:
        bucket = cls(Path(crawler.settings["BUCKET_FOLDER"]))
        crawler.signals.connect(bucket.closed, scrapy.signals.engine_stopped)
        return bucket

    def closed(self) -> None:
        for each in self._s3.list_objects_v2(Bucket="reefs").get("Contents", ()):
            body = self._s3.get_object(Bucket="reefs", Key=each["Key"])["Body"].read()
            (self._folder / each["Key"]).write_bytes(body)
        self._mock.stop()
