"""Makes leads: links with the scores that one species gives them."""

from __future__ import annotations

from collections.abc import Callable

from evocrawl.core.model import Fingerprint, Lead, Link, Page
from evocrawl.core.urls.identity import host_of
from evocrawl.species.base import Appraisal, Choice, Species

ROOT = b""
"""Fingerprint of an artificial page where founders begin; its links are the seeds."""


class SpeciesView:
    """A species, and the functions by which it scores seeds and the links of a page."""

    def __init__(self, species: Species) -> None:
        self.species = species
        self.score = species.choice.score
        self.appraise = _appraisal(species.choice)


def make_lead(
    link: Link, source: Fingerprint, depth: int, score: float, features: object = None
) -> Lead:
    """Return the lead to a link on the page `source`; its host is the link's slot, if any."""
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
