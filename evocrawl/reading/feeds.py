"""Feeds and sitemaps: RSS 0.9 to 2.0, RDF Site Summary, Atom (RFC 4287), sitemaps.org.

Elements go by their names alone, whatever their namespace: many feeds name a wrong one, or none.
A feed's text is what its entries say; each entry is a link, its title the anchor and its summary
the context. A sitemap has no text, only links.

No entity is loaded or resolved (XXE, CWE-611), and what is no well-formed XML is read as far as
it goes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from html import unescape
from typing import Any

from lxml import etree

from evocrawl.reading.decoding import decoded
from evocrawl.reading.language import language_of
from evocrawl.reading.limits import Limits
from evocrawl.reading.page import Reading, content_fingerprint
from evocrawl.reading.targets import links_to

_START = re.compile(
    r"[\s\ufeff]*+(?:<(?:[?]|!DOCTYPE)[^>]*+>\s*+|<!--(?:(?!-->).)*+-->\s*+)*+"
    r"<(?:[\w.-]+:)?(rss|feed|rdf:RDF|RDF|urlset|sitemapindex)[\s>]",
    re.S | re.I,
)
_START_CHARS = 4_000
_TAG = re.compile(r"<[^<>]*+>")
_SURROGATE = re.compile(
    rb"""&\#(?:
        x0*+ d[89a-f][0-9a-f]{2} (?![0-9a-f])
        | 0*+ (?:5529[6-9] | 55[3-9]\d\d | 56\d{3} | 57[0-2]\d\d | 573[0-3]\d | 5734[0-3]) (?!\d)
    );?""",
    re.VERBOSE | re.I,
)
"""References to no character, which libxml2 lets through and lxml cannot decode."""
_SUMMARIES = ("description", "summary", "content", "encoded")
_ENTRY_CHARS = 2_000
_GZIP = b"\x1f\x8b"


def read_feed(
    body: bytes, url: str, encoding: str | None, content_language: str, limits: Limits
) -> Reading | None:
    """Read the feed or sitemap `body` that was fetched from `url`; None where it is neither.

    A file of gzip, as sitemaps often are, is decompressed up to ``limits.body_bytes``.
    """
    truncated: tuple[str, ...] = ()
    if body.startswith(_GZIP):
        body = _inflated(body, limits.body_bytes + 1)
    if len(body) > limits.body_bytes:
        body, truncated = body[: limits.body_bytes], ("body_bytes",)
    text = decoded(body, encoding)
    if not _START.match(text, 0, _START_CHARS):
        return None
    root = _parse(text.encode("utf-8", "replace"))
    if root is None:
        return Reading(truncated=truncated)
    entries = [_Entry(each) for each in root.iter("{*}item", "{*}entry")]
    title = _title(root)
    words = " ".join([title, *(f"{each.title} {each.summary}" for each in entries)])
    whole = " ".join(words.split())
    if len(whole) > limits.text_chars:
        truncated += ("text_chars",)
    found = [(each.address, each.title, f"{each.title} {each.summary}") for each in entries]
    return Reading(
        title=title[: limits.words_chars],
        text=whole[: limits.text_chars],
        language=language_of(_language(root) or content_language, whole),
        links=tuple(links_to([*found, *_places(root)], url, limits)),
        truncated=truncated,
        content_fingerprint=content_fingerprint(whole),
    )


class _Entry:
    """Address and words of one entry."""

    def __init__(self, element: Any) -> None:
        self.title = self.address = self.summary = ""
        guid = ""
        for child in element:
            name = _name(child)
            if name == "title":
                self.title = self.title or _words(child)
            elif name == "link" and child.get("rel", "alternate") == "alternate":
                self.address = self.address or child.get("href") or (child.text or "")
            elif name == "guid" and child.get("isPermaLink", "true") == "true":
                guid = child.text or ""
            elif name in _SUMMARIES:
                self.summary = self.summary or _words(child)
        self.address = self.address or guid


def _parse(utf8: bytes) -> Any:
    """The root element; None for nothing. An encoding that is declared is not true any more."""
    parser = etree.XMLParser(
        encoding="utf-8", recover=True, resolve_entities=False, no_network=True, load_dtd=False,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        return etree.fromstring(_SURROGATE.sub(b"", utf8.replace(b"\0", b"")), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _title(root: Any) -> str:
    """The title of the feed, which is that of no entry."""
    for child in (*root, *(each for channel in root.iter("{*}channel") for each in channel)):
        if _name(child) == "title":
            return _words(child)
    return ""


def _language(root: Any) -> str:
    declared = root.get("{http://www.w3.org/XML/1998/namespace}lang")
    return declared or (root.findtext("{*}channel/{*}language") or "")


def _places(root: Any) -> Iterator[tuple[str, str, str]]:
    for place in root.iter("{*}url", "{*}sitemap"):
        address = place.findtext("{*}loc")
        if address:
            yield address, "", ""


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _words(element: Any) -> str:
    """The text of an element, whose HTML may be escaped."""
    text = "".join(element.itertext())[:_ENTRY_CHARS]
    return " ".join(unescape(_TAG.sub(" ", unescape(text))).replace("\0", "").split())


def _inflated(body: bytes, most: int) -> bytes:
    """At most `most` bytes of what was compressed, as far as it is whole."""
    try:
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(body, most)
    except zlib.error:
        return b""
