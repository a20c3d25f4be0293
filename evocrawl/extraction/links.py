"""Reads the links of a page, each with its anchor text, context, flags and place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lxml import etree

from evocrawl.core.model import Fingerprint, Link
from evocrawl.core.urls.identity import fingerprint
from evocrawl.core.urls.resolve import join, resolve
from evocrawl.extraction.anchor_words import describes_better, describes_page, describes_well
from evocrawl.extraction.limits import Limits
from evocrawl.extraction.link_context import LinkContexts
from evocrawl.extraction.strings import collapsed, text_of_chain
from evocrawl.extraction.visibility import Hidden

HIDDEN = "evocrawl-hidden"
"""Rel token of a link that a person does not see."""

_WARNINGS = frozenset((HIDDEN, "nofollow"))
_FRAMES = ("frame", "iframe")
_SOURCES = {"a": "href", "area": "href", **dict.fromkeys(_FRAMES, "src")}
_UNSEEN = "/noscript"
"""Frames for browsers without scripts count visitors and have no content."""
# Separate expressions: libxml2 takes time quadratic in the number of nodes for unions.
_alternatives: Any = etree.XPath(".//img/@alt", smart_strings=False)
_button_names: Any = etree.XPath(".//input[@type='image']/@alt", smart_strings=False)
_inner_labels: Any = etree.XPath(".//@aria-label", smart_strings=False)
_inner_titles: Any = etree.XPath(".//@title", smart_strings=False)
_string: Any = etree.XPath("string()", smart_strings=False)
_by_id: Any = etree.XPath("//*[@id=$id]")
_MOST_LABELS = 4
_REFERENCE = re.compile(r"(/|(?:\.\./)*)((?:[\w-][\w.-]*/)*[\w-][\w.-]*/?(?:\?[\w=&.%-]+)?)", re.A)
"""A plain relative reference: the part that depends on the base, and the part that is copied.

