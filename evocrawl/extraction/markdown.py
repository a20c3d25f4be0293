"""The main text of a page as Markdown (CommonMark with the tables of GitHub).

markdownify converts the parts of the page from which its main text comes, with their tables and
programs. The result is safe to display: it has no HTML, no pictures that a viewer would load, links
to http and https only, and no invisible characters.
"""

from __future__ import annotations

import re

from lxml import etree

from evocrawl.core.errors import EvocrawlError
from evocrawl.core.fetch import RawResponse
from evocrawl.extraction.content_coding import decoded
from evocrawl.extraction.decoding import header_encoding
from evocrawl.extraction.html import shown_tree
from evocrawl.extraction.markdown_parts import keep_main_parts, simplify
from evocrawl.extraction.markdown_text import escaped, finished, without_unseen

_HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml", "")
_TITLE = re.compile("(?m)^# ")
_SPACES = re.compile(r"(?m)^[ \t]+$")


class MarkdownError(EvocrawlError, ImportError):
    """The extra "markdown" is not installed."""


def markdown_of(url: str, title: str, text: str, response: RawResponse | None) -> str:
    """Return the page as Markdown, with its title as heading; ends in a line feed.

    `text` is the main text that the crawl has read. Without a response, or if the response is not
    the page (a PDF, a feed, an app whose text scripts have made), the result is the escaped text.
    Raises MarkdownError.
    """
    text = without_unseen(text)
    body = None if response is None else body_of(response)
    found = "" if response is None or body is None else _converted(body, url, text, response)
    found = found or escaped(text)
    title = without_unseen(" ".join(title.split()))
    if title and _TITLE.search(found) is None:
        found = f"# {escaped(title)}\n\n{found}"
    return _SPACES.sub("", found).strip() + "\n"


def header_of(response: RawResponse, name: str) -> str:
    """Return the values of a header, separated by commas; "" if it is missing."""
    return ",".join(value for each, value in response.headers if each.lower() == name)


def body_of(response: RawResponse) -> bytes | None:
    """Return the decoded body of an HTML page; None for a file of another kind."""
    kind = _content_type(response).partition(";")[0].strip().lower()
    if kind not in _HTML:
        return None
    return decoded(response.body, header_of(response, "content-encoding").split(","))


def _content_type(response: RawResponse) -> str:
    """Return the last Content-Type: it wins where a server sends two (WHATWG Fetch, §2.2.2)."""
    return header_of(response, "content-type").rpartition(",")[2]


def _converted(body: bytes, url: str, text: str, response: RawResponse) -> str:
    """Return the main parts of an HTML page as Markdown; "" where `text` is not of this page."""
    try:
        from evocrawl.extraction.markdown_converter import SafeConverter
    except ImportError as error:
        raise MarkdownError(f"Markdown needs pip install 'evocrawl[markdown]' ({error})") from None
    root = shown_tree(body, header_encoding(_content_type(response)))
    if root is None or not keep_main_parts(root, text):
        return ""
    simplify(root)
    html = without_unseen(etree.tostring(root, encoding="unicode", method="html"))
    try:
        return finished(str(SafeConverter(url).convert(html)))
    except RecursionError:  # the page nests too deep for the converter
        return ""
