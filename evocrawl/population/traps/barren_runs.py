"""How many pages in a row have said nothing new, and led to nothing that did."""

from __future__ import annotations

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.model import Fingerprint


class Runs:
    """Follows pages that say nothing new from one to the next.

    A run begins anew at a page whose links have led to something new: its pages are numbered, and
    count from the last such page on. Memory is some 30 bytes a page. Every method takes O(1).
    """

    def __init__(self) -> None:
        self._pages = KeyMap("<II")
        self._credited = KeyMap("<I")
        self._count = 0

    def __contains__(self, page: Fingerprint) -> bool:
        return page in self._pages

    def go_on(self, page: Fingerprint, source: Fingerprint, *, is_longer: bool) -> None:
        """Take in a page that says nothing new, whose link stood on `source`."""
        known = self._pages.get(source)
        if known is None:
            self._count += 1
            known = 0, self._count
        self._pages.put(page, known[0] + is_longer, known[1])

    def end(self, page: Fingerprint) -> None:
        """Forget a page, which says something new now."""
        self._pages.discard(page)

    def credit(self, page: Fingerprint) -> None:
        """Take in that a link of a page led to something new."""
        number, run = self._pages.get(page) or (0, 0)
        before = self._credited.get(_key(run))
        if before is None or before[0] < number:
            self._credited.put(_key(run), number)

    def length(self, page: Fingerprint) -> int:
        """Return how many pages in a row have brought nothing, up to this one."""
        known = self._pages.get(page)
        if known is None:
            return 0
        credited = self._credited.get(_key(known[1]))
        number = int(known[0])
        return number if credited is None else max(number - int(credited[0]), 0)


def _key(run: int) -> bytes:
    return run.to_bytes(12, "little")
