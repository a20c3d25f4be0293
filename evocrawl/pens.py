"""Links that are held back, by what holds them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from evocrawl.model import Lead
from evocrawl.species.base import Species
from evocrawl.spill import Spill
from evocrawl.store.lead_file import pack, unpack

MOST_LEADS = 1_000
"""Links in memory, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Held:
    """A link that is held back, and the species that found it."""

    lead: Lead
    species: Species


class Pens:
    """Queues of links by name: who came in first is let out first.

    The first `most` links are in memory. Those that come while so many are go to `spill`, and take
    some 40 bytes of it, but for those that cannot be packed.
    """

    def __init__(self, most: int = MOST_LEADS, spill: Spill | None = None) -> None:
        self._most = most
        self._spill = Spill() if spill is None else spill
        self._queues: dict[str, deque[Held | int]] = {}
        self._species: list[Species] = []
        self._near = 0
        self._count = 0

    def __len__(self) -> int:
        """Return how many links are held back."""
        return self._count

    def __contains__(self, name: str) -> bool:
        return name in self._queues

    @property
    def oldest(self) -> str | None:
        """The queue that has been there for the longest time, None where there is none."""
        return next(iter(self._queues), None)

    def put(self, name: str, held: Held) -> None:
        """Hold a link back in the queue of that name. O(1)."""
        self._queues.setdefault(name, deque()).append(self._stored(held))
        self._count += 1

    def take(self, name: str, most: int) -> list[Held]:
        """Take the first links, at most so many, out of a queue that there is. O(most)."""
        queue = self._queues[name]
        taken = [self._restored(queue.popleft()) for _ in range(min(most, len(queue)))]
        if not queue:
            del self._queues[name]
        self._count -= len(taken)
        return taken

    def _stored(self, held: Held) -> Held | int:
        packed = pack(held.lead) if self._near >= self._most else None
        if packed is None:
            self._near += 1
            return held
        return self._spill.put(bytes([self._number(held.species)]) + packed)

    def _restored(self, stored: Held | int) -> Held:
        if isinstance(stored, Held):
            self._near -= 1
            return stored
        record = self._spill.get(stored)
        return Held(unpack(record[1:]), self._species[record[0]])

    def _number(self, species: Species) -> int:
        """A number for each species of the population, of which there are a handful."""
        for number, known in enumerate(self._species):
            if known is species:
                return number
        self._species.append(species)
        return len(self._species) - 1
