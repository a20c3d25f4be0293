"""Exchanges pages, links and agents between populations that share a crawl."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evocrawl.core.model import Fingerprint, Lead, Link, Page
from evocrawl.frontier import PageRecord
from evocrawl.population.individual import Individual
from evocrawl.population.population import Population
from evocrawl.population.species_view import ROOT
from evocrawl.species.base import ForeignPages


@dataclass(frozen=True, slots=True)
class PageDigest:
    """What other populations get of the text of a page.

    `of_species` are the digests that species make, by the name of the species; `text` is that of
    the page if any species makes none.
    """

    text: str = ""
    of_species: Mapping[str, Any] = field(default_factory=dict)


NO_DIGEST = PageDigest()


@dataclass(frozen=True, slots=True)
class ForeignPage:
    """Links of a page that is known, or that another population has fetched at this depth."""

    page: Page
    depth: int
    digest: PageDigest = NO_DIGEST


@dataclass(frozen=True, slots=True)
class PopulationExchange:
    """Adds the finds of other populations to `population`; lets agents come and go."""

    population: Population
    _observers: dict[str, ForeignPages] = field(init=False)

    def __post_init__(self) -> None:
        """Look up which species note pages of others: a check of a protocol takes a while."""
        learning = {each.name: each.learning for each in self.population.species}
        observers = {
            name: each for name, each in learning.items() if isinstance(each, ForeignPages)
        }
        object.__setattr__(self, "_observers", observers)

    def digest(self, page: Page) -> PageDigest:
        """Return what other populations get of the text of a page, packed. O(characters)."""
        has_text = len(self._observers) < len(self.population.species)
        of_species = {name: each.digest(page) for name, each in self._observers.items()}
        return PageDigest(page.content.text if has_text else "", of_species)

    def read_digest(self, packed: PageDigest) -> PageDigest:
        """Return the digest of another population for `show`. Raises ValueError."""
        of_species = {
            name: self._observers[name].read_digest(each)
            for name, each in packed.of_species.items()
            if name in self._observers
        }
        return PageDigest(packed.text, of_species)

    def show_seeds(self, links: Sequence[Link]) -> None:
        """Show links as seeds, known or not."""
        self.population.show_seeds(links)

    def show(self, found: Sequence[ForeignPage]) -> None:
        """Show links of pages that are known or that other populations have fetched. O(links).

        Such a page has no energy here, and its relevance does not join the ranks: that is its own
        population's.
        """
        if not found:
            return
        pages = [each.page for each in found]
        for each in found:
            if self.population.environment.base.get(each.page.fingerprint) is None:
                self._add(each.page, each.depth)
        for name, observer in self._observers.items():
            digests = [each.digest.of_species.get(name) for each in found]
            observer.note_foreign_pages(pages, digests)
        for each in found:
            self.population.show(each.page, each.depth)

    def withdraw(self, targets: Iterable[Fingerprint]) -> None:
        """Claim `targets` for other populations, so that no agent here follows a link to them."""
        for target in targets:
            self.population.environment.base.claim(target)

    def restore(self, target: Fingerprint) -> bool:
        """Undo `withdraw`; return False if an agent here has chosen a link to `target`."""
        if target in self.population.selector.targets:
            return False
        self.population.environment.base.release(target)
        return True

    def call_back(self, is_gone: Callable[[Lead], bool]) -> list[tuple[Individual, Lead]]:
        """Remove and return waiting agents whose chosen link matches `is_gone`. O(waiting).

        Call `stay` or `leave` for each of them.
        """
        return self.population.selector.call_back(is_gone)

    def leave_hosts(self, hosts: Collection[str]) -> None:
        """Let no agent wait for closed origins of `hosts`, which another population fetches.

        No link may wait for these origins; see `call_back`. O(closed origins).
        """
        self.population.admission.forget(hosts)

    def stay(self, agent: Individual) -> None:
        """Give turns again to an agent that was called back."""
        self.population.selector.resume(agent)
        self.population.selector.turns.wake()

    def may_leave(self, agent: Individual) -> bool:
        """Return whether the agent can travel: no visit under way, and enough agents stay."""
        single = agent.species.single_flight
        return single and not agent.in_flight and self.population.lifecycle.may_shrink

    def leave(self, agent: Individual) -> None:
        """Remove an agent that was called back, with its energy."""
        self.population.lifecycle.leave(agent)
        self.population.selector.turns.wake()

    def arrive(self, species: str, energy: float, page: Fingerprint, mind: tuple[Any, ...]) -> bool:
        """Add an agent from another population, on `page` if the page is known here.

        Return False if the species is unknown here, or the mind is invalid for it. An agent that
        has left another population is taken in at the upper bound, too.
        """
        known = [each for each in self.population.species if each.name == species]
        if not known:
            return False
        try:
            own = known[0].minds.unpack(mind) if known[0].minds is not None else None
        except (ValueError, TypeError):
            return False
        at = page if self.population.environment.base.get(page) is not None else ROOT
        lifecycle, turns = self.population.lifecycle, self.population.selector.turns
        agent = lifecycle.welcome(known[0], energy, at, own)
        turns.join(lifecycle.reproduce(agent))
        turns.wake()
        return True

    def _add(self, page: Page, depth: int) -> None:
        record = PageRecord(page.url, page.relevance, 0.0, None, depth, page.version)
        self.population.environment.base.add(page.fingerprint, record, is_ranked=False)
