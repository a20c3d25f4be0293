"""Compares a crawl with an earlier one: new, changed and missing pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.stored_page import StoredPage

Change = Literal["new", "changed", "same"]


class Crawled(Protocol):
    """A stored crawl; see `evocrawl.store.archive.Archive`."""

    def pages(self) -> Iterator[StoredPage]:
        """Read every page once."""

    def versions(self) -> Iterator[tuple[Fingerprint, str]]:
        """Read the fingerprints of address and content of each page."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The difference between two crawls; URLs in the order of the crawls.

    A page is the same if its normalised text is the same (`content_fingerprint`), with any markup.
    `gone` are pages of the earlier crawl that are not in the later one: a crawl with another budget
    or query may not have looked for them.
    """

    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    same: int


def change_of(earlier: Crawled) -> Callable[[StoredPage], Change]:
    """Return the function that compares a page with an earlier crawl. 100 bytes an earlier page."""
    versions = dict(earlier.versions())

    def change(page: StoredPage) -> Change:
        known = versions.get(_address(page.url))
        if known is None:
            return "new"
        return "same" if known == page.content_fingerprint else "changed"

    return change


def changes_between(earlier: Crawled, later: Crawled) -> Changes:
    """Compare two crawls. O(pages of both)."""
    change = change_of(earlier)
    found: dict[Change, list[str]] = {"new": [], "changed": [], "same": []}
    addresses = set()
    for page in later.pages():
        found[change(page)].append(page.url)
        addresses.add(_address(page.url))
    gone = [page.url for page in earlier.pages() if _address(page.url) not in addresses]
    same = len(found["same"])
    return Changes(tuple(found["new"]), tuple(found["changed"]), tuple(gone), same)


def _address(url: str) -> Fingerprint:
    try:
        return fingerprint(url)
    except ValueError:
        return b""
