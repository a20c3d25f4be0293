"""Adds pages with their links to the evidence: an own one, or many of others in one step.

Of a page of another population there are few links, so that most time would go into the beginnings
of many small computations. The links of many such pages are read together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

import numpy as np

from evocrawl.core.model import Fingerprint, Link, Page
from evocrawl.core.urls.readable import readable
from evocrawl.species.evo.link_model.evidence import FAR, LinkGraph
from evocrawl.species.evo.link_model.incoming import Incoming
from evocrawl.species.evo.link_model.link_reader import LinkReader, Met, links_of, texts_of
from evocrawl.species.evo.link_model.new_rows import NewPages
from evocrawl.species.evo.link_model.page_labels import PageLabels
from evocrawl.species.evo.link_model.page_words import PageWords
from evocrawl.species.evo.link_model.profile import Profile

ReadPage: TypeAlias = tuple[int, dict[Fingerprint, int]]
"""The row of a page, and the rows of the targets of its links."""
Learn: TypeAlias = Callable[[Incoming, int, float], None]
"""Learns from a new page before its links are added: the links to it, its number, its label."""


class PageEvidence:
    """Adds pages, their links and the targets of these to `evidence`."""

    def __init__(
        self, evidence: LinkGraph, reader: LinkReader, profile: Profile, labels: PageLabels
    ) -> None:
        self._evidence = evidence
        self._reader = reader
        self._profile = profile
        self._labels = labels

    def add_own(self, page: Page, learn: Learn) -> ReadPage:
        """Add a page that this population has fetched, or further links of a known page.

        `learn` is called if the page is new. O(links of the page).
        """
        return self._read([page], learn, [None])[0]

    def add_foreign(
        self, pages: Sequence[Page], words: Sequence[PageWords | None]
    ) -> list[ReadPage]:
        """Add pages that other populations have fetched, or further links of known pages.

        `words` are those of each page, None if they are to be read from its text. The evidence is
        the same as if the pages were added one by one. O(links of the pages).
        """
        read, known = list[ReadPage](), iter(words)
        for some in self._parts(pages):
            read += self._read(some, None, [next(known) for _ in some])
        return read

    def words(self, page: Page) -> PageWords:
        """Return the words of a page, and its distance by the links that are known. O(1)."""
        ids, weights = self._reader.page(page.content)
        label = self._labels.label(page.relevance, self._profile.likeness(ids, weights))
        row = self._evidence.row(page.fingerprint)
        return PageWords(ids, weights, self._evidence.distance(row, label))

    def _parts(self, pages: Sequence[Page]) -> Iterator[list[Page]]:
        """Divide pages into parts whose pages are independent: a part is read in one step.

        No page of a part is known, is there twice, or is linked by another one of the part.
        """
        part, met = list[Page](), set[Fingerprint]()
        for page in pages:
            is_known = self._knows(page)
            if part and (page.fingerprint in met or is_known):
                yield part
                part, met = [], set()
                is_known = self._knows(page)
            if is_known:
                yield [page]
            else:
                part.append(page)
                met.add(page.fingerprint)
                met.update(link.fingerprint for link in page.links)
        if part:
            yield part

    def _knows(self, page: Page) -> bool:
        row = self._evidence.row(page.fingerprint)
        return row is not None and self._evidence.page_of(row) >= 0

    def _read(
        self, pages: Sequence[Page], learn: Learn | None, words: Sequence[PageWords | None]
    ) -> list[ReadPage]:
        """Add new pages, or the further links of one known page; see `_parts`."""
        links = [links_of(page) for page in pages]
        urls = dict[Fingerprint, str]()
        for page, of_page in zip(pages, links, strict=True):
            urls.setdefault(page.fingerprint, page.url)
            for target, link in of_page.items():
                urls.setdefault(target, link.url)
        row_of, met = self._rows(urls, pages, links)
        own = [row_of[page.fingerprint] for page in pages]
        rows = [{target: row_of[target] for target in of_page} for of_page in links]
        known = self._evidence.page_of(own[0])
        if known < 0:
            self._add(pages, own, links, rows, learn, words, met)
        elif rows[0]:
            self._add_later(known, [*rows[0].values()], links[0].values())
        return [*zip(own, rows, strict=True)]

    def _add(
        self,
        pages: Sequence[Page],
        own: Sequence[int],
        links: Sequence[Mapping[Fingerprint, Link]],
        rows: Sequence[Mapping[Fingerprint, int]],
        learn: Learn | None,
        words: Sequence[PageWords | None],
        met: Met,
    ) -> None:
        """Add new pages and their links; `met` are those of their texts that may match."""
        reader, targets = self._reader, [row for each in rows for row in each.values()]
        found = [link for each in links for link in each.values()]
        new_links = reader.links(targets, found, met) if found else None
        add, is_own = self._profile.add, learn is not None
        likes = [
            add(*(known[:2] if known else reader.page(page.content)), is_own=is_own)
            for page, known in zip(pages, words, strict=True)
        ]
        labels = [
            self._labels.label(page.relevance, like)
            for page, like in zip(pages, likes, strict=True)
        ]
        matches = reader.matches_of_titles([page.content.title for page in pages], met)
        relevances = [page.relevance for page in pages]
        distances = [FAR if known is None else known.distance for known in words]
        new = NewPages(own, relevances, labels, likes, matches, distances, is_own)
        if learn is None:
            numbers = self._evidence.add_pages(new)
        else:
            visited = self._evidence.incoming(own[0])
            numbers = self._evidence.add_pages(new, visited)
            learn(visited, numbers[0], labels[0])
        if new_links is not None:
            sources = [number for number, each in zip(numbers, rows, strict=True) for _ in each]
            self._evidence.add_links(sources, new_links)

    def _add_later(self, page: int, rows: list[int], links: Collection[Link]) -> None:
        """Add those links of a known page that it did not have before."""
        are_new = self._evidence.are_new_on(page, np.array(rows)).tolist()
        new = {row: link for row, link, is_new in zip(rows, links, are_new, strict=True) if is_new}
        if new:
            met = self._reader.met(texts_of(new.values()))
            found = self._reader.links([*new], new.values(), met)
            self._evidence.add_links([page] * len(new), found)

    def _rows(
        self,
        urls: Mapping[Fingerprint, str],
        pages: Sequence[Page],
        links: Sequence[Mapping[Fingerprint, Link]],
    ) -> tuple[dict[Fingerprint, int], Met]:
        """Return the rows of addresses; add unknown addresses as targets.

        Return also which texts of these addresses, and of pages that are new, may match.
        """
        known = dict(zip(urls, self._evidence.rows([*urls]), strict=True))
        new = {target: urls[target] for target, row in known.items() if row is None}
        texts = [readable(url) for url in new.values()]
        row = known[pages[0].fingerprint]
        of_new = list[str]()
        if row is None or self._evidence.page_of(row) < 0:
            of_new += [page.content.title for page in pages]
            for of_page in links:
                of_new += texts_of(of_page.values())
        met = self._reader.met(chain(texts, of_new))
        if new:
            rows = self._evidence.add_targets(self._reader.targets(new, texts, met))
            known.update(zip(new, rows, strict=True))
        return {target: row for target, row in known.items() if row is not None}, met
