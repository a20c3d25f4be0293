"""What a page or a seed adds: a record in the page base, and links as each species values them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from evocrawl.core.config.presets import Rewards
from evocrawl.core.containers.keymap import KeySet
from evocrawl.core.events import DuplicateFound, Event, HeldBack
from evocrawl.core.fetch import OVER_BUDGET
from evocrawl.core.model import Fingerprint, Lead, Link, Page, Visit
from evocrawl.core.urls.identity import host_of
from evocrawl.frontier import MemoryPageBase, PageRecord
from evocrawl.population.traps.held_links import HeldLink
from evocrawl.population.traps.traps import TrapDetector
from evocrawl.species.base import Appraisal, Choice, Species

ROOT = b""
"""Where founders begin: a page that is none, on which the seeds hang as links."""


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page as the population takes it: of no relevance where it says nothing new.

    `is_new` tells whether it was fetched for the first time, `pays` whether its energy was laid on
    it: always for a new page, for a known one as the rewards have it, if it says something new.
    """

    page: Page
    is_new: bool
    pays: bool


class Discovery:
    """Values links by each species' choice and shows them to its sight.

    With `traps` pages that say nothing new are told apart, and links like those to them are not
    shown; `emit` is told of both.
    """

    def __init__(
        self,
        species: Sequence[Species],
        base: MemoryPageBase,
        rewards: Rewards = "first",
        traps: TrapDetector | None = None,
        emit: Callable[[Event], None] = lambda _: None,
    ) -> None:
        self._eyes = [_SpeciesView(each, base, self._holds_from) for each in species]
        self._base = base
        self._rewards = rewards
        self._traps = traps
        self._emit = emit
        self._held: list[Fingerprint] = []
        self._seeded = KeySet()

    def seeds(self, links: Iterable[Link]) -> int:
        """Hang seeds on the root, but for those placed or fetched before; return how many."""
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
        for eye in self._eyes:
            eye.see_seeds(links)

    def show(self, page: Page, via: Lead, depth: int) -> None:
        """Show the links of a page, which have `depth`, to every species."""
        for eye in self._eyes:
            eye.see(page, via, depth, is_own=True)
        self._claim_held()

    def remember(self, visit: Visit, page: Page, species: Species) -> NewPage:
        """Put a page into the base with its energy, and show its links.

        `species` is the visitor's.
        """
        record = self._base.get(page.fingerprint)
        is_new = record is None
        pays = record is None or self._pays_again(record, page)
        if pays and not self._says_something(page, visit.lead, record):
            page, pays = replace(page, relevance=0.0, energy=0.0), False
        if record is None:
            record = PageRecord(
                page.url, page.relevance, page.energy, visit.agent, visit.lead.depth, page.version
            )
            self._base.add(page.fingerprint, record)
        elif pays:
            self._base.renew(page.fingerprint, page.relevance, page.energy, page.version)
        for eye in self._eyes:
            eye.see(page, visit.lead, record.depth + 1, is_own=eye.species is species)
        self._claim_held()
        return NewPage(page, is_new, pays)

    def holds_back(self, lead: Lead, species: Species, *, is_drawn: bool = True) -> bool:
        """Return whether a link is one of a trap's; then nobody follows it until it is let out.

        `is_drawn`: an agent has drawn it. Species that go to known pages too see all. O(1).
        """
        if self._traps is None or species.revisits:
            return False
        reason = self._traps.reason(lead, is_drawn=is_drawn)
        if reason:
            self._traps.hold(reason, lead, species)
            self._emit(HeldBack(lead, reason))
        return bool(reason)

    def sent(self, lead: Lead) -> None:
        """Somebody follows the link, or waits to."""
        if self._traps is not None:
            self._traps.sent(lead)

    def missed(self, lead: Lead, reason: str) -> None:
        """A link led nowhere."""
        if self._traps is not None and reason != OVER_BUDGET:
            self._traps.miss(lead)

    def freed(self, page: Page) -> list[HeldLink]:
        """Return links that a fetched page lets out. O(1)."""
        return [] if self._traps is None else self._traps.freed(page.url)

    def paroled(self) -> list[HeldLink]:
        """Return some links that are held back, to go on with where there are no others. O(1)."""
        return [] if self._traps is None else self._traps.paroled()

    @property
    def has_held(self) -> bool:
        """True while links are held back that may still be let out."""
        return self._traps is not None and self._traps.may_let_out

    def _holds_from(self, lead: Lead, species: Species) -> bool:
        """The same while a page is shown: each species has the link before it is claimed."""
        is_held = self.holds_back(lead, species, is_drawn=False)
        if is_held:
            self._held.append(lead.fingerprint)
        return is_held

    def _claim_held(self) -> None:
        for target in self._held:
            self._base.claim(target)
        self._held.clear()

    def _says_something(self, page: Page, via: Lead, record: PageRecord | None) -> bool:
        """Return False for a page that is known to say nothing new."""
        if self._traps is None:
            return True
        if record is not None and record.version == page.version:
            return not self._traps.is_barren(page.fingerprint)
        source = self._base.get(via.source)
        at = "" if source is None else source.url
        told = self._traps.take(page, via, at, is_first=record is None)
        if told.is_new is False:
            self._emit(DuplicateFound(page.fingerprint, told.twin, told.novelty))
        return told.is_new is not False

    def _pays_again(self, record: PageRecord, page: Page) -> bool:
        if self._rewards == "changed":
            return record.version != page.version
        return self._rewards == "always"


class _SpeciesView:
    """How one species sees new links."""

    def __init__(
        self,
        species: Species,
        base: MemoryPageBase,
        holds_back: Callable[[Lead, Species], bool],
    ) -> None:
        self.species = species
        self._base = base
        self._holds_back = holds_back
        self._score = species.choice.score
        self._appraise = _appraisal(species.choice)

    def see_seeds(self, links: Sequence[Link]) -> None:
        self.species.sight.found([_lead(each, ROOT, 0, self._score(each, None)) for each in links])

    def see(self, page: Page, via: Lead, depth: int, *, is_own: bool) -> None:
        """Show the links of a page, reached by a lead of this species or (not `is_own`) another's.

        What another species noted on its lead says nothing to this one.
        """
        if not is_own:
            via = replace(via, features=None)
        shows_all, is_claimed = self.species.revisits, self._base.is_claimed
        leads = [
            _lead(link, page.fingerprint, depth, *self._appraise(link, page, via))
            for link in page.links
            if shows_all or not is_claimed(link.fingerprint)
        ]
        self.species.sight.found(
            [lead for lead in leads if not self._holds_back(lead, self.species)]
        )


def _lead(
    link: Link, source: Fingerprint, depth: int, score: float, features: object = None
) -> Lead:
    return Lead(
        link.url,
        link.fingerprint,
        link.slot or host_of(link.url),
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
