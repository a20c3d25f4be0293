"""The records of fetched pages: the latest in memory, the others on disk."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

import msgpack

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import AgentId, Fingerprint

MOST_PAGES = 2_000
"""Default number of records in memory."""
_NOWHERE = (1 << 64) - 1


@dataclass(slots=True)
class PageRecord:
    """A fetched page: `energy` is what is left on it, `version` identifies its last content."""

    url: str
    relevance: float
    energy: float
    agent: AgentId | None
    depth: int
    version: bytes = b""


class Pages:
    """Records by fingerprint; the `most` that were used last are in memory.

    A record on disk takes about 40 bytes of memory. Call `put` again for a record that has changed.
    Every operation takes O(1).
    """

    of_run = ("_most",)
    """Attributes that are no part of a snapshot."""

    def __init__(self, most: int = MOST_PAGES, spill: SpillFile | None = None) -> None:
        self._most = most
        self._spill = SpillFile() if spill is None else spill
        self._recent: OrderedDict[Fingerprint, PageRecord] = OrderedDict()
        self._unwritten: set[Fingerprint] = set()
        self._known = KeyMap("<Qd")

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[Fingerprint]:
        """Iterate over the pages in arbitrary order."""
        return iter(self._known)

    def __contains__(self, page: Fingerprint) -> bool:
        return page in self._known

    def __getitem__(self, page: Fingerprint) -> PageRecord:
        """Return the record of a page. Raises KeyError for an unknown page."""
        record = self.get(page)
        if record is None:
            raise KeyError(page)
        return record

    def get(self, page: Fingerprint) -> PageRecord | None:
        """Return the record of a page, None for an unknown page."""
        record = self._recent.get(page)
        if record is not None:
            self._recent.move_to_end(page)
            return record
        known = self._known.get(page)
        if known is None:
            return None
        record = PageRecord(
            *msgpack.unpackb(self._spill.get(known[0]), unicode_errors="surrogatepass")
        )
        self._keep(page, record)
        return record

    def put(self, page: Fingerprint, record: PageRecord) -> None:
        """Store a record that is new or has changed."""
        self._known.put(page, _NOWHERE, record.relevance)
        self._unwritten.add(page)
        self._keep(page, record)

    def relevance_of(self, page: Fingerprint) -> float:
        """Return the relevance of a page without reading the disk; 0 for an unknown page."""
        known = self._known.get(page)
        return 0.0 if known is None else float(known[1])

    def _keep(self, page: Fingerprint, record: PageRecord) -> None:
        self._recent[page] = record
        self._recent.move_to_end(page)
        while len(self._recent) > self._most:
            self._let_go(*self._recent.popitem(last=False))

    def _let_go(self, page: Fingerprint, record: PageRecord) -> None:
        if page not in self._unwritten:
            return
        self._unwritten.remove(page)
        row = (
            record.url, record.relevance, record.energy, record.agent, record.depth, record.version
        )  # fmt: skip
        address = self._spill.put(msgpack.packb(row, unicode_errors="surrogatepass"))
        self._known.put(page, address, record.relevance)
