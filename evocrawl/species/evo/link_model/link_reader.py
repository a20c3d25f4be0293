"""Reads the links of a page: their words, and their matches with the query."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from evocrawl.core.model import Content, Fingerprint, Link, Page
from evocrawl.core.urls.readable import readable
from evocrawl.species.evo.link_model.evidence import PageLinks, Targets, path_group
from evocrawl.species.evo.link_model.hashing import Hasher, Ids, OnWord, Reader, Reals

Match = Callable[[str, str], float]
"""Maps an anchor and a context, of which one is empty, to their match with the query."""

_ANCHOR, _CONTEXT = 1 / 0.8, 1 / 0.2
"""Undo the weights by which a relevance model mixes the two (Shark-search's)."""


class LinkReader:
    """Reads pages, links and addresses by one hasher."""

    def __init__(self, match: Match, reader: Reader, on_word: OnWord | None = None) -> None:
        self._match = match
        self._hasher = Hasher(reader, on_word)

    def page(self, content: Content) -> tuple[Ids, Reals]:
        """Return the words of a page and their weights: see `Hasher.page`."""
        return self._hasher.page(content.title, content.text)

    def links(self, rows: list[int], links: Collection[Link]) -> PageLinks:
        """Return the words and matches of the links of a page to targets `rows`. O(links)."""
        return PageLinks(
            rows,
            [path_group(link.tag_path) for link in links],
            self._hasher.links((link.anchor, link.context, link.tag_path) for link in links),
            [self.match_of_anchor(link.anchor) for link in links],
            [self._match_of_context(link.context) for link in links],
        )

    def targets(self, urls: Mapping[Fingerprint, str]) -> Targets:
        """Return the words and matches of addresses."""
        texts = [readable(url) for url in urls.values()]
        matches = [self._match_of_context(text) for text in texts]
        return Targets([*urls.values()], [*urls], self._hasher.urls(texts), matches)

    def match_of_anchor(self, text: str) -> float:
        """Return the match of an anchor, or of a title, with the query, in [0, 1]."""
        return min(1.0, _ANCHOR * self._match(text, "")) if text else 0.0

    def _match_of_context(self, text: str) -> float:
        return min(1.0, _CONTEXT * self._match("", text)) if text else 0.0


def links_of(page: Page) -> dict[Fingerprint, Link]:
    """Return the first link of a page to each target other than the page itself."""
    found: dict[Fingerprint, Link] = {}
    for link in page.links:
        found.setdefault(link.fingerprint, link)
    found.pop(page.fingerprint, None)
    return found
