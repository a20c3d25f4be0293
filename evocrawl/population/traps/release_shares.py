"""How much of the budget the groups of held-back links get when no other link is open.

A group that seems to have no end gets a share of its own:

====================================================  ============================================
links                                                 are released, when no other link is open
====================================================  ============================================
of a spent template or domain; of a counter           all
that a user's spider asked for itself                 all, before the others
that grow                                             one for `SHARE` pages that said something new
of an endless template                                the same
at the end of `LONGEST_RUN` pages that said nothing   the same
of the last two, where their pages lead elsewhere     up to a fifth of the budget
of a domain that is made up                           up to a fifth of the budget
of a maze                                             up to a sixth, all its visits counted
of a barren page, whose path repeats itself           one for 100 pages that said something new
====================================================  ============================================

A share of the budget is at least `LEAST_PART`. Where there is no budget, it is taken for
`NO_BUDGET` requests and those that brought a new page.
"""

from __future__ import annotations

from evocrawl.core.budget import Budget
from evocrawl.population.traps.sections import Sections
from evocrawl.population.traps.yields import YieldTracker

SHARE = 20
NO_BUDGET = 1_000
LEAST_PART = 20
_FIFTH, _SIXTH = 5, 6
_RARELY = 100
_NEVER = 1 << 62


class ReleaseShares:
    """Ranks groups of held-back links by `yields` and `sections`, and limits their releases.

    A group's name is its kind, a space, and the template, domain, section or family.
    `new_pages` counts the pages that said something new, or whose text was not compared.
    """

    def __init__(self, yields: YieldTracker, sections: Sections) -> None:
        self.yields = yields
        self.sections = sections
        self.budget = Budget()
        self.new_pages = 0
        self._released: dict[str, int] = {}

    @property
    def limit(self) -> int | None:
        """The number of requests that the crawl may make, None without a budget."""
        return self.budget.share or self.budget.limit

    def note_released(self, name: str, count: int) -> None:
        """Count links of a group that are released."""
        self._released[name] = self._released.get(name, 0) + count

    def has_end(self, name: str) -> bool:
        """Return True for a group that is released without a limit."""
        return self._part_of(name) == 1

    def for_maze(self) -> int:
        """Return how many visits a maze gets."""
        return self._part(_SIXTH)

    def promise(self, name: str) -> float:
        """Return how much may be expected of a group that is held back, in [0, 1]."""
        what, _, group = name.partition(" ")
        if what in ("template", "tokens"):
            return self.yields.promise(group)
        if what == "domain":
            return self.yields.domain_promise(group)
        return 1.0 if what == "section" and not self.sections.is_maze(group) else 0.0

    def opens_at(self, name: str) -> int:
        """Return the number of new pages from which on a link of the group may be released."""
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
        """Return 1 for a group that has an end, n for one that gets a share of 1/n of the budget.

        0 for one whose share depends on what the crawl finds.
        """
        what, _, group = name.partition(" ")
        if what in ("template", "tokens"):
            if not self.yields.is_endless(group, has_token=what == "tokens"):
                return 1
            return _FIFTH if self.yields.leads_elsewhere(group) else 0
        if what == "domain":
            return _FIFTH if self.yields.is_made_up(group) else 1
        if what == "section":
            return _SIXTH if self.sections.is_maze(group) else 1
        if what == "run" and group and not self.yields.feeds_itself(group):
            return 1
        return _FIFTH if what == "run" and self.yields.leads_elsewhere(group) else 0

    def _part(self, part: int) -> int:
        """Return the share of 1/`part` of the budget, at least `LEAST_PART`."""
        return max((self.limit or NO_BUDGET + self.new_pages) // part, LEAST_PART)
