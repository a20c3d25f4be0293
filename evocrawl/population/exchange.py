"""What passes between populations that share a crawl: news, links and agents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evocrawl.core.model import Fingerprint, Lead, Link, Page
from evocrawl.core.urls.identity import host_of
from evocrawl.frontier import MemoryPageBase, PageRecord
from evocrawl.population.admission import AdmissionQueue
from evocrawl.population.discovery import ROOT, Discovery
from evocrawl.population.lifecycle import Lifecycle, PopulationBounds
from evocrawl.population.turns import TurnQueue
from evocrawl.species.base import Agent, Overhearing


@dataclass(frozen=True, slots=True)
class PopulationExchange:
    """One population's border; see `Population`, whose parts these are.

    `targets` are the links that somebody follows or waits to follow, `set_fees` is called when
    founders have been born.
    """

    life: Lifecycle
    turns: TurnQueue
    doors: AdmissionQueue
    discovery: Discovery
    base: MemoryPageBase
    targets: set[Fingerprint]
    set_fees: Callable[[], None]

    def hear(self, page: Page, depth: int) -> None:
        """Take in a page that another population has fetched: it is known from now, and ranks.

        No energy lies on it here. Its links are shown to every species, but for those claimed.
        `depth` is the page's. Raises PageBaseError where it is known. O(links).
        """
        self._add(page, depth)
        via = self._show(page, depth)
        for species in self.life.species:
            if isinstance(species.learning, Overhearing):
                species.learning.overhear(page, via)

    def show_seeds(self, links: Sequence[Link]) -> None:
        """Hang links where founders begin, whether they hung there before or not."""
        self.discovery.show_seeds(links)
        self._found(len(links))

    def show(self, page: Page, depth: int) -> None:
        """Show some links of a page, whether it is known or not; its energy is not laid."""
        if self.base.get(page.fingerprint) is None:
            self._add(page, depth)
        self._show(page, depth)

    def hear_dead(self, target: Fingerprint) -> None:
        """Take in that another population has found a link to lead nowhere."""
        self.base.claim(target)
        for species in self.life.species:
            if isinstance(species.learning, Overhearing):
                species.learning.overhear_dead(target)

    def withdraw(self, targets: Iterable[Fingerprint]) -> None:
        """Links to `targets` are no business of this population any more."""
        for target in targets:
            self.base.claim(target)

    def restore(self, target: Fingerprint) -> bool:
        """Undo `withdraw`; False where somebody is going there."""
        if target in self.targets:
            return False
        self.base.release(target)
        return True

    def turn_back(self, is_gone: Callable[[Lead], bool]) -> list[tuple[Agent, Lead]]:
        """Call back those who wait at a door for a link that `is_gone`; return them.

        They are nowhere until `stay` or `leave` says what becomes of them. O(who waits).
        """
        back = self.doors.call_back(is_gone)
        for agent, lead in back:
            self.targets.discard(lead.fingerprint)
            agent.in_flight -= 1
        return back

    def stay(self, agent: Agent) -> None:
        """The agent goes on here."""
        if agent.species.single_flight:
            self.turns.join([agent])
        self.turns.stirred()

    def may_leave(self, agent: Agent) -> bool:
        """Return whether the agent can travel: nothing holds it, and enough others stay."""
        return agent.species.single_flight and not agent.in_flight and self.life.may_shrink

    def leave(self, agent: Agent) -> None:
        """The agent leaves, and takes its energy with it."""
        self.life.leave(agent)
        self.turns.stirred()

    def arrive(self, species: str, energy: float, page: Fingerprint, mind: tuple[Any, ...]) -> bool:
        """Take in an agent that comes from elsewhere, on `page` if that is known.

        False where there is no such species here, or none with such a mind. The upper bound holds
        over all populations: who leaves one makes room for itself.
        """
        known = [each for each in self.life.species if each.name == species]
        if not known:
            return False
        try:
            own = known[0].minds.unpack(mind) if known[0].minds is not None else None
        except (ValueError, TypeError):
            return False
        place = page if self.base.get(page) is not None else ROOT
        agent = self.life.welcome(known[0], energy, place, own)
        self.turns.join(self.life.reproduce(agent))
        self.turns.stirred()
        return True

    def bound(self, bounds: PopulationBounds) -> None:
        """Let the population keep to other bounds from now on; nobody dies of it."""
        self.life.bounds = bounds

    def _add(self, page: Page, depth: int) -> None:
        record = PageRecord(page.url, page.relevance, 0.0, None, depth, page.version)
        self.base.add(page.fingerprint, record)

    def _show(self, page: Page, depth: int) -> Lead:
        via = Lead(page.url, page.fingerprint, host_of(page.url), ROOT, depth, 0.0)
        self.discovery.show(page, via, depth + 1)
        # The links of a page are no seeds: there is not one founder for each.
        self._found(min(len(page.links), self.life.bounds.founders))
        return via

    def _found(self, links: int) -> None:
        """Founders are born where there is something to begin with."""
        if links and self.life.is_unborn:
            self.turns.join(self.life.found(links))
            self.set_fees()
        self.turns.stirred()
