"""Keeps pages from making Scrapy decode them for seconds, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import TextResponse
from w3lib.encoding import http_content_type_encoding

from evocrawl.reading.decoding import safe_encoding

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response


class EncodingMiddleware:
    """Downloader middleware between decompression and the first that decodes (meta refresh).

    A page may declare any codec of Python as its encoding. Some raise ("hex"), and "punycode" takes
    time quadratic in the size of the page; where a big page declares none, Scrapy's guess may take
    half a second for each megabyte. Such responses get an encoding before anybody asks for one.
    """

    def process_response(self, request: Request, response: Response) -> Response:  # noqa: ARG002 - Scrapy's interface
        """Return the response, with an encoding of its own where what it has is not to be used."""
        if not isinstance(response, TextResponse):
            return response
        header = response.headers.get(b"Content-Type") or b""
        told = http_content_type_encoding(header.decode("latin-1"))
        encoding = safe_encoding(response.body, told)
        return response if encoding is None else response.replace(encoding=encoding)
