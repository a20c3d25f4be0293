"""The oracle: knows which pages are relevant, and follows links to them first.

An upper limit for crawlers that know pages only by links ("reachable oracle"): greedy with
labels, blind to links it has not seen. Of the links to other pages, those on relevant pages come
first, since relevant pages link to each other (Davison 2000, Topical locality in the Web). It is
no bound in the strict sense: the best tour of a graph known in full is NP-hard to find (Gauquier,
Manolescu & Senellart 2026). For simulations only, where labels exist.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from evocrawl.errors import SettingError
from evocrawl.model import Fingerprint, Link, Page
from evocrawl.species.base import Species
from evocrawl.species.parts import Best, Queue, WholeFrontier, lone


@dataclass(frozen=True, slots=True)
class ByLabel(Best):
    """A link is worth what the label of its target says, then that of its page."""

    labels: Collection[Fingerprint]

    def score(self, link: Link, page: Page | None) -> float:
        """Return 1 for a relevant target, and 0.5 more on a relevant page."""
        source = page is not None and page.fingerprint in self.labels
        return float(link.fingerprint in self.labels) + 0.5 * source


def oracle(frontier: Queue, labels: Collection[Fingerprint] | None) -> Species:
    """Make the species on a frontier of its own. Raises SettingError where there are no labels."""
    if labels is None:
        raise SettingError("species", "oracle", "a species that needs no labels: there are none")
    return lone("oracle", WholeFrontier(frontier), ByLabel(frozenset(labels)))
