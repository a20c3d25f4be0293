"""Reads an HTML page.

lxml parses the page; title, links and their words come from its tree, which XPath searches in C.
resiliparse finds the main text in a second tree, which is made from the first (`main_text`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Self

from lxml import etree

from evocrawl.core.model import Link
from evocrawl.extraction.data_links import with_data
from evocrawl.extraction.dates import NO_DATES, Dates, read_dates
from evocrawl.extraction.decoding import to_utf8
from evocrawl.extraction.head import directives, read_head
from evocrawl.extraction.head_end import end_head
from evocrawl.extraction.language import language_of
from evocrawl.extraction.limits import Limits
from evocrawl.extraction.links import LinkExtractor
from evocrawl.extraction.main_text import main_text
from evocrawl.extraction.parser_guards import flat, is_markup
from evocrawl.extraction.structured_data import formats_in
from evocrawl.extraction.visibility import READINGS, Hidden

_DEFAULT = Limits()
_UNREAD = ("annotation", "noframes", "script", "style", *READINGS)
_UNPLAYED = ("audio", "canvas", "noscript", "video")
"""Elements whose content is a fallback for browsers without support."""
_UNSCRIPTED_CHARS = 200
"""Shorter text in `noscript` asks for scripts and is not the content of the page."""
_string: Any = etree.XPath("string()", smart_strings=False)


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """The content of a page.

    `links` are http(s) links, absolute, one for each target, without those to the page itself;
    `rel` has their rel tokens, ``evocrawl-hidden`` for links that a person does not see, and
    ``evocrawl-data`` for links to RDF with the content of the page.
    `noindex` and `nofollow` come from meta robots and X-Robots-Tag. `language` is a primary code
    such as "en", "" when unknown. `content_fingerprint` is equal for texts that differ only in case
    and white space; empty without text. `is_markup` is False for a file that is not text, with any
    Content-Type: a PDF, an image, JSON. `formats` names the machine-readable content, in
    alphabetical order (see `evocrawl.extraction.structured_data`); the search for it takes 2 % of
    the time.

    `changes` has the links of a sitemap or feed with a date: their position in `links`, and the
    time of the last change of their page, in seconds since 1970.

    `unread` is the reason why a file that may be a page was not read, such as "takes too long to
    read".

    `truncated` names the limits of `Limits` that were reached, and "depth" if the page nests deeper
    than 256 elements and was read without its nesting: text and links are complete, contexts are
    coarse, and hidden elements are not recognised.
    """

    title: str = ""
    text: str = ""
    language: str = ""
    links: tuple[Link, ...] = ()
    canonical_url: str | None = None
    noindex: bool = False
    nofollow: bool = False
    malformed_links: int = 0
    truncated: tuple[str, ...] = ()
    content_fingerprint: bytes = b""
    is_markup: bool = True
    formats: tuple[str, ...] = ()
    dates: Dates = NO_DATES
    unread: str = ""
    changes: tuple[tuple[int, float], ...] = ()

    @classmethod
    def nothing(cls, unread: str = "") -> Self:
        """Return the reading of a file that is not text or was not read."""
        return cls(is_markup=False, unread=unread)


def parse_html(
    body: bytes,
    url: str,
    *,
    encoding: str | None = None,
    robots_tags: Sequence[str] = (),
    content_language: str = "",
    limits: Limits = _DEFAULT,
) -> ParsedPage:
    """Read the page `body` that was fetched from `url`; never raises, for any bytes.

    `encoding` is the charset of the Content-Type header, `robots_tags` are the values of
    X-Robots-Tag headers, `content_language` is that header's value.
    """
    if not is_markup(body):
        return ParsedPage.nothing()
    html, cut = to_utf8(body, encoding, limits)
    root, too_deep = _parse(html)
    if too_deep:
        cut.append("depth")
    if root is None:
        return ParsedPage(truncated=tuple(cut))
    formats, dates = formats_in(root), read_dates(root)
    unscripted = _strip_unread(root)
    hidden = Hidden(root, html)
    head = read_head(root, url, limits.url_chars, hidden)
    anchors = LinkExtractor(root, head.base_url, url, limits, hidden)
    links = with_data(anchors.collect(), head.data, head.base_url, limits)
    text = _text_of(root, hidden, unscripted)
    if len(text) > limits.text_chars:
        text = text[: limits.text_chars]
        cut.append("text_chars")
    flags = directives([*robots_tags, *head.robots])
    return ParsedPage(
        title=head.title[: limits.words_chars],
        text=text,
        language=language_of(_declared_language(root) or content_language, text),
        links=links,
        canonical_url=head.canonical_url,
        noindex="noindex" in flags,
        nofollow="nofollow" in flags,
        malformed_links=anchors.malformed,
        truncated=(*cut, *anchors.cut),
        content_fingerprint=content_fingerprint(text),
        formats=formats,
        dates=dates,
    )


def _text_of(root: Any, hidden: Hidden, unscripted: str) -> str:
    """Return the main text of a page, or that for browsers without scripts if it is the content."""
    etree.strip_elements(root, *_UNPLAYED, with_tail=False)
    hidden.empty()
    text = main_text(root)
    return unscripted if len(unscripted) > max(_UNSCRIPTED_CHARS, 5 * len(text)) else text


def shown_tree(body: bytes, encoding: str | None = None, limits: Limits = _DEFAULT) -> Any | None:
    """Return the root of the visible part of the page `body`; None if it is not a page.

    `encoding` is the charset of the Content-Type header.
    """
    if not is_markup(body):
        return None
    html, _ = to_utf8(body, encoding, limits)
    root, _ = _parse(html)
    if root is None:
        return None
    _strip_unread(root)
    hidden = Hidden(root, html)
    etree.strip_elements(root, *_UNPLAYED, with_tail=False)
    hidden.empty()
    return root


def head_and_links(
    body: bytes, encoding: str | None = None, limits: Limits = _DEFAULT
) -> Any | None:
    """Return the root of the page `body` as the server sent it, with scripts, or None."""
    if not is_markup(body):
        return None
    return _parse(to_utf8(body, encoding, limits)[0])[0]


def _parse(html: bytes) -> tuple[Any, bool]:
    """Return the root element, or None, and whether the page nests too deep.

    libxml2 drops elements deeper than 256 levels and all that follows; such a page is parsed again
    without its nesting.
    """
    root, too_deep = _parse_once(html)
    return (_parse_once(flat(html))[0], True) if too_deep else (root, False)


def _parse_once(html: bytes) -> tuple[Any, bool]:
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(html, parser) if html.strip() else None
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is not None:
        end_head(root)
    return root, any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log)


def _strip_unread(root: Any) -> str:
    """Remove the parts that no reader sees; return the parts for browsers without scripts.

    The source of formulas and the pronunciation of characters are removed, too. Of the parts for
    browsers without scripts, links and the names of pictures are kept, since this program runs no
    scripts. Their text is kept only if it is the content of the page: mostly it asks for scripts.
    A template that makes a shadow tree is kept (HTML, "declarative shadow root").
    """
    etree.strip_elements(root, *_UNREAD, with_tail=False)
    unscripted = []
    for element in root.iter("noscript", "template"):
        if element.tag == "noscript":
            unscripted.append(_string(element))
            if next(element.iter("a", "area", "img"), None) is None:
                element.tag = "template"
        elif element.get("shadowrootmode") in ("open", "closed"):
            element.tag = "div"
    etree.strip_elements(root, "template", with_tail=False)
    return " ".join(" ".join(unscripted).split())


def _declared_language(root: Any) -> str:
    html = root if root.tag == "html" else next(root.iter("html"), None)
    return "" if html is None else html.get("lang") or html.get("xml:lang") or ""


def content_fingerprint(text: str) -> bytes:
    """Return 12 bytes, equal for texts that differ only in case and spaces; b"" for no text."""
    normal = "".join(text.casefold().split())
    return blake2b(normal.encode("utf-8", "replace"), digest_size=12).digest() if normal else b""
