"""Scores the links of a page or of the seeds for one species, and shows them to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from evocrawl.core.model import Fingerprint, Lead, Link, Page
from evocrawl.core.urls.identity import host_of
from evocrawl.frontier import MemoryPageBase
from evocrawl.species.base import Appraisal, Choice, Species

ROOT = b""
"""Fingerprint of an artificial page where founders begin; its links are the seeds."""


class SpeciesView:
    """Scores new links for one species and shows them to it."""

    def __init__(
        self,
        species: Species,
        base: MemoryPageBase,
        kept: Callable[[list[Lead], Species], list[Lead]],
    ) -> None:
        self.species = species
        self._base = base
        self._kept = kept
        self._score = species.choice.score
        self._appraise = _appraisal(species.choice)

    def see_seeds(self, links: Sequence[Link]) -> None:
        """Show links as seeds."""
        self.species.sight.found([_lead(each, ROOT, 0, self._score(each, None)) for each in links])

    def see(self, page: Page, via: Lead, depth: int, *, is_own: bool) -> None:
        """Show the links of a page; `is_own` is True if `via` is a lead of this species.

        The features that another species has stored on its lead are not passed on.
        """
        if not is_own:
            via = replace(via, features=None)
        shows_all, is_claimed = self.species.revisits, self._base.is_claimed
        leads = [
            _lead(link, page.fingerprint, depth, *self._appraise(link, page, via))
            for link in page.links
            if shows_all or not is_claimed(link.fingerprint)
        ]
        self.species.sight.found(self._kept(leads, self.species))


def _lead(
    link: Link, source: Fingerprint, depth: int, score: float, features: object = None
) -> Lead:
    return Lead(
        link.url,
        link.fingerprint,
        link.slot or link.host or host_of(link.url),
        source,
        depth,
        score,
        link.anchor,
        link.payload,
        features,
    )


def _appraisal(choice: Choice) -> Callable[[Link, Page, Lead], tuple[float, object]]:
    """Return the function that scores links: the choice's `appraise`, or else its `score`."""
    if isinstance(choice, Appraisal):
        return choice.appraise
    return lambda link, page, _: (choice.score(link, page), None)
