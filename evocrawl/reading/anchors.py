"""The links of a page, each with its anchor text, context, flags and place.

The context is the text of the aggregation node (Pant & Srinivasan 2006): the lowest ancestor of
the anchor, itself included, with enough words. Each element's text is taken once and remembered,
so that thousands of links in one list cost no more than the list. Of a long node the part around
the anchor is kept.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from evocrawl.model import Fingerprint, Link
from evocrawl.reading.limits import Limits
from evocrawl.urls import fingerprint

HIDDEN = "evocrawl-hidden"
"""Put among a link's rel tokens when a person would not see the link."""

_SOURCES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
_string: Any = etree.XPath("string()", smart_strings=False)
_alternatives: Any = etree.XPath(".//img/@alt", smart_strings=False)
_hidden: Any = etree.XPath(
    "//*[@hidden or @aria-hidden = 'true' or @style[contains(translate(., ' ', ''), 'display:none')"
    " or contains(translate(., ' ', ''), 'visibility:hidden')]]"
)
_SIMPLE = re.compile(r"[A-Za-z0-9_-][\w/-]*(?:\.\w+)?", re.A)
"""A relative reference without colon, query, dot segments or leading slash."""


class Anchors:
    """Collects the links of one parsed page."""

    def __init__(
        self, root: Any, html: bytes, base_url: str, page_url: str, limits: Limits
    ) -> None:
        self._root = root
        self._base_url = base_url
        self._limits = limits
        self._itself = _fingerprint_or_none(page_url)
        lower = html.lower()
        may_hide = b"hidden" in lower or b"display" in lower
        self._hidden = set(_hidden(root)) if may_hide else set()
        # RFC 3986 §5.3: what a relative path is merged with.
        self._folder = base_url.partition("?")[0].rpartition("/")[0] + "/"
        self._contexts: dict[Any, str] = {}
        self._paths: dict[Any, str] = {}
        self._addresses: dict[str, tuple[str, Fingerprint] | None] = {}
        self.malformed = 0
        self.cut: list[str] = []

    def collect(self) -> tuple[Link, ...]:
        """Return the links in document order, one for each target.

        A target linked again keeps its first place, and takes the first anchor text there is.
        """
        found: dict[Fingerprint, Link] = {}
        for element in self._root.iter(*_SOURCES):
            written = element.get(_SOURCES[element.tag])
            target = self._address(written) if written else None
            if target is None or target[1] == self._itself:
                continue
            known = found.get(target[1])
            if known is not None and known.anchor:
                continue
            if known is None and len(found) >= self._limits.links:
                self.cut = ["links"]
                break
            position = len(found) if known is None else known.position
            found[target[1]] = self._link(element, *target, position)
        return tuple(found.values())

    def _link(self, element: Any, url: str, target: Fingerprint, position: int) -> Link:
        anchor = self._words(element)
        return Link(
            url,
            target,
            anchor,
            self._around(element, anchor),
            self._rel(element),
            position,
            self._path(element.getparent()),
        )

    def _address(self, written: str) -> tuple[str, Fingerprint] | None:
        """The absolute http(s) URL without fragment, and its fingerprint; None for others."""
        if written not in self._addresses:
            self._addresses[written] = self._resolve(written)
        return self._addresses[written]

    def _resolve(self, written: str) -> tuple[str, Fingerprint] | None:
        href = written.strip().partition("#")[0]
        if not href:
            return None
        try:
            url = self._absolute(href)
            if not url[:8].lower().startswith(("http:", "https:")):
                return None
            if len(url) > self._limits.url_chars:
                raise ValueError("longer than any browser takes")
            url.encode("utf-8")
            return url, fingerprint(url)
        except ValueError:
            self.malformed += 1
            return None

    def _absolute(self, href: str) -> str:
        """What `urljoin` gives, without its cost for the plainest of references."""
        if self._folder.count("/") > 2 and "//" not in href and _SIMPLE.fullmatch(href):
            return self._folder + href
        return urljoin(self._base_url, href)

    def _words(self, element: Any) -> str:
        """Anchor text, or else what stands for it: alt, title, aria-label."""
        words = self._clean(_string(element))
        if not words:
            told = (*_alternatives(element), element.get("title"), element.get("aria-label"))
            words = next((self._clean(each) for each in (*told, element.get("alt")) if each), "")
        return words

    def _around(self, element: Any, anchor: str) -> str:
        text = self._context(element)
        room = self._limits.words_chars
        if len(text) <= room:
            return text
        middle = max(text.find(anchor), 0) + len(anchor) // 2
        start = min(max(middle - room // 2, 0), len(text) - room)
        return text[start : start + room]

    def _context(self, element: Any) -> str:
        """The aggregation node's text, from the elements up the tree. O(1) for a known parent."""
        climbed = []
        text: str | None = None
        while element is not None:
            text = self._contexts.get(element)
            if text is not None:
                break
            climbed.append(element)
            text = " ".join(_string(element).split())
            if text.count(" ") + 1 >= self._limits.context_words:
                break
            element = element.getparent()
        for each in climbed:
            self._contexts[each] = text or ""
        return text or ""

    def _rel(self, element: Any) -> tuple[str, ...]:
        rel = tuple((element.get("rel") or "").lower().split())
        if self._hidden and (
            element in self._hidden or not self._hidden.isdisjoint(element.iterancestors())
        ):
            rel += (HIDDEN,)
        return rel

    def _path(self, element: Any) -> str:
        """Names of the elements from the root to `element`, such as "html/body/p"."""
        above = []
        while element is not None and element not in self._paths:
            above.append(element)
            element = element.getparent()
        path = self._paths.get(element, "")
        for each in reversed(above):
            path = f"{path}/{each.tag}" if path else str(each.tag)
            self._paths[each] = path
        return path

    def _clean(self, text: str) -> str:
        return " ".join(text.split())[: self._limits.words_chars]


def _fingerprint_or_none(url: str) -> Fingerprint | None:
    try:
        return fingerprint(url)
    except ValueError:
        return None
