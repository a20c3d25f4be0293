"""Adds pages to the page base, and shows links to each species with the scores it gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from evocrawl.core.config.presets import Rewards
from evocrawl.core.containers.keymap import KeySet
from evocrawl.core.events import DuplicateFound, Event, HeldBack, Laid
from evocrawl.core.fetch import OVER_BUDGET
from evocrawl.core.model import (
    Dead,
    Dropped,
    Fetched,
    Fingerprint,
    Lead,
    Link,
    Outcome,
    Page,
    Visit,
)
from evocrawl.frontier import MemoryPageBase, PageRecord
from evocrawl.population.exclusions import EXCLUDED, Exclusions
from evocrawl.population.individual import Individual
from evocrawl.population.link_notes import LinkNotes
from evocrawl.population.settlement import Settlement
from evocrawl.population.species_view import ROOT, SpeciesView, make_lead
from evocrawl.population.traps.held_links import HeldLink
from evocrawl.population.traps.traps import TrapDetector
from evocrawl.species.base import Species

HELD_BACK, PUT_OFF = "held back", "put off"
"""States of links in `Discovery.notes`, besides the kinds of outcomes without a page."""


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page as the population records it: its relevance is 0 if its content is not new.

    `is_new` is True for a page that was fetched for the first time. `pays` is True if energy is
    laid on the page: its content is new, and the page is new or the option `rewards` allows it.
    """

    page: Page
    is_new: bool
    pays: bool


