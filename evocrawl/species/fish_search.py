"""Fish-Search (De Bra & Post 1994, WWW1; the rules as De Bra's hypertext course states them).

Waiting links are in one list. A page that is relevant puts 1.5 · `width` of its links at the
beginning B, another page puts `width` of them at the middle M, right after the links of relevant
pages, and the rest goes to the end E::

    links of            number         where    their depth
    a relevant page     1.5 · width    B        depth
    any other page      width          M        that of the link to the page, less 1
    the rest, and all links of an irrelevant page reached at depth 0    E

In the paper's image, fish that find food have more and stronger young; the young of the others swim
on until they starve. A bar decides which pages are relevant. Links to other hosts are selected
first, as in the original, then links in document order; the original draws them at random. It also
takes fewer links of slow servers; here the limits per host do that. A link that is found again
moves up, never down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from evocrawl.core.model import Lead, Link, Page
from evocrawl.core.urls.identity import host_of
from evocrawl.species.agent import Agent
from evocrawl.species.base import Species
from evocrawl.species.parts import Bar, Best, Queue, WholeFrontier, lone
from evocrawl.species.reasons import Reason, Term

_MIDDLE = -(2.0**40)
_END = -(2.0**41)
"""So low that the numbers of pages, counted up from 0, never reach another part of the list."""


@dataclass(frozen=True, slots=True)
class Strength(Best):
    """Scores a link 1 on a relevant page and 0 on another; its lead carries its depth."""

    bar: Bar
    depth: int

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:  # noqa: ARG002
        """Return the part of the list that the link is in."""
        if lead.features is None:
            return Reason("A seed comes first.", lead.score)
        part = "at the beginning" if lead.score > 0 else "in the middle or at the end"
        page = "a relevant page" if lead.score > 0 else "a page that is not relevant"
        rule = f"The link is on {page}, so it waits {part} of the list; later pages come first."
        return Reason(rule, lead.score, terms=(Term("remaining depth", float(_depth(lead)), 1.0),))

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return 1 or 0 by the relevance of the page, 1 for a seed."""
        return float(page is None or self.bar.passes(page.relevance))

    def appraise(self, link: Link, page: Page, via: Lead) -> tuple[float, tuple[int, bool]]:
        """Return the score, then the remaining depth and whether the link leaves its host."""
        is_away = host_of(link.url) != host_of(page.url)
        if self.bar.passes(page.relevance):
            return 1.0, (self.depth, is_away)
        reached_at = via.features[0] if isinstance(via.features, tuple) else self.depth
        return 0.0, (reached_at - 1, is_away)


@dataclass(frozen=True, slots=True)
class Shoal(WholeFrontier):
    """The list of three parts: later pages come before earlier ones, except at the end."""

    width: int
    pages: Iterator[int] = field(default_factory=lambda: count(1))

    def found(self, leads: Sequence[Lead]) -> None:
        """Put the links of a page into their parts of the list. O(log n) a link."""
        if not leads or leads[0].features is None:
            for seed in leads:
                self.frontier.push(seed, 0.0)
            return
        is_relevant = leads[0].score > 0
        selected = int(1.5 * self.width) if is_relevant else self.width
        place = next(self.pages) + (0.0 if is_relevant else _MIDDLE)
        if _depth(leads[0]) < 0:
            selected = 0
        # The sort is stable: document order within the host's own links and within the others.
        for number, lead in enumerate(sorted(leads, key=_stays)):
            self.frontier.push(lead, place if number < selected else _END)


def fish_search(frontier: Queue, bar: Bar, *, width: int = 5, depth: int = 3) -> Species:
    """Make the species with its own frontier; `width` ≥ 1 links, `depth` ≥ 0 pages."""
    return lone("fish_search", Shoal(frontier, width), Strength(bar, depth))


def _depth(lead: Lead) -> int:
    return lead.features[0] if isinstance(lead.features, tuple) else 0


def _stays(lead: Lead) -> bool:
    return not (isinstance(lead.features, tuple) and lead.features[1])
