"""What the tests of text share: the URL of a page, and its text."""

from __future__ import annotations

from evocrawl.extraction import parse_html

PAGE = "http://a.test/page"


def text_of(html: str) -> str:
    return parse_html(html.encode(), PAGE).text
