"""Reads a page's title, base and canonical address, and robots directives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from lxml import etree

from evocrawl.core.urls.resolve import resolve
from evocrawl.extraction.structured_data import MEDIA_TYPES
from evocrawl.extraction.visibility import Hidden

_SAME = frozenset(("alternate", "describedby", "meta"))
_string: Any = etree.XPath("string()", smart_strings=False)


@dataclass(slots=True)
class Head:
    """The head of a page: `base_url` and `canonical_url` are absolute URLs.

    `robots` has the contents of meta robots; `data` has the addresses of RDF files with the content
    of the page, each with its title.
    """

    base_url: str
    title: str = ""
    canonical_url: str | None = None
    robots: list[str] = field(default_factory=list)
    data: list[tuple[str, str]] = field(default_factory=list)


def read_head(root: Any, url: str, most_chars: int, hidden: Hidden) -> Head:
    """Read the head of the page at `url`; its elements may be anywhere in the page.

    The title is the text of the first `title` element with text, except those of drawings, or else
    of the first `h1` with text that is not `hidden`. The base is that of the first `base` element
    with an address; if this is not an http(s) URL of at most `most_chars`, the page's own address
    is the base (HTML, "set the frozen base URL"). The first canonical link counts, too; it is
    relative to the base.
    """
    head = Head(url)
    heading = ""
    base = canonical = None
    for element in root.iter("base", "link", "meta", "title", "h1"):
        tag = element.tag
        if tag == "meta":
            if (element.get("name") or "").strip().lower() in ("robots", AGENT):
                head.robots.append(element.get("content") or "")
        elif tag == "link":
            if _is_data(element):
                head.data.append((element.get("href") or "", element.get("title") or ""))
            elif canonical is None and _is_canonical(element):
                canonical = element.get("href")
        elif tag == "base":
            base = element.get("href") if base is None else base
        elif tag == "title":
            head.title = head.title or ("" if _is_of_a_picture(element) else _words(element))
        elif element not in hidden.elements:
            heading = heading or _words(element)
    head.base_url = _joined(url, base, most_chars) or url
    head.canonical_url = _joined(head.base_url, canonical, most_chars)
    head.title = head.title or heading
    return head


def _is_of_a_picture(title: Any) -> bool:
    return next(title.iterancestors("svg"), None) is not None


def _is_canonical(link: Any) -> bool:
    return "canonical" in (link.get("rel") or "").lower().split()


def _is_data(link: Any) -> bool:
    kind = (link.get("type") or "").partition(";")[0].strip().lower()
    rel = (link.get("rel") or "").lower().split()
    return kind in MEDIA_TYPES and not _SAME.isdisjoint(rel)


def _joined(base: str, href: str | None, most_chars: int) -> str | None:
    try:
        url = resolve(base, href or "")
        urlsplit(url or "").port  # noqa: B018 - it raises where there is none
    except ValueError:
        return None
    return url if url is not None and len(url) <= most_chars else None


def _words(element: Any) -> str:
    # Documentation generators end their headings with a pilcrow that links to the heading.
    return " ".join(_string(element).replace("¶", " ").split())


AGENT = "evocrawl"
_WITH_VALUE = frozenset(
    ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
)
_EVERYBODY = ("", "*", "robots", AGENT)
_NAME = re.compile(r"[\w*.-]*", re.A)
_QUOTES = re.compile("[\"']")
_APART = re.compile(r"[\s;]+")


def directives(values: Iterable[str]) -> frozenset[str]:
    """Return the directives for evocrawl in lower case; "none" means noindex and nofollow.

    >>> sorted(directives(["NoFollow", "otherbot: noindex", "evocrawl: noarchive, noimageindex"]))
    ['noarchive', 'nofollow', 'noimageindex']
    """
    found: set[str] = set()
    for value in values:
        is_for_us = True
        for part in _QUOTES.sub("", value.lower()).split(","):
            name, colon, rest = (each.strip() for each in part.partition(":"))
            if colon and rest and name not in _WITH_VALUE and _NAME.fullmatch(name):
                is_for_us = name in _EVERYBODY
                name = rest
            if is_for_us:
                found.update(_APART.split(name))
    if "none" in found:
        found |= {"noindex", "nofollow"}
    return frozenset(found - {""})
