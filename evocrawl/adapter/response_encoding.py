"""Finds the encoding of a response by its headers, its body and the project's own choice."""

from __future__ import annotations

import codecs

from scrapy.http import Response, TextResponse
from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    resolve_encoding,
)

from evocrawl.adapter.scrapy_internals import given_encoding
from evocrawl.extraction.decoding import is_web_encoding


def chosen_encoding(response: Response) -> str | None:
    """Return the encoding that the project has set for a response; None if it has set none.

    A middleware sets one with a text that it makes, or if it knows better than server and page. An
    encoding that equals the declared one, and that no page is written in, was copied by
    ``response.replace``.
    """
    name = given_encoding(response)
    if name is None or not isinstance(response, TextResponse):
        return None
    if is_web_encoding(name, response.body):
        return name
    declared = (declared_encoding(response), html_body_declared_encoding(response.body))
    is_declared = resolve_encoding(name) in [resolve_encoding(each) for each in declared if each]
    return None if is_declared or not _is_of_text(name) else name


def declared_encoding(response: Response) -> str | None:
    """Return the encoding of the Content-Type header, None if it names none."""
    header = response.headers.get(b"Content-Type") or b""
    return http_content_type_encoding(header.decode("latin-1"))


def _is_of_text(name: str) -> bool:
    try:
        return codecs.lookup(name)._is_text_encoding
    except LookupError:
        return False
