"""The page base in memory (the documents base DB of Mouton & Marteau 2008, algorithm 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """Stores pages, their energy and the fingerprints of claimed targets.

    The records of the `most` pages that were used last are in memory, the others in `spill`. A page
    on disk takes about 130 bytes of memory (with its claim), a claim without a page 12 bytes.
    """

    of_run = ("releases",)
    """Attributes that are no part of a snapshot."""

    def __init__(self, most: int = MOST_PAGES, spill: SpillFile | None = None) -> None:
        self.ranks = RelevanceRanks()
        self.spill = SpillFile() if spill is None else spill
        """The file for data that does not fit into memory; other parts share it."""
        self._pages = Pages(most, self.spill)
        self._claimed = KeySet()
        self.releases = 0
        """The number of calls of `release`: while it is the same, every claim lasts."""
        self._energetic = SamplingSet()

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[Fingerprint]:
        """Iterate over the pages in arbitrary order."""
        return iter(self._pages)

    def get(self, page: Fingerprint) -> PageRecord | None:
        """Return the record of a fetched page. Do not keep or change it. O(1)."""
        return self._pages.get(page)

    def add(self, page: Fingerprint, record: PageRecord, *, is_ranked: bool = True) -> None:
        """Add a page that was fetched for the first time, with its energy, and claim its URL.

        Its relevance joins the ranks if it `is_ranked`. Raises PageBaseError if the page is known.
        Runtime complexity: O(log n).
        """
        if page in self._pages:
            raise PageBaseError(f"the page {record.url!r} is in the page base already")
        self._claimed.add(page)
        if is_ranked:
            self.ranks.add(record.relevance)
        self._note(page, record)

    def renew(self, page: Fingerprint, relevance: float, energy: float, version: bytes) -> None:
        """Update a known page, and add `energy` to the energy that is left on it.

        Runtime complexity: O(log n).
        """
        record = self._pages[page]
        self.ranks.discard(record.relevance)
        self.ranks.add(relevance)
        record.relevance, record.version = relevance, version
        record.energy += energy
        self._note(page, record)

    def relevance_of(self, page: Fingerprint) -> float:
        """Return the relevance of a page, 0 for an unknown page. O(1)."""
        return self._pages.relevance_of(page)

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True if a link to `target` has been followed or is being followed."""
        return target in self._claimed

    def are_claimed(self, targets: Sequence[Fingerprint]) -> list[bool]:
        """Return what `is_claimed` returns for each target. O(targets)."""
        return self._claimed.contains_each(targets)

    def claim(self, target: Fingerprint) -> None:
        """Reserve `target`, so that no other link to it is followed. O(1)."""
        self._claimed.add(target)

    def release(self, target: Fingerprint) -> None:
        """Undo `claim`, for a target that was not visited."""
        self._claimed.discard(target)
        self.releases += 1

    def take_energy(self, page: Fingerprint, at_most: float) -> float:
        """Take up to `at_most` energy from `page` and return it; it may be negative. O(1)."""
        record = self._pages[page]
        energy = min(record.energy, at_most)
        record.energy -= energy
        self._note(page, record)
        return energy

    def draw_energetic(self, rng: Generator) -> Fingerprint | None:
        """Draw a page with energy > 0, each with the same probability; None without one. O(1)."""
        return self._energetic.draw(rng)

    def energy(self) -> float:
        """Return the sum of the energy on all pages, for checks. O(n)."""
        return fsum(self._pages[page].energy for page in [*self._pages])

    def _note(self, page: Fingerprint, record: PageRecord) -> None:
        """Store a record that is new or has changed."""
        self._pages.put(page, record)
        if record.energy > 0:
            self._energetic.add(page)
        else:
            self._energetic.discard(page)
