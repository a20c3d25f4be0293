"""Keeps pages from making Scrapy decode them for seconds, or not at all."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from scrapy.http import TextResponse
from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    resolve_encoding,
)

from evocrawl.extraction.decoding import is_web_encoding, safe_encoding

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response


class EncodingMiddleware:
    """Downloader middleware between decompression and the first that decodes (meta refresh).

    A page may declare any codec of Python as its encoding. Some raise ("hex"), and "punycode" takes
    time quadratic in the size of the page; where a big page declares none, Scrapy's guess may take
    half a second for each megabyte. ASCII that is called UTF-16 is no text at all in Scrapy. Such
    responses get an encoding before anybody asks for one. What the project has set stays.
    """

    def process_response(self, request: Request, response: Response) -> Response:  # noqa: ARG002 - Scrapy's interface
        """Return the response, with an encoding of its own where what it has is not to be used."""
        if not isinstance(response, TextResponse) or chosen_encoding(response) is not None:
            return response
        encoding = safe_encoding(response.body, _told(response))
        return response if encoding is None else response.replace(encoding=encoding)


def chosen_encoding(response: Response) -> str | None:
    """Return the encoding that the project has set for a response; None where it has set none.

    A middleware sets one with the text that it makes, or knows better than server and page. One
    that is as declared, and that no page is written in, has come by way of ``response.replace``.
    """
    name: str | None = getattr(response, "_encoding", None)
    if name is None or not isinstance(response, TextResponse):
        return None
    if is_web_encoding(name, response.body):
        return name
    declared = (_told(response), html_body_declared_encoding(response.body))
    is_declared = resolve_encoding(name) in [resolve_encoding(each) for each in declared if each]
    return None if is_declared or not _is_of_text(name) else name


def _told(response: Response) -> str | None:
    header = response.headers.get(b"Content-Type") or b""
    return http_content_type_encoding(header.decode("latin-1"))


def _is_of_text(name: str) -> bool:
    try:
        return codecs.lookup(name)._is_text_encoding
    except LookupError:
        return False
