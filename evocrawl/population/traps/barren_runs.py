"""Counts how many pages in a row had no new content and led to no page that had."""

from __future__ import annotations

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.model import Fingerprint


class Runs:
    """Counts runs of linked pages without new content.

    A run starts again after a page whose links have led to new content: the pages of a run are
    numbered, and only those after the last such page count. Memory is some 30 bytes a page. Every
    method takes O(1).
    """

    def __init__(self) -> None:
        self._pages = KeyMap("<II")
        self._credited = KeyMap("<I")
        self._count = 0

    def __contains__(self, page: Fingerprint) -> bool:
        return page in self._pages

    def go_on(self, page: Fingerprint, source: Fingerprint, *, is_longer: bool) -> None:
        """Add a page without new content whose link stood on the page `source`."""
        known = self._pages.get(source)
        if known is None:
            self._count += 1
            known = 0, self._count
        self._pages.put(page, known[0] + is_longer, known[1])

    def end(self, page: Fingerprint) -> None:
        """Remove a page, which has new content now."""
        self._pages.discard(page)

    def credit(self, page: Fingerprint) -> None:
        """Note that a link of a page led to new content."""
        number, run = self._pages.get(page) or (0, 0)
        before = self._credited.get(_key(run))
        if before is None or before[0] < number:
            self._credited.put(_key(run), number)

    def length(self, page: Fingerprint) -> int:
        """Return the number of pages in a row without new content, up to this page."""
        known = self._pages.get(page)
        if known is None:
            return 0
        credited = self._credited.get(_key(known[1]))
        number = int(known[0])
        return number if credited is None else max(number - int(credited[0]), 0)


def _key(run: int) -> bytes:
    return run.to_bytes(12, "little")