It has no colon, and no empty, dot or parameter segments (RFC 3986 §5.2)."""


class LinkExtractor:
    """Collects the links of one parsed page."""

    def __init__(
        self, root: Any, base_url: str, page_url: str, limits: Limits, hidden: Hidden
    ) -> None:
        self._root = root
        self._hidden = hidden
        self._base_url = base_url
        self._limits = limits
        self._itself = _fingerprint_or_none(page_url)
        self._contexts = LinkContexts(limits, hidden)
        self._start = self._contexts.start
        self._places: dict[Any, tuple[str, bool]] = {None: ("", False)}
        self._prefixes: dict[str, str] = {}
        self._addresses: dict[str, tuple[str, Fingerprint] | None] = {}
        self.malformed = 0
        self.cut: list[str] = []

    def collect(self) -> tuple[Link, ...]:
        """Return the links in document order, one for each target.

        A target with several links keeps the place of the first link and gets the best anchor
        text. It is hidden, or must not be followed, only if that is so for each of its links.
        """
        found: dict[Fingerprint, Link] = {}
        settled = {self._itself}
        passed: set[str] = set()
        for element in self._root.iter(*_SOURCES):
            written = element.get(_SOURCES[element.tag]) or element.get("xlink:href")
            if not written or written in passed:
                continue
            target = self._address(written)
            if target is None or target[1] in settled:
                passed.add(written)
                continue
            known = found.get(target[1])
            if (
                known is not None
                and _WARNINGS.isdisjoint(known.rel)
                and not describes_better(self._words(element), known.anchor)
            ):
                continue
            path, hidden = self._place(element.getparent())
            if _UNSEEN in path and element.tag in _FRAMES:
                continue
            if known is None and len(found) >= self._limits.links:
                self.cut = ["links"]
                break
            link = self._link(element, *target, len(found), path, hidden=hidden)
            link = found[target[1]] = link if known is None else self._joined(known, link)
            if describes_well(link.anchor) and _WARNINGS.isdisjoint(link.rel):
                settled.add(target[1])
        return tuple(found.values())

    def _link(
        self, element: Any, url: str, target: Fingerprint, position: int, path: str, *, hidden: bool
    ) -> Link:
        anchor = self._words(element)
        rel = tuple((element.get("rel") or "").lower().replace(",", " ").split())
        if hidden or element in self._hidden.elements:
            rel += (HIDDEN,)
        context = self._contexts.around(element, anchor)
        return Link(url, target, anchor, context, rel, position, path)

    def _address(self, written: str) -> tuple[str, Fingerprint] | None:
        """Return the absolute http(s) URL without fragment and its fingerprint; None for others."""
        href = written.strip(" \t\n\r\f").partition("#")[0]
        if href not in self._addresses:
            self._addresses[href] = self._resolve(href) if href else None
        return self._addresses[href]

    def _resolve(self, href: str) -> tuple[str, Fingerprint] | None:
        try:
            url = self._absolute(href)
            if url is None:
                return None
            if len(url) > self._limits.url_chars:
                raise ValueError("longer than any browser takes")
            url.encode("utf-8")
            return url, fingerprint(url)
        except ValueError:
            self.malformed += 1
            return None

    def _absolute(self, href: str) -> str | None:
        """Return the same as `resolved`, at less cost for plain references."""
        plain = _REFERENCE.fullmatch(href)
        if plain is None:
            # The mark at the end keeps the space there.
            return resolve(self._base_url, f"{href}#")
        start, rest = plain.groups()
        prefix = self._prefixes.get(start)
        if prefix is None:
            prefix = self._prefixes[start] = join(self._base_url, start + "x")[:-1]
        return prefix + rest

    def _words(self, element: Any) -> str:
        """Return the anchor text, or else its substitute: alt, title, aria-label."""
        words = self._clean(self._own_text(element))
        if describes_page(words):
            return words
        for each in self._names(element):
            name = self._clean(each) if each else ""
            if name and (not words or describes_better(name, words)):
                return name
        return words

    def _names(self, element: Any) -> Iterator[str | None]:
        """Return the name of the link besides its text, for people who cannot see the page."""
        if len(element):
            yield from _alternatives(element)
        if labels := element.get("aria-labelledby"):
            yield self._labels(labels)
        yield element.get("title")
        yield element.get("aria-label")
        yield element.get("alt")
        if len(element):
            yield from _button_names(element)
            yield from _inner_labels(element)
            yield from map(_string, element.iter("title"))
            yield from _inner_titles(element)

    def _labels(self, ids: str) -> str:
        return " ".join(
            collapsed(self._start[found])
            for each in ids.split()[:_MOST_LABELS]
            for found in _by_id(self._root, id=each)[:1]
        )

    def _own_text(self, element: Any) -> str:
        """End a link that was not closed where the next one begins: links do not nest (HTML)."""
        text = text_of_chain(element, self._hidden.unread)
        if text is not None:
            return text
        if next(element.iterdescendants("a"), None) is None:
            return self._start[element]
        texts = []
        walk = etree.iterwalk(element, events=("start", "end"))
        for event, each in walk:
            if each.tag == "a" and each is not element:
                break
            if event == "end":
                texts.append(each.tail)
            elif each in self._hidden.unread and each is not element:
                walk.skip_subtree()
            else:
                texts.append(each.text)
        return "".join(filter(None, texts))

    def _place(self, element: Any) -> tuple[str, bool]:
        """Return the names down to `element`, such as "html/body/p", and whether it is hidden."""
        above = []
        while element not in self._places:
            above.append(element)
            element = element.getparent()
        path, hidden = self._places[element]
        for each in reversed(above):
            path = f"{path}/{each.tag}" if path else str(each.tag)
            hidden = hidden or each in self._hidden.elements
            self._places[each] = path, hidden
        return path, hidden

    def _clean(self, text: str) -> str:
        return collapsed(text)[: self._limits.words_chars]

    def _joined(self, known: Link, again: Link) -> Link:
        """Return one link for two with the same target."""
        better = again if describes_better(again.anchor, known.anchor) else known
        other = known if better is again else again
        if other.anchor and other.anchor not in better.context:
            room = max(self._limits.words_chars - len(better.context) - 1, 0)
            context = f"{better.context} {other.anchor[:room]}".strip()
            better = replace(better, context=context)
        taken_back = _WARNINGS.difference(again.rel)
        rel = tuple(each for each in known.rel if each not in taken_back)
        return replace(better, rel=rel, position=known.position)


def _fingerprint_or_none(url: str) -> Fingerprint | None:
    try:
        return fingerprint(url)
    except ValueError:
        return None
