"""Feeds and sitemaps: RSS 0.9 to 2.0, RDF Site Summary, Atom (RFC 4287), sitemaps.org.

Elements are recognised by their names in any namespace, since many feeds declare a wrong namespace
or none. If two elements have the same name, the one with the prefix of the entry counts (``title``
before ``media:title``). The text of a feed is the text of its entries. Each entry is a link: its
title is the anchor and its summary the context. A sitemap has links and no text; it may be a plain
list of addresses.

No entity is loaded or resolved (XXE, CWE-611), except those of HTML; any other ampersand is text.
Of a file that is not well-formed XML, the part before the error is read.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from html import escape, unescape
from html.entities import html5
from itertools import chain
from typing import Any

from lxml import etree

from evocrawl.core.urls.resolve import resolve
from evocrawl.extraction.data_links import dated_links, links_to
from evocrawl.extraction.decoding import decoded
from evocrawl.extraction.html import ParsedPage, content_fingerprint
from evocrawl.extraction.language import language_of
from evocrawl.extraction.limits import Limits
from evocrawl.extraction.possessive import compiled
from evocrawl.extraction.visibility import INLINE
from evocrawl.extraction.word_gaps import between_neighbours

_START = compiled(
    r"[\s\ufeff]*+(?:<[?][^>]*+>\s*+|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\]\s*+)?>\s*+"
    r"|<!--(?:(?!-->).)*+-->\s*+)*+"
    r"<(?:[\w.-]+:)?(rss|feed|rdf:RDF|RDF|urlset|sitemapindex)[\s>]",
    re.S | re.I,
)
_WARNINGS = compiled(r"(?:[^<]|</?(?:b|br|p|pre)\b[^>]*+>)*+(?=<(?:[?!]|[\w.:-]+[\s>]))", re.I)
"""Warnings that a program (PHP) writes before the feed."""
_START_CHARS = 4_000
_ADDRESS = re.compile(r"\s*https?://", re.I)
_ADDRESSES = compiled(r"\s*+(?:https?://\S++(?:\s++|\Z))++", re.I)
_MAY_BE = re.compile(rb"<(?:[\w.-]+:)?(?:rss|feed|RDF|urlset|sitemapindex)[\s>]", re.I)
_TAG = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*+>", re.S | re.I)
_TAG_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")
_AMPERSAND = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:\#\d+|\#[xX][0-9a-fA-F]+|amp|lt|gt|quot|apos);)(\w{1,32};)?",
    re.S,
)
_SURROGATE = re.compile(
    rb"""&\#(?:
        x0*+ d[89a-f][0-9a-f]{2} (?![0-9a-f])
        | 0*+ (?:5529[6-9] | 55[3-9]\d\d | 56\d{3} | 57[0-2]\d\d | 573[0-3]\d | 5734[0-3]) (?!\d)
    );?""",
    re.VERBOSE | re.I,
)
"""References to no character: libxml2 accepts them, and lxml cannot decode them."""
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_CHECKSUM_BYTES = 8
_MEMBERS = 16
_LAYERS = 2
_CHANGED = ("updated", "modified")
"""Of Atom and of Dublin Core; ``pubDate`` and ``dc:date`` are no dates of changes."""
_SUMMARIES = ("description", "summary", "content", "encoded")
_ENTRY_CHARS = 2_000
_GZIP = b"\x1f\x8b"


def may_be_feed(body: bytes) -> bool:
    """Return False if the first tags are not those of a feed (WHATWG MIME Sniffing §7.3)."""
    return _MAY_BE.search(body, 0, _START_CHARS) is not None


def read_feed(
    body: bytes,
    url: str,
    encoding: str | None,
    content_language: str,
    limits: Limits,
    *,
    is_html: bool = False,
) -> ParsedPage | None:
    """Read the feed or sitemap `body` that was fetched from `url`; None if it is neither.

    A file of gzip (also gzip twice), as many sitemaps are, is decompressed up to
    ``limits.body_bytes``. With `is_html`, only a file that begins as a feed or sitemap is read.
    """
    truncated: tuple[str, ...] = ()
    for _ in range(_LAYERS):
        if body.startswith(_GZIP):
            body = _inflated(body, limits.body_bytes + 1)
    if len(body) > limits.body_bytes:
        body, truncated = body[: limits.body_bytes], ("body_bytes",)
    text = _from_root(decoded(body, encoding), is_html=is_html)
    if not _START.match(text, 0, _START_CHARS):
        return _list_of_addresses(text, url, limits, truncated)
    root = _parse(_AMPERSAND.sub(_escaped, text).encode("utf-8", "replace"))
    if root is None:
        return ParsedPage(truncated=truncated)
    entries = [_Entry(each) for each in _named(root, "item", "entry")]
    title = _title(root)
    words = " ".join([title, *(f"{each.title} {each.summary}" for each in entries)])
    whole = " ".join(words.split())
    if len(whole) > limits.text_chars:
        truncated += ("text_chars",)
    bases = _Bases(url, limits.url_chars)
    found = ((_absolute(bases[e.element], e.address), e.title, e.words, e.changed) for e in entries)
    links, changes = dated_links(chain(found, _places(root)), url, limits)
    return ParsedPage(
        title=title[: limits.words_chars],
        text=whole[: limits.text_chars],
        language=language_of(_language(root) or content_language, whole),
        links=links,
        changes=changes,
        truncated=truncated,
        content_fingerprint=content_fingerprint(whole),
    )


def _from_root(text: str, *, is_html: bool) -> str:
    """Return the text without the warnings of a program before the feed, if it is not a page."""
    if is_html or _START.match(text, 0, _START_CHARS):
        return text
    found = _WARNINGS.match(text, 0, _START_CHARS)
    return text[found.end() :] if found else text


def _list_of_addresses(
    text: str, url: str, limits: Limits, truncated: tuple[str, ...]
) -> ParsedPage | None:
    """Return a sitemap of plain text, an address a line (sitemaps.org), or None."""
    if not _ADDRESS.match(text) or not _ADDRESSES.fullmatch(text.rpartition("\n")[0] or text):
        return None
    found = ((each, "", "") for each in text.split() if _ADDRESS.match(each))
    return ParsedPage(links=tuple(links_to(found, url, limits)), truncated=truncated)


class _Entry:
    """The address, the words and the date of the last change of one entry."""

    def __init__(self, element: Any) -> None:
        self.element = element
        self.title = self.address = self.summary = self.changed = ""
        guid = ""
        for child in sorted(element, key=lambda each: _prefix(each) != _prefix(element)):
            name = _name(child)
            if name == "title":
                self.title = self.title or _words(child)
            elif name == "link" and _relation(child) == "alternate":
                self.address = self.address or child.get("href") or (child.text or "")
            elif name == "guid" and child.get("isPermaLink", "true").lower() == "true":
                guid = child.text if _ADDRESS.match(child.text or "") else ""
            elif name in _CHANGED:
                self.changed = self.changed or child.text or ""
            elif name in _SUMMARIES:
                self.summary = self.summary or _words(child)
        self.address = self.address or guid
        self.words = f"{self.title} {self.summary}".strip()


def _relation(link: Any) -> str:
    """Return the relation of a link; its registered name may be a URI (RFC 4287 §4.2.7.2)."""
    return str(link.get("rel", "alternate")).strip().lower().rpartition("/")[2]


class _Bases(dict[Any, str]):
    """Return the base of the addresses in each element (XML Base; RFC 4287 §2)."""

    def __init__(self, url: str, most_chars: int) -> None:
        super().__init__()
        self._url = url
        self._most_chars = most_chars

    def __missing__(self, element: Any) -> str:
        parent = element.getparent()
        around = self._url if parent is None else self[parent]
        base = _absolute(around, element.get(_BASE) or "")
        self[element] = base = base if base and len(base) <= self._most_chars else around
        return base


def _absolute(base: str, written: str) -> str:
    try:
        return resolve(base, written) or ""
    except ValueError:
        return ""


def _escaped(match: re.Match[str]) -> str:
    """Return an entity of HTML as its character, any other ampersand as text."""
    if match[0].startswith("<"):
        return match[0]
    char = html5.get(match[1] or "")
    return escape(char) if char else f"&amp;{match[1] or ''}"


def _parse(utf8: bytes) -> Any:
    """Return the root element, or None. The declared encoding is wrong now, so it is ignored."""
    parser = etree.XMLParser(
        encoding="utf-8", recover=True, resolve_entities=False, no_network=True, load_dtd=False,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        return etree.fromstring(_SURROGATE.sub(b"", utf8), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _title(root: Any) -> str:
    """Return the title of the feed, not of an entry."""
    for child in (*root, *(each for channel in _named(root, "channel") for each in channel)):
        if _name(child) == "title":
            return _words(child)
    return ""


def _language(root: Any) -> str:
    declared = root.get("{http://www.w3.org/XML/1998/namespace}lang")
    return declared or (root.findtext("{*}channel/{*}language") or "")


def _places(root: Any) -> Iterator[tuple[str, str, str, str]]:
    for place in _named(root, "url", "sitemap"):
        own = sorted(place, key=lambda each: _prefix(each) != _prefix(place))
        address = next((each.text for each in own if _name(each) == "loc" and each.text), "")
        if address:
            date = next((each.text for each in own if _name(each) == "lastmod" and each.text), "")
            yield address, "", "", date


def _named(root: Any, *names: str) -> Iterator[Any]:
    return (each for each in root.iter() if _name(each) in names)


def _name(element: Any) -> str:
    """Return the name without namespace and without an undeclared prefix."""
    return str(element.tag).rpartition("}")[2].rpartition(":")[2]


def _prefix(element: Any) -> str:
    return element.prefix or str(element.tag).rpartition("}")[2].rpartition(":")[0]


def _words(element: Any) -> str:
    """Return the text of an element, whose HTML may be escaped."""
    parts = []
    for event, each in etree.iterwalk(element, events=("start", "end")):
        if each is not element and _name(each).lower() not in INLINE:
            parts.append(" ")
        parts.append((each.text if event == "start" else each is not element and each.tail) or "")
    text = unescape("".join(parts)[:_ENTRY_CHARS])
    text = between_neighbours(text.encode("utf-8", "replace")).decode()
    return " ".join(unescape(_TAG.sub(_gap, text)).replace("\0", "").split())


def _gap(tag: re.Match[str]) -> str:
    """Return the replacement of a tag: "" for a tag within a line."""
    name = _TAG_NAME.match(tag[0])
    return "" if name and name[1].lower() in INLINE else " "


def _inflated(body: bytes, most: int) -> bytes:
    """Return at most `most` decompressed bytes, up to the first error.

    A file may have several parts (RFC 1952 §2.2). A wrong or missing check sum at the end of a part
    is ignored.
    """
    whole = b""
    for _ in range(_MEMBERS):
        if not body.startswith(_GZIP) or len(whole) >= most:
            break
        inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            whole += inflater.decompress(body[:-_CHECKSUM_BYTES], most - len(whole))
            rest = inflater.unconsumed_tail + inflater.unused_data + body[-_CHECKSUM_BYTES:]
            if not inflater.eof and len(whole) < most:
                whole += inflater.decompress(rest, most - len(whole))
                rest = inflater.unused_data
        except zlib.error:
            break
        body = rest
    return whole
