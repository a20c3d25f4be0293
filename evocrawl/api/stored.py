"""Reads results from a stored crawl, while it runs or later."""

from __future__ import annotations

from heapq import nsmallest

from evocrawl.api.errors import UnknownPageError
from evocrawl.api.page import Page, Result
from evocrawl.core.urls.identity import fingerprint
from evocrawl.monitor.explain import explain
from evocrawl.monitor.explanation import Explanation
from evocrawl.monitor.stored_crawl import open_store
from evocrawl.relevance.calibration import THRESHOLD
from evocrawl.store.archive import Archive
from evocrawl.store.export.changes import Changes, changes_between


def results(store: str, count: int = 20, start: int = 0) -> list[Result]:
    """Return pages of a stored crawl, the most relevant first: `count` of them from `start` on.

    O(n log count) in its pages. Raises StateError.
    """
    with open_store(store) as archive:
        relevant_at = float(archive.about().get("relevant_at", THRESHOLD))
        if isinstance(archive, Archive):
            rows = ((-row[2], row[0], row[1]) for row in archive.rows())
            best = nsmallest(start + count, rows)[start:]
            found = [archive.page_at(fingerprint(url)) for _, _, url in best]
        else:
            pages = nsmallest(
                start + count, archive.pages(), key=lambda each: (-each.relevance, each.visit)
            )
            found = [*pages[start:]]
        return [
            Result(each.url, each.title, each.relevance, each.relevance >= relevant_at,
                   each.depth, each.agent, each.visit)
            for each in found
            if each is not None
        ]  # fmt: skip


def page(store: str, url: str) -> Page:
    """Return a page of a stored crawl. Raises UnknownPageError and StateError."""
    try:
        target = fingerprint(url)
    except ValueError:
        raise UnknownPageError(url) from None
    with open_store(store) as archive:
        found = archive.page_at(target)
        if found is None:
            raise UnknownPageError(url)
        return Page.of_stored(found, archive.answer_at(target))


def page_of_visit(store: str, visit: int) -> Page:
    """Return the page that a visit of a stored crawl has found (see `Result`).

    Raises UnknownPageError, and StateError also for a crawl of several workers, whose visits have
    no number.
    """
    with Archive(store) as archive:
        url = archive.url_of_visit(visit)
    if url is None:
        raise UnknownPageError(visit)
    return page(store, url)


def why(store: str, url: str, learnt: str = "") -> Explanation:
    """Return why a stored crawl followed a link to `url`, or why it did not.

    `learnt` is the file of the link model that the crawl began with. Raises StateError.
    """
    return explain(store, url, learnt=learnt)


def compare(first: str, second: str) -> Changes:
    """Return the pages that are new, changed or missing in the second crawl.

    Raises StateError.
    """
    with open_store(first) as old, open_store(second) as new:
        return changes_between(old, new)
