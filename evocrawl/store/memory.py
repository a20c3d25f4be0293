"""The page base in memory (the documents base DB of Mouton & Marteau 2008, algorithm 2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from numpy.random import Generator

from evocrawl.errors import PageBaseError
from evocrawl.model import AgentId, Fingerprint
from evocrawl.store.pool import Pool
from evocrawl.store.ranks import RelevanceRanks


@dataclass(slots=True)
class PageRecord:
    """A fetched page: `energy` is what still lies on it, `version` tells what it said last."""

    url: str
    relevance: float
    energy: float
    agent: AgentId | None
    depth: int
    version: bytes = b""


class MemoryPageBase:
    """Pages, their energy, and the fingerprints already claimed."""

    def __init__(self) -> None:
        self.ranks = RelevanceRanks()
        self._pages: dict[Fingerprint, PageRecord] = {}
        self._claimed: set[Fingerprint] = set()
        self._energetic: Pool[Fingerprint] = Pool()

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[Fingerprint]:
        return iter(self._pages)

    def get(self, page: Fingerprint) -> PageRecord | None:
        """Return the record of a fetched page. Runtime complexity: O(1)."""
        return self._pages.get(page)

    def add(self, page: Fingerprint, record: PageRecord) -> None:
        """Keep a page fetched for the first time, with its energy; its URL is claimed with it.

        Raises PageBaseError when the page is known. Runtime complexity: O(log n).
        """
        if page in self._pages:
            raise PageBaseError(f"the page {record.url!r} is in the page base already")
        self._pages[page] = record
        self._claimed.add(page)
        self.ranks.add(record.relevance)
        self._note_energy(page, record)

    def renew(self, page: Fingerprint, relevance: float, energy: float, version: bytes) -> None:
        """A known page pays again: `energy` is added to what still lies on it.

        Runtime complexity: O(log n).
        """
        record = self._pages[page]
        self.ranks.discard(record.relevance)
        self.ranks.add(relevance)
        record.relevance, record.version = relevance, version
        record.energy += energy
        self._note_energy(page, record)

    def relevance_of(self, page: Fingerprint) -> float:
        """Return the relevance of a page, 0 for one that is not known. O(1)."""
        record = self._pages.get(page)
        return 0.0 if record is None else record.relevance

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
        self._note_energy(page, record)
        return energy

    def draw_energetic(self, rng: Generator) -> Fingerprint | None:
        """Return a page on which energy > 0 lies, each alike; None when there is none. O(1)."""
        return self._energetic.draw(rng)

    def energy(self) -> float:
        """Return all energy lying on pages, for checks. O(n)."""
        return sum(record.energy for record in self._pages.values())

    def _note_energy(self, page: Fingerprint, record: PageRecord) -> None:
        if record.energy > 0:
            self._energetic.add(page)
        else:
            self._energetic.discard(page)
