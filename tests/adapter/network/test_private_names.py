"""The private parts of Twisted and of Scrapy's handlers are where `adapter/network` looks for them.

A test fails when a part is renamed. `tests/adapter/test_scrapy_internals.py` looks at the pool and
the handlers of a crawl that runs.
"""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.core.downloader.handlers import DownloadHandlers
from scrapy.core.downloader.handlers._base_streaming import BaseStreamingDownloadHandler
from scrapy.utils.test import get_crawler
from twisted.internet.protocol import Factory
from twisted.web._newclient import HTTP11ClientProtocol, HTTPClientParser
from twisted.web.client import HTTPConnectionPool

from evocrawl.adapter.network.handlers import wrap_downloads


def test_the_pool_makes_connections_by_a_factory_and_takes_them_back() -> None:
    """`keep_honest` and `bound_headers` replace these three."""
    pool: Any = HTTPConnectionPool(object())
    assert pool.retryAutomatically is True
    assert callable(pool._putConnection)
    assert issubclass(pool._factory, Factory)


def test_a_connection_has_a_parser_that_gets_each_line() -> None:
    """`bound_headers` counts the lines."""
    assert HTTP11ClientProtocol._parser is None
    assert callable(HTTPClientParser.lineReceived)


def test_a_handler_checks_its_package_by_a_method_of_its_class() -> None:
    """The method raises NotConfigured if the package of the handler is not installed."""
    assert callable(BaseStreamingDownloadHandler._check_deps_installed)


@pytest.mark.parametrize("name", ["_schemes", "_notconfigured", "_get_handler"])
def test_the_handlers_of_the_downloader_are_found_by_scheme(name: str) -> None:
    """Those that are configured, those that cannot be used, and the one of a scheme."""
    assert hasattr(DownloadHandlers(get_crawler()), name)


def test_the_downloader_sends_by_the_function_that_is_wrapped() -> None:
    """Its name is the one that the downloader calls."""
    handlers: Any = DownloadHandlers(get_crawler())
    before = handlers.download_request_async

    async def send(_: Any) -> Any: ...

    assert wrap_downloads(handlers, send) == before
    assert handlers.download_request_async is send
