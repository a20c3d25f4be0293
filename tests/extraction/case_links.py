"""What the tests of links share: a page, and the links that are read from it."""

from __future__ import annotations

from evocrawl.core.model import Link
from evocrawl.extraction import ParsedPage, parse_html

PAGE = "http://a.test/dir/page.html"


def read(html: str, url: str = PAGE) -> ParsedPage:
    return parse_html(html.encode(), url)


def urls(html: str, url: str = PAGE) -> list[str]:
    return [link.url for link in read(html, url).links]


def only_link(html: str) -> Link:
    (link,) = read(html).links
    return link
