"""Decides how much of the budget a group of held-back links gets when no other link is open.

A group that seems endless gets its own share:

====================================================  ============================================
links                                                 released when no other link is open
====================================================  ============================================
of a spent template or domain; of a counter           all
that a user's spider asked for itself                 all, before the others
that grow                                             one for `SHARE` pages with new content
of an endless template                                the same
at the end of `LONGEST_RUN` pages without new content the same
of the last two, if their pages lead elsewhere        up to a fifth of the budget
of a generated domain                                 up to a fifth of the budget
of a maze                                             up to a sixth, with all its visits
of a maze in which copies were found                  up to half, with all its visits
of a barren page, with a repetition in the path       one for 100 pages with new content
====================================================  ============================================

A share of the budget is at least `LEAST_PART`. Without a budget, it is a share of `NO_BUDGET`
requests plus those that brought a new page.
"""

from __future__ import annotations

from evocrawl.core.budget import Budget
from evocrawl.core.model import Lead
from evocrawl.core.urls.templates import template_of
from evocrawl.population.traps.sections import Sections
from evocrawl.population.traps.yields import YieldTracker

SHARE = 20
NO_BUDGET = 1_000
LEAST_PART = 20
_HALF, _FIFTH, _SIXTH = 2, 5, 6
_RARELY = 100
_MIXED = ("section", "domain")
"""Kinds of groups whose links have several templates."""
_TIE = 1e-6
"""Scores below this count as equal: then the chance of new content decides."""
_NEVER = 1 << 62


class ReleaseShares:
    """Ranks groups of held-back links by `yields` and `sections`, and limits their releases.

    A group's name is its kind, a space, and the template, domain, section or family.
    `new_pages` counts the pages with new content, or whose text was not compared.
    """

    def __init__(self, yields: YieldTracker, sections: Sections) -> None:
        self.yields = yields
        self.sections = sections
        self.budget = Budget()
        self.new_pages = 0
        self._released: dict[str, int] = {}

    @property
    def limit(self) -> int | None:
        """The greatest number of requests of the crawl, None without a budget."""
        return self.budget.share or self.budget.limit

    def note_released(self, name: str, count: int) -> None:
        """Count released links of a group."""
        self._released[name] = self._released.get(name, 0) + count

    def has_end(self, name: str) -> bool:
        """Return True for a group that is released without a limit."""
        return self._part_of(name) == 1

    def for_maze(self) -> int:
        """Return the number of visits that a maze gets."""
        return self._part(_SIXTH)

    def promise(self, name: str) -> float:
        """Return the expected yield of a held-back group, in [0, 1]."""
        what, _, group = name.partition(" ")
        if what in ("template", "tokens"):
            return self.yields.promise(group)
        if what == "domain":
            return self.yields.domain_promise(group)
        return 1.0 if what == "section" and not self.sections.is_maze(group) else 0.0

    def rank(self, name: str, lead: Lead) -> float:
        """Return the rank of a link in its group: the score, times the chance of new content.

        That chance is the same for all links of a group of one template.
        """
        if name.partition(" ")[0] not in _MIXED:
            return lead.score
        chance = self.yields.promise(template_of(lead.url))
        return chance * (lead.score + _TIE)

    def opens_at(self, name: str) -> int:
        """Return the number of new pages after which a link of the group may be released."""
        part = self._part_of(name)
        used = self._released.get(name, 0)
        if name.startswith("section "):
            used = max(used, self.sections.sent_to(name.partition(" ")[2]))
        if part == 1 or (part and used < self._part(part)):
            return 0
        if part:
            return _NEVER if self.limit else part * (used + 1) - NO_BUDGET
        return (used + 1) * (_RARELY if name.startswith("repeats ") else SHARE)

    def _part_of(self, name: str) -> int:
        """Return n for a group with a share of 1/n of the budget, 1 for a group with an end.

        Return 0 for a group whose share depends on the number of new pages.
        """
        what, _, group = name.partition(" ")
        if what in ("template", "tokens"):
            if not self.yields.is_endless(group, has_token=what == "tokens"):
                return 1
            return _FIFTH if self.yields.leads_elsewhere(group) else 0
        if what == "domain":
            return _FIFTH if self.yields.is_made_up(group) else 1
        if what == "section":
            if not self.sections.is_maze(group):
                return 1
            return _HALF if self.sections.repeats_itself(group) else _SIXTH
        if what == "run" and group and not self.yields.feeds_itself(group):
            return 1
        return _FIFTH if what == "run" and self.yields.leads_elsewhere(group) else 0

    def _part(self, part: int) -> int:
        """Return the share of 1/`part` of the budget, at least `LEAST_PART`."""
        return max((self.limit or NO_BUDGET + self.new_pages) // part, LEAST_PART)
