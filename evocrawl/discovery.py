"""What a page or a seed adds to the page base: its record, its energy, its links as leads."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from evocrawl.model import Fingerprint, Lead, Link, Page, Visit
from evocrawl.species.base import Appraisal, Choice, Species
from evocrawl.store import MemoryPageBase, PageRecord
from evocrawl.urls import host_of

ROOT = b""
"""Where founders begin: a page that is none, on which the seeds hang as links."""


class Discovery:
    """Values links by the species' choice and hangs them where its sight finds them."""

    def __init__(self, species: Species, base: MemoryPageBase) -> None:
        self._sight = species.sight
        self._score = species.choice.score
        self._appraise = _appraisal(species.choice)
        self._base = base
        self._seeded: set[Fingerprint] = set()
        base.root(ROOT)

    def seeds(self, links: Iterable[Link]) -> list[Lead]:
        """Hang seeds on the root, but for those placed or fetched before; return the new ones."""
        leads = []
        for link in links:
            target = link.fingerprint
            if target not in self._seeded and not self._base.is_claimed(target):
                self._seeded.add(target)
                leads.append(_lead(link, ROOT, 0, self._score(link, None)))
        self._hang(ROOT, leads)
        return leads

    def remember(self, visit: Visit, page: Page) -> bool:
        """Put a page into the base with its energy and links; False when it was known."""
        if self._base.get(page.fingerprint) is not None:
            return False
        depth = visit.lead.depth
        record = PageRecord(page.url, page.relevance, page.energy, visit.agent, depth)
        self._base.add(page.fingerprint, record)
        leads = [
            _lead(link, page.fingerprint, depth + 1, *self._appraise(link, page, visit.lead))
            for link in page.links
            if not self._base.is_claimed(link.fingerprint)
        ]
        self._hang(page.fingerprint, leads)
        return True

    def _hang(self, page: Fingerprint, leads: list[Lead]) -> None:
        self._base.hang(page, leads)
        self._sight.found(leads)


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
