"""What a page or a seed adds: a record in the page base, and links as each species values them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from evocrawl.economies import Rewards
from evocrawl.model import Fingerprint, Lead, Link, Page, Visit
from evocrawl.species.base import Appraisal, Choice, Species
from evocrawl.store import MemoryPageBase, PageRecord
from evocrawl.urls import host_of

ROOT = b""
"""Where founders begin: a page that is none, on which the seeds hang as links."""


class Discovery:
    """Values links by each species' choice and shows them to its sight."""

    def __init__(
        self, species: Sequence[Species], base: MemoryPageBase, rewards: Rewards = "first"
    ) -> None:
        self._eyes = [_Eye(each, base) for each in species]
        self._base = base
        self._rewards = rewards
        self._seeded: set[Fingerprint] = set()

    def seeds(self, links: Iterable[Link]) -> int:
        """Hang seeds on the root, but for those placed or fetched before; return how many."""
        fresh = []
        for link in links:
            target = link.fingerprint
            if target not in self._seeded and not self._base.is_claimed(target):
                self._seeded.add(target)
                fresh.append(link)
        self.show_seeds(fresh)
        return len(fresh)

    def show_seeds(self, links: Sequence[Link]) -> None:
        """Show links as seeds to every species."""
        for eye in self._eyes:
            eye.see_seeds(links)

    def show(self, page: Page, via: Lead, depth: int) -> None:
        """Show the links of a page, which have `depth`, to every species."""
        for eye in self._eyes:
            eye.see(page, via, depth, is_own=True)

    def remember(self, visit: Visit, page: Page, species: Species) -> tuple[bool, bool]:
        """Put a page into the base with its energy, and show its links.

        `species` is the visitor's. Returns whether the page is new, and whether its energy was
        laid on it: always for a new page, for a known one as the rewards have it.
        """
        record = self._base.get(page.fingerprint)
        is_new = record is None
        pays = record is None or self._pays_again(record, page)
        if record is None:
            record = PageRecord(
                page.url, page.relevance, page.energy, visit.agent, visit.lead.depth, page.version
            )
            self._base.add(page.fingerprint, record)
        elif pays:
            self._base.renew(page.fingerprint, page.relevance, page.energy, page.version)
        for eye in self._eyes:
            eye.see(page, visit.lead, record.depth + 1, is_own=eye.species is species)
        return is_new, pays

    def _pays_again(self, record: PageRecord, page: Page) -> bool:
        if self._rewards == "changed":
            return record.version != page.version
        return self._rewards == "always"


class _Eye:
    """How one species sees new links."""

    def __init__(self, species: Species, base: MemoryPageBase) -> None:
        self.species = species
        self._base = base
        self._score = species.choice.score
        self._appraise = _appraisal(species.choice)

    def see_seeds(self, links: Sequence[Link]) -> None:
        self.species.sight.found([_lead(each, ROOT, 0, self._score(each, None)) for each in links])

    def see(self, page: Page, via: Lead, depth: int, *, is_own: bool) -> None:
        """Show the links of a page, reached by a lead of this species or (not `is_own`) another's.

        What another species noted on its lead says nothing to this one.
        """
        if not is_own:
            via = replace(via, features=None)
        shows_all, is_claimed = self.species.revisits, self._base.is_claimed
        leads = [
            _lead(link, page.fingerprint, depth, *self._appraise(link, page, via))
            for link in page.links
            if shows_all or not is_claimed(link.fingerprint)
        ]
        self.species.sight.found(leads)


def _lead(
    link: Link, source: Fingerprint, depth: int, score: float, features: object = None
) -> Lead:
    return Lead(
        link.url,
        link.fingerprint,
        host_of(link.url),
        source,
        depth,
        score,
        link.anchor,
        link.payload,
        features,
    )


def _appraisal(choice: Choice) -> Callable[[Link, Page, Lead], tuple[float, object]]:
    """Return how links are valued: by the choice's appraisal, or by its score alone."""
    if isinstance(choice, Appraisal):
        return choice.appraise
    return lambda link, page, _: (choice.score(link, page), None)
