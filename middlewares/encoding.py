"""Sets the encoding of pages that Scrapy would decode slowly or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import TextResponse

from evocrawl.adapter.response_encoding import chosen_encoding, declared_encoding
from evocrawl.extraction.decoding import safe_encoding

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response


class EncodingMiddleware:
    """Downloader middleware between decompression and the first that decodes (meta refresh).

    A page may declare any codec of Python as its encoding. Some raise ("hex"), and "punycode" takes
    time quadratic in the size of the page. If a big page declares none, Scrapy's guess may take
    half a second for each megabyte. ASCII that is declared as UTF-16 is not text for Scrapy. Such
    responses get an encoding before another component asks for one. An encoding that the project
    has set stays.
    """

    def process_response(self, request: Request, response: Response) -> Response:  # noqa: ARG002 - Scrapy's interface
        """Return the response, with a safe encoding if the declared one cannot be used."""
        if not isinstance(response, TextResponse) or chosen_encoding(response) is not None:
            return response
        encoding = safe_encoding(response.body, declared_encoding(response))
        return response if encoding is None else response.replace(encoding=encoding)
