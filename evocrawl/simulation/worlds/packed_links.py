"""Compact links: numbers of interned addresses, and all words in one string."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

from evocrawl.core.model import Fingerprint, Link
from evocrawl.core.urls.identity import fingerprint

_UNFOLLOWED = frozenset(("nofollow", "evocrawl-hidden"))


class Words(NamedTuple):
    """A link as written: its target and its texts."""

    url: str
    anchor: str = ""
    context: str = ""
    rel: str = ""
    tag_path: str = ""


class PackedLinks(NamedTuple):
    """`targets` are numbers of `Addresses`, `words` has four strings per link, separated by NUL."""

    targets: array[int]
    words: str


NO_LINKS = PackedLinks(array("I"), "")


class Addresses:
    """Every URL of a world, with its fingerprint; each spelling of a URL has its own number."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.fingerprints: list[Fingerprint] = []
        self._numbers: dict[str, int] = {}

    def number(self, url: str) -> int:
        """Return the number of `url`, or a new one; raises ValueError if it is not http(s)."""
        known = self._numbers.get(url)
        if known is None:
            self.fingerprints.append(fingerprint(url))
            self.urls.append(url)
            known = self._numbers[url] = len(self.urls) - 1
        return known

    def pack(self, page: Fingerprint, links: Iterable[Words]) -> PackedLinks:
        """Pack the links that extraction would find on the page, in their order.

        As in HTML extraction, only the first link to a target counts; links to the page itself,
        nofollow links and links that are not http(s) URLs are left out.
        """
        seen = {page}
        targets, words = array("I"), list[str]()
        for link in links:
            if not _UNFOLLOWED.isdisjoint(link.rel.split()):
                continue
            try:
                number = self.number(link.url)
            except ValueError:
                continue
            if self.fingerprints[number] not in seen:
                seen.add(self.fingerprints[number])
                targets.append(number)
                words += (text.replace("\0", " ") for text in link[1:])
        return PackedLinks(targets, "\0".join(words)) if targets else NO_LINKS

    def unpack(self, packed: PackedLinks) -> tuple[Link, ...]:
        """Return the links of a page; `position` counts from 0."""
        if not packed.targets:
            return ()
        words = iter(packed.words.split("\0"))
        urls, fingerprints = self.urls, self.fingerprints
        return tuple(
            Link(
                urls[target],
                fingerprints[target],
                anchor,
                context,
                tuple(rel.split()) if rel else (),
                place,
                tag_path,
            )
            for place, (target, anchor, context, rel, tag_path) in enumerate(
                zip(packed.targets, words, words, words, words, strict=True)
            )
        )
