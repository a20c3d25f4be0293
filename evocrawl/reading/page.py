"""Reads an HTML page.

Two parsers look at the page, because together they take less time than either alone would for
both jobs (`benchmarks/reading.py`): lxml for links, whose XPath runs in C over its tree, and
resiliparse for the main text without navigation, banners, scripts and hidden elements. What the
page is, title and all, comes from the one lxml tree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Self
from urllib.parse import urljoin

from lxml import etree
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree
from resiliparse.parse.lang import detect_fast

from evocrawl.model import Link
from evocrawl.reading.anchors import Anchors
from evocrawl.reading.decoding import to_utf8
from evocrawl.reading.limits import Limits
from evocrawl.reading.robots_tags import AGENT, directives

_DEFAULT = Limits()
_LANGUAGE = re.compile(r"[a-z]{2,3}(?=$|[-_])")
_UNREAD = ("script", "style", "noscript", "template")
_SAMPLE_CHARS = 2_000
_BANNERS = [
    f"[{attribute}*='{word}' i]"
    for attribute in ("id", "class")
    for word in ("cookie", "consent", "gdpr")
]
_PLAIN: dict[str, Any] = {
    "alt_texts": False,
    "preserve_formatting": False,
    "list_bullets": False,
    "skip_elements": _BANNERS,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page says.

    `links` are http(s) links, absolute, one for each target, without those to the page itself;
    `rel` holds their rel tokens and ``evocrawl-hidden`` where a person would not see them.
    `noindex` and `nofollow` come from meta robots and X-Robots-Tag. `language` is a primary code
    such as "en", "" when unknown. `truncated` names the caps of `Limits` that were hit, and
    "depth" when the page nests deeper than the parser goes. `content_fingerprint` is equal for
    texts that are equal but for case and white space; empty for no text.
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

    @classmethod
    def nothing(cls) -> Self:
        """Return the reading of a page without any text."""
        return cls()


def read_html(
    body: bytes,
    url: str,
    *,
    encoding: str | None = None,
    robots_tags: Sequence[str] = (),
    content_language: str = "",
    limits: Limits = _DEFAULT,
) -> Reading:
    """Read the page `body` that was fetched from `url`; never raises, whatever the bytes are.

    `encoding` is the charset of the Content-Type header, `robots_tags` are the values of
    X-Robots-Tag headers, `content_language` is that header's value.
    """
    html, cut = to_utf8(body, encoding, limits)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)
    root = _parse(html, parser)
    if root is None:
        return Reading()
    if any("depth" in entry.message for entry in parser.error_log):
        cut.append("depth")
    etree.strip_elements(root, *_UNREAD, with_tail=False)
    anchors = Anchors(root, html, _base(root, url), url, limits)
    links = anchors.collect()
    text = _main_text(html)
    if len(text) > limits.text_chars:
        text = text[: limits.text_chars]
        cut.append("text_chars")
    told = directives([*robots_tags, *_meta_robots(root)])
    return Reading(
        title=_title(root)[: limits.words_chars],
        text=text,
        language=_language(root, content_language, text),
        links=links,
        canonical_url=_canonical(root, url),
        noindex="noindex" in told,
        nofollow="nofollow" in told,
        malformed_links=anchors.malformed,
        truncated=(*cut, *anchors.cut),
        content_fingerprint=_content_fingerprint(text),
    )


def _parse(html: bytes, parser: Any) -> Any:
    if not html.strip():
        return None
    try:
        return etree.fromstring(html, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _main_text(html: bytes) -> str:
    """The main content, or all that is visible where none is made out."""
    tree = HTMLTree.parse_from_bytes(html, "utf-8")
    if tree.body is None:
        return ""
    text = str(extract_plain_text(tree, main_content=True, **_PLAIN))
    return text or str(extract_plain_text(tree, **_PLAIN) or extract_plain_text(tree))


def _base(root: Any, url: str) -> str:
    """The document base URL; one that is no URL is passed over."""
    element = next(root.iter("base"), None)
    return _joined(url, element.get("href") if element is not None else None) or url


def _canonical(root: Any, url: str) -> str | None:
    for element in root.iter("link"):
        if "canonical" in (element.get("rel") or "").lower().split():
            return _joined(url, element.get("href"))
    return None


def _joined(url: str, href: str | None) -> str | None:
    try:
        return urljoin(url, href.strip()) if href else None
    except ValueError:
        return None


def _meta_robots(root: Any) -> list[str]:
    return [
        element.get("content") or ""
        for element in root.iter("meta")
        if (element.get("name") or "").strip().lower() in ("robots", AGENT)
    ]


def _title(root: Any) -> str:
    for name in ("title", "h1"):
        element = next(root.iter(name), None)
        if element is not None:
            title = " ".join("".join(element.itertext()).split())
            if title:
                return title
    return ""


def _language(root: Any, content_language: str, text: str) -> str:
    """What the page says of itself, or else what its text looks like."""
    html = root if root.tag == "html" else next(root.iter("html"), None)
    declared = (html.get("lang") if html is not None else None) or content_language
    match = _LANGUAGE.match(declared.strip().lower())
    if match:
        return match.group()
    if not text:
        return ""
    found, _ = detect_fast(text[:_SAMPLE_CHARS])
    return "" if found == "unknown" else str(found)


def _content_fingerprint(text: str) -> bytes:
    normal = "".join(text.casefold().split())
    return blake2b(normal.encode("utf-8", "replace"), digest_size=12).digest() if normal else b""
