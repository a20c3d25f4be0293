"""The page base in memory (the documents base DB of Mouton & Marteau 2008, algorithm 2)."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

from numpy.random import Generator

from evocrawl.core.containers.keymap import KeySet
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.errors import PageBaseError
from evocrawl.core.model import Fingerprint
from evocrawl.frontier.page_records import MOST_PAGES, PageRecord, Pages
from evocrawl.frontier.relevance_ranks import RelevanceRanks
from evocrawl.frontier.sampling_set import SamplingSet


class MemoryPageBase:
    """Pages, their energy, and the fingerprints already claimed.

    The records of all but the last `most` pages asked for wait in `spill`. A page that is not in
    memory, with its claim, takes about 130 bytes of it, an address claimed by itself 12.
    """

    def __init__(self, most: int = MOST_PAGES, spill: SpillFile | None = None) -> None:
        self.ranks = RelevanceRanks()
        self.spill = SpillFile() if spill is None else spill
        """Shared by all that does not fit into memory."""
        self._pages = Pages(most, self.spill)
        self._claimed = KeySet()
        self._energetic = SamplingSet()

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[Fingerprint]:
        """Iterate over the pages, in no order that means anything."""
        return iter(self._pages)

    def get(self, page: Fingerprint) -> PageRecord | None:
        """Return the record of a fetched page; not to be kept or changed. O(1)."""
        return self._pages.get(page)

    def add(self, page: Fingerprint, record: PageRecord) -> None:
        """Keep a page fetched for the first time, with its energy; its URL is claimed with it.

        Raises PageBaseError when the page is known. Runtime complexity: O(log n).
        """
        if page in self._pages:
            raise PageBaseError(f"the page {record.url!r} is in the page base already")
        self._claimed.add(page)
        self.ranks.add(record.relevance)
        self._note(page, record)

    def renew(self, page: Fingerprint, relevance: float, energy: float, version: bytes) -> None:
        """A known page pays again: `energy` is added to what still lies on it.

        Runtime complexity: O(log n).
        """
        record = self._pages[page]
        self.ranks.discard(record.relevance)
        self.ranks.add(relevance)
        record.relevance, record.version = relevance, version
        record.energy += energy
        self._note(page, record)

    def relevance_of(self, page: Fingerprint) -> float:
        """Return the relevance of a page, 0 for one that is not known. O(1)."""
        return self._pages.relevance_of(page)

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True when somebody has followed, or is following, a link to `target`."""
        return target in self._claimed

    def claim(self, target: Fingerprint) -> None:
        """Nobody else shall follow a link to `target`. Runtime complexity: O(1)."""
        self._claimed.add(target)

    def release(self, target: Fingerprint) -> None:
        """Undo `claim`: nobody went there after all."""
        self._claimed.discard(target)

    def take_energy(self, page: Fingerprint, at_most: float) -> float:
        """Take the energy, also negative, that lies on `page`, up to `at_most`; return it. O(1)."""
        record = self._pages[page]
        energy = min(record.energy, at_most)
        record.energy -= energy
        self._note(page, record)
        return energy

    def draw_energetic(self, rng: Generator) -> Fingerprint | None:
        """Return a page on which energy > 0 lies, each alike; None when there is none. O(1)."""
        return self._energetic.draw(rng)

    def energy(self) -> float:
        """Return all energy lying on pages, for checks. O(n)."""
        return fsum(self._pages[page].energy for page in [*self._pages])

    def _note(self, page: Fingerprint, record: PageRecord) -> None:
        """Keep a record that is new or was changed."""
        self._pages.put(page, record)
        if record.energy > 0:
            self._energetic.add(page)
        else:
            self._energetic.discard(page)
