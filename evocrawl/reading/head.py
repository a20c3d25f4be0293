"""What a page says of itself as a whole: title, base and canonical address, robots directives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from evocrawl.reading.robots_tags import AGENT

_string: Any = etree.XPath("string()", smart_strings=False)


@dataclass(slots=True)
class Head:
    """`base_url` and `canonical_url` are absolute; `robots` are the contents of meta robots."""

    base_url: str
    title: str = ""
    canonical_url: str | None = None
    robots: list[str] = field(default_factory=list)


def read_head(root: Any, url: str) -> Head:
    """Read the head of the page at `url`, from wherever in the page its elements stand.

    The title is that of the first `title` element, or else of the first `h1` with text. A base
    that is no URL is passed over; the first `base` with an address counts, as does the first
    canonical link.
    """
    head = Head("")
    heading = ""
    for element in root.iter("base", "link", "meta", "title", "h1"):
        tag = element.tag
        if tag == "meta":
            if (element.get("name") or "").strip().lower() in ("robots", AGENT):
                head.robots.append(element.get("content") or "")
        elif tag == "link":
            if head.canonical_url is None and _is_canonical(element):
                head.canonical_url = _joined(url, element.get("href"))
        elif tag == "base":
            head.base_url = head.base_url or _joined(url, element.get("href")) or ""
        elif tag == "title":
            head.title = head.title or _words(element)
        else:
            heading = heading or _words(element)
    head.base_url = head.base_url or url
    head.title = head.title or heading
    return head


def _is_canonical(link: Any) -> bool:
    return "canonical" in (link.get("rel") or "").lower().split()


def _joined(url: str, href: str | None) -> str | None:
    try:
        return urljoin(url, href.strip()) if href else None
    except ValueError:
        return None


def _words(element: Any) -> str:
    # Documentation generators end their headings with a pilcrow that links to the heading.
    return " ".join(_string(element).replace("¶", " ").split())
