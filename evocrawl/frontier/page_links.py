"""Stores the list of links of each page: some in memory, the others on disk."""

from __future__ import annotations

from collections import OrderedDict

import msgpack

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Fingerprint, Lead
from evocrawl.frontier.candidate_file import is_packable, lead_of, row_of

_KEY_BYTES = 12


class PageLinks:
    """The links of pages; about `most` links of the pages that were used last are in memory.

    A page on disk takes about 40 bytes of memory for any number of links. A page with a link that
    cannot be packed stays in memory.
    """

    of_run = ("_most",)
    """Attributes that are no part of a snapshot."""

    def __init__(self, most: int, spill: SpillFile | None = None) -> None:
        self._most = most
        self._spill = SpillFile() if spill is None else spill
        self._near: OrderedDict[Fingerprint, list[Lead]] = OrderedDict()
        self._held = 0
        self._unwritten: set[Fingerprint] = set()
        self._unpackable: dict[Fingerprint, list[Lead]] = {}
        self._far = KeyMap("<Q12s")

    def get(self, page: Fingerprint) -> list[Lead]:
        """Return a copy of the links of `page`; [] without links. O(links of the page)."""
        here = self._near.get(page)
        if here is not None:
            self._near.move_to_end(page)
            return [*here]
        if page in self._unpackable:
            return [*self._unpackable[page]]
        far = self._far.get(page)
        if far is None:
            return []
        rows = msgpack.unpackb(
            self._spill.get(far[0]), use_list=False, unicode_errors="surrogatepass"
        )
        here = [lead_of(row) for row in rows]
        self._hold(page, here)
        return [*here]

    def put(self, page: Fingerprint, links: list[Lead]) -> None:
        """Set the links of `page`, one or more. O(links of the page) amortised."""
        self.forget(page)
        self._unwritten.add(page)
        self._hold(page, links)

    def forget(self, page: Fingerprint) -> None:
        """Remove the links of `page`. O(1)."""
        self._held -= len(self._near.pop(page, ()))
        self._unwritten.discard(page)
        self._unpackable.pop(page, None)
        self._far.discard(page)

    def last_target(self, page: Fingerprint) -> Fingerprint | None:
        """Return the target of the last link of `page`, None without links. O(1)."""
        here = self._near.get(page) or self._unpackable.get(page)
        if here:
            return here[-1].fingerprint
        far = self._far.get(page)
        return None if far is None else bytes(far[1])

    def _hold(self, page: Fingerprint, links: list[Lead]) -> None:
        self._near[page] = links
        self._held += len(links)
        while self._held > self._most and len(self._near) > 1:
            self._let_go(*self._near.popitem(last=False))

    def _let_go(self, page: Fingerprint, links: list[Lead]) -> None:
        self._held -= len(links)
        if page not in self._unwritten:
            return
        self._unwritten.remove(page)
        last = links[-1].fingerprint
        if len(last) != _KEY_BYTES or not all(map(is_packable, links)):
            self._unpackable[page] = links
            return
        rows = [row_of(lead) for lead in links]
        self._far.put(
            page, self._spill.put(msgpack.packb(rows, unicode_errors="surrogatepass")), last
        )
