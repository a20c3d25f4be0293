"""The pages of a stored crawl with their responses, and a choice of them by an earlier crawl."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from evocrawl.core.fetch import RawResponse
from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.export.changes import Crawled, change_of
from evocrawl.store.stored_page import StoredPage


class Answered(Crawled, Protocol):
    """A stored crawl; see `evocrawl.store.archive.Archive`."""

    def answer_at(self, fingerprint: Fingerprint) -> RawResponse | None:
        """Return the HTTP response of a page, None if none was kept."""


PageFilter = Callable[[StoredPage], bool]


def all_pages(_: StoredPage) -> bool:
    """Return True."""
    return True


def changed_since(earlier: Crawled) -> PageFilter:
    """Return a filter for pages that are new or changed since an earlier crawl."""
    change = change_of(earlier)
    return lambda page: change(page) != "same"


def with_answers(
    archive: Answered, pages: Iterator[StoredPage]
) -> Iterator[tuple[StoredPage, RawResponse | None]]:
    """Yield each page with its response."""
    for page in pages:
        try:
            answer = archive.answer_at(fingerprint(page.url))
        except ValueError:
            answer = None
        yield page, answer
