"""The page base in memory (the documents base DB of Mouton & Marteau 2008, algorithm 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from numpy.random import Generator

from evocrawl.errors import PageBaseError
from evocrawl.model import AgentId, Fingerprint, Lead
from evocrawl.store.pool import Pool
from evocrawl.store.ranks import RelevanceRanks


@dataclass(slots=True)
class PageRecord:
    """A fetched page: `energy` is what still lies on it, `leads` what is open on it."""

    url: str
    relevance: float
    energy: float
    agent: AgentId | None
    depth: int
    leads: list[Lead] = field(default_factory=list)


class MemoryPageBase:
    """Pages, their energy, their open links, and the fingerprints already claimed."""

    def __init__(self) -> None:
        self.ranks = RelevanceRanks()
        self._pages: dict[Fingerprint, PageRecord] = {}
        self._claimed: set[Fingerprint] = set()
        self._energetic: Pool[Fingerprint] = Pool()
        self._open: Pool[Fingerprint] = Pool()

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

    def root(self, page: Fingerprint) -> None:
        """Make the place where seeds hang: a page that was never fetched and ranks nowhere."""
        self._pages.setdefault(page, PageRecord("", 0.0, 0.0, None, -1))

    def hang(self, page: Fingerprint, leads: Iterable[Lead]) -> None:
        """Add open links to a known page."""
        record = self._pages[page]
        record.leads.extend(leads)
        if record.leads:
            self._open.add(page)

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True when somebody has followed, or is following, a link to `target`."""
        return target in self._claimed

    def claim(self, target: Fingerprint) -> None:
        """Nobody else shall follow a link to `target`. Runtime complexity: O(1)."""
        self._claimed.add(target)

    def release(self, target: Fingerprint) -> None:
        """Undo `claim`: nobody went there after all."""
        self._claimed.discard(target)

    def leads(self, page: Fingerprint) -> list[Lead]:
        """Return the open links of `page`, forgetting those claimed since. O(links of the page)."""
        record = self._pages[page]
        claimed = self._claimed
        if record.leads:
            record.leads = [lead for lead in record.leads if lead.fingerprint not in claimed]
        if not record.leads:
            self._open.discard(page)
        return record.leads

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

    def draw_open(self, rng: Generator, contest: int) -> Fingerprint | None:
        """Return the most relevant of `contest` ≥ 1 pages drawn among those with open links.

        None when there is none. O(contest) amortised.
        """
        best: tuple[float, Fingerprint] | None = None
        while contest > 0 and (page := self._open.draw(rng)) is not None:
            if self._has_open(page):
                contest -= 1
                relevance = self._pages[page].relevance
                if best is None or relevance > best[0]:
                    best = (relevance, page)
        return None if best is None else best[1]

    def _has_open(self, page: Fingerprint) -> bool:
        """Forget claimed links from the end of the page's list until one is open."""
        leads = self._pages[page].leads
        while leads and leads[-1].fingerprint in self._claimed:
            leads.pop()
        if not leads:
            self._open.discard(page)
        return bool(leads)

    def energy(self) -> float:
        """Return all energy lying on pages, for checks. O(n)."""
        return sum(record.energy for record in self._pages.values())

    def _note_energy(self, page: Fingerprint, record: PageRecord) -> None:
        if record.energy > 0:
            self._energetic.add(page)
        else:
            self._energetic.discard(page)