class Discovery:
    """Scores links by each species' choice and shows them to its sight.

    With `traps`, pages without new content earn no energy, and links that look like links to such
    pages are held back; `emit` gets an event for each. `notes` has the state of links that led to
    no page, were put off or are held back.
    """

    def __init__(
        self,
        species: Sequence[Species],
        base: MemoryPageBase,
        rewards: Rewards = "first",
        traps: TrapDetector | None = None,
        emit: Callable[[Event], None] = lambda _: None,
    ) -> None:
        self._views = [SpeciesView(each) for each in species]
        self._base = base
        self._rewards = rewards
        self._traps = traps
        self._emit = emit
        self.exclusions = Exclusions()
        self._held: list[Fingerprint] = []
        self._seeded = KeySet()
        self.notes = LinkNotes()

    def seeds(self, links: Iterable[Link]) -> int:
        """Add seeds that were not placed or fetched before; return their number."""
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
        for view in self._views:
            score = view.score
            leads = [make_lead(each, ROOT, 0, score(each, None)) for each in links]
            view.species.sight.found(leads)

    def show(self, page: Page, via: Lead, depth: int) -> None:
        """Show the links of a page to every species; `depth` is that of the links."""
        for view in self._views:
            self._show_to(view, page, via, depth)
        self._claim_held()

    def _show_to(self, view: SpeciesView, page: Page, via: Lead, depth: int) -> None:
        """Show the links of a page that one species may follow. O(links)."""
        links: Sequence[Link] = page.links
        if not view.species.revisits:
            claimed = self._base.are_claimed([link.fingerprint for link in links])
            links = [link for link, is_out in zip(links, claimed, strict=True) if not is_out]
        appraise = view.appraise
        leads = [
            make_lead(link, page.fingerprint, depth, *appraise(link, page, via)) for link in links
        ]
        view.species.sight.found(self._kept(leads, view.species))

    def take_in(self, visit: Visit, agent: Individual, outcome: Outcome) -> Settlement:
        """Record the outcome of a visit of `agent`: a page, or the reason why there is none.

        O(log n), and O(1) for each link of the page.
        """
        if isinstance(outcome, Fetched):
            page = outcome.page
            found = self.remember(visit, page, agent.species)
            if found.pays:
                self._emit(Laid(page.fingerprint, page.relevance, page.energy))
            if page.fingerprint != visit.lead.fingerprint:
                self.notes.put(visit.lead.fingerprint, "fetched", "after a redirect")
            taken = Fetched(found.page, outcome.cost)
            return Settlement(visit, agent, taken, page.relevance, found.is_new, found.pays)
        reason = outcome.reason if isinstance(outcome, Dead | Dropped) else ""
        if isinstance(outcome, Dead) and self._traps is not None and reason != OVER_BUDGET:
            self._traps.miss(visit.lead)
        self.notes.put(visit.lead.fingerprint, type(outcome).__name__.lower(), reason)
        return Settlement(visit, agent, outcome)

    def remember(self, visit: Visit, page: Page, species: Species) -> NewPage:
        """Add a page to the base with its energy, and show its links.

        `species` is that of the visitor.
        """
        record = self._base.get(page.fingerprint)
        is_new = record is None
        pays = record is None or self._pays_again(record, page)
        if pays and not self._has_new_content(page, visit.lead, record):
            page, pays = replace(page, relevance=0.0, energy=0.0), False
        if record is None:
            record = PageRecord(
                page.url, page.relevance, page.energy, visit.agent, visit.lead.depth, page.version
            )
            self._base.add(page.fingerprint, record)
        elif pays:
            self._base.renew(page.fingerprint, page.relevance, page.energy, page.version)
        for view in self._views:
            # The features that another species has stored on its lead are not passed on.
            via = visit.lead if view.species is species else replace(visit.lead, features=None)
            self._show_to(view, page, via, record.depth + 1)
        self._claim_held()
        return NewPage(page, is_new, pays)

    def holds_back(self, lead: Lead, species: Species) -> bool:
        """Hold a drawn link back if it looks like a trap's; return whether it is held back.

        No agent sees a held-back link until it is released. No link is held back from a species
        that revisits pages, unless it is excluded by the user; an excluded link is never released.
        O(1), or O(patterns) with exclusions.
        """
        reason = EXCLUDED if self.exclusions.patterns and self.exclusions.covers(lead) else ""
        if not reason and self._traps is not None and not species.revisits:
            reason = self._traps.reason(lead)
        if reason:
            self._hold(lead, species, reason)
        return bool(reason)

    def follow(self, lead: Lead) -> None:
        """Count a link that an agent has chosen. O(1)."""
        self.notes.discard(lead.fingerprint)
        if self._traps is not None:
            self._traps.follow(lead)

    def put_off(self, lead: Lead, species: Species, reason: str = "") -> None:
        """Open a chosen link again, for the `species` that found it.

        The default for `reason` is the reason why its visit ended.
        """
        _, ended = self.notes.get(lead.fingerprint) or ("", "")
        self._reopen(lead, species)
        self.notes.put(lead.fingerprint, PUT_OFF, reason or ended)

    def move(self, lead: Lead, species: Species) -> None:
        """Let a chosen link, which is still claimed, lead to another host before it is put off.

        A species may still have the link as it was: it removes a claimed link when it next comes
        upon it. It would choose that one when the host before is free, not the host that it leads
        to.
        """
        species.sight.found([lead])

    def release_for(self, page: Page) -> bool:
        """Open held-back links whose group a fetched page has credited; False if none. O(1)."""
        return self._traps is not None and self._release(self._traps.freed(page.url))

    def release_some(self) -> bool:
        """Open some held-back links when no other link is open; False if none. O(1)."""
        return self._traps is not None and self._release(self._traps.released())

    @property
    def has_held(self) -> bool:
        """True if a held-back link may still be released."""
        return self._traps is not None and self._traps.may_let_out

    def _release(self, held: Sequence[HeldLink]) -> bool:
        for each in held:
            self._reopen(each.lead, each.species)
        return bool(held)

    def _reopen(self, lead: Lead, species: Species) -> None:
        target = lead.fingerprint
        self.notes.discard(target)
        if self._base.get(target) is None:
            self._base.release(target)
        species.sight.found([lead])

    def _kept(self, leads: list[Lead], species: Species) -> list[Lead]:
        """Hold back links of a new page; return the others.

        A held-back link is claimed later, when all species have seen it.
        """
        reasons: Sequence[str] = [""] * len(leads)
        if self._traps is not None and not species.revisits:
            reasons = self._traps.reasons(leads)
        if self.exclusions.patterns:
            covers = self.exclusions.covers
            reasons = [
                EXCLUDED if covers(lead) else reason
                for lead, reason in zip(leads, reasons, strict=True)
            ]
        if not any(reasons):
            return leads
        kept = []
        for lead, reason in zip(leads, reasons, strict=True):
            if reason:
                self._hold(lead, species, reason)
                self._held.append(lead.fingerprint)
            else:
                kept.append(lead)
        return kept

    def _hold(self, lead: Lead, species: Species, reason: str) -> None:
        if self._traps is not None and reason != EXCLUDED:
            self._traps.hold(reason, lead, species)
        self.notes.put(lead.fingerprint, HELD_BACK, reason)
        self._emit(HeldBack(lead, reason))

    def _claim_held(self) -> None:
        for target in self._held:
            self._base.claim(target)
        self._held.clear()

    def _has_new_content(self, page: Page, via: Lead, record: PageRecord | None) -> bool:
        """Return False if the content of a page is known not to be new."""
        if self._traps is None:
            return True
        if record is not None and record.version == page.version:
            return not self._traps.is_barren(page.fingerprint)
        source = self._base.get(via.source)
        at = "" if source is None else source.url
        verdict = self._traps.take(page, via, at, is_first=record is None)
        if verdict.is_new is False:
            self._emit(DuplicateFound(page.fingerprint, verdict.twin, verdict.novelty))
        return verdict.is_new is not False

    def _pays_again(self, record: PageRecord, page: Page) -> bool:
        if self._rewards == "changed":
            return record.version != page.version
        return self._rewards == "always"
