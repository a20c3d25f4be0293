"""Reads a document with the reader for its format.

===========================  =================================================================
what                         read as
===========================  =================================================================
RDF, with the option `data`   formats and links: `rdf`
PDF, by its first bytes      text and links, with the extra ``pdf``: `pdf`
feed or sitemap, by its root text and links: `feeds`
``text/plain``               text: `plain`
HTML, also XHTML             everything: `page`
other text                   nothing, or HTML with the option `any_text`
===========================  =================================================================
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, replace

from evocrawl.extraction.decoding import header_encoding
from evocrawl.extraction.feeds import may_be_feed, read_feed
from evocrawl.extraction.head import directives
from evocrawl.extraction.html import ParsedPage, parse_html
from evocrawl.extraction.limits import Limits
from evocrawl.extraction.pdf import can_read_pdf, is_pdf, read_pdf
from evocrawl.extraction.plain_text import read_plain
from evocrawl.extraction.rdf import read_rdf

logger = logging.getLogger(__name__)

_DEFAULT = Limits()
_LEAST_BYTES = 65_536
_GZIP = b"\x1f\x8b"
_PLAIN = ("text/plain", "text/markdown")
_HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_UNKNOWN = (
    *("", "*/*", "unknown/unknown", "application/unknown", "application/octet-stream"),
    *("binary/octet-stream", "httpd/unix-directory"),
)
_BEFORE_ROOT = rb"[^<]{0,100}(?:<!--(?s:.{0,2000}?)-->\s{0,100}|<[?!][^>]{0,500}>\s{0,100}){0,5}"
_XHTML = re.compile(_BEFORE_ROOT + rb"<html[\s>]", re.I)
_FIRST_TAG = re.compile(
    rb"[\s\xef\xbb\xbf]*(?:<!doctype\shtml|<!--|<(?:html|head|script|iframe|h1|div|font|table|a|style"
    rb"|title|b|body|br|p|meta|link)[\s>])",
    re.I,
)
"""First tags of HTML (WHATWG MIME Sniffing §7.1), and other tags that begin a head."""


@dataclass(frozen=True, slots=True)
class Document:
    """A decompressed `body` from `url`, with `wire_bytes` bytes (0 if unknown) on the wire.

    `encoding` is that of the body, if the project has set one; it overrides the headers.
    `content_type`, `content_language` and `robots_tags` (X-Robots-Tag) are headers. `is_html` and
    `is_text` are the caller's classification by headers, name and first bytes. With `any_text`
    every kind of text is read, with `data` also RDF.
    """

    body: bytes
    url: str
    content_type: str = ""
    content_language: str = ""
    robots_tags: tuple[str, ...] = ()
    wire_bytes: int = 0
    is_html: bool = False
    is_text: bool = False
    any_text: bool = False
    data: bool = False
    encoding: str = ""


def read(document: Document, limits: Limits = _DEFAULT) -> ParsedPage:
    """Read a document; never raises. A document that cannot be parsed is "unreadable"."""
    try:
        return _read(*_within_ratio(document, limits), limits)
    except Exception:  # An error in one page must not stop the crawl.
        logger.warning("extraction: cannot read %.200a", document.url, exc_info=True)
        return ParsedPage.nothing("unreadable")


def beginning(body: bytes, content_type: str, wire_bytes: int, limits: Limits = _DEFAULT) -> bytes:
    """Return as much of `body` as `read` uses, and one byte more if there is more.

    A PDF file and a file that is compressed once more are returned whole.
    """
    most = max(limits.ratio * wire_bytes, limits.body_bytes, _LEAST_BYTES) + 1
    if len(body) <= most or is_pdf(body, content_type) or body.startswith(_GZIP):
        return body
    return body[:most]


def _within_ratio(document: Document, limits: Limits) -> tuple[Document, tuple[str, ...]]:
    """Return the document cut to the content that its few bytes on the wire can contain."""
    most = max(limits.ratio * document.wire_bytes, _LEAST_BYTES)
    if not document.wire_bytes or len(document.body) <= most:
        return document, ()
    return replace(document, body=document.body[:most]), ("ratio",)


def _read(document: Document, cut: tuple[str, ...], limits: Limits) -> ParsedPage:
    reading = _by_kind(document, limits)
    flags = directives(document.robots_tags)
    return replace(
        reading,
        truncated=(*cut, *reading.truncated),
        noindex=reading.noindex or "noindex" in flags,
        nofollow=reading.nofollow or "nofollow" in flags,
    )


def _is_page(body: bytes, essence: str) -> bool:
    """Return whether the first tag is one of HTML, for a type that is unknown or any XML."""
    if essence in _UNKNOWN or "/" not in essence or " " in essence or "htm" in essence:
        return _FIRST_TAG.match(body) is not None
    return _XHTML.match(body) is not None


def _by_kind(document: Document, limits: Limits) -> ParsedPage:
    body, url = document.body, document.url
    essence = document.content_type.partition(";")[0].partition(",")[0].strip().lower()
    encoding = document.encoding or header_encoding(document.content_type)
    language = document.content_language
    if document.data:
        reading = read_rdf(body, url, document.content_type, limits=limits)
        if reading.is_markup:
            return reading
    if is_pdf(body, document.content_type):
        return read_pdf(body, url, limits)
    if essence not in _HTML or may_be_feed(body):
        feed = read_feed(body, url, encoding, language, limits, is_html=essence in _HTML)
        if feed is not None:
            return feed
    if essence in _PLAIN and not document.is_html:
        return read_plain(body, encoding, language, limits)
    is_html = document.is_html or essence in _HTML or _is_page(body, essence)
    if is_html or (document.any_text and document.is_text):
        return parse_html(
            body,
            url,
            encoding=encoding,
            robots_tags=document.robots_tags,
            content_language=language,
            limits=limits,
        )
    return ParsedPage.nothing()


BYTES = 200_000
TAGS = 4_000
LINKS = 400
ENTITIES = 20_000
_ZEROS = 100


def is_costly(document: Document) -> bool:
    """Return True if reading may take longer than the slowest ordinary page.

    Only the bytes are read (0.1 ms for 200 kB): size, tags, links and entities limit the time for
    an ordinary page. These are always costly: PDF, a file that is compressed once more, UTF-16 and
    UTF-32 (their tags are not counted). Links with letters other than ASCII, or with entities, take
    twice the time of other links.
    """
    body = document.body
    if is_pdf(body, document.content_type):
        return can_read_pdf()
    if len(body) > BYTES or body.startswith(_GZIP):
        return True
    if body.count(b"\0") > _ZEROS or body.count(b"<") > TAGS:
        return True
    links = sum(map(body.lower().count, (b"<a", b"<frame", b"<iframe", b"xml:base")))
    entities = body.count(b"&")
    if entities > ENTITIES:
        return True
    is_plain = body.isascii() and entities <= LINKS
    return links > (LINKS if is_plain else LINKS // 2)
