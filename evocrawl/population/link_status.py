"""Where a link is, and why; see docs/explanation/how-it-works.md for the life of a link."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evocrawl.core.model import Fingerprint
from evocrawl.population.discovery import HELD_BACK, PUT_OFF
from evocrawl.population.population import Population


class LinkState(StrEnum):
    """The states of a link; it has one of them at a time."""

    OPEN = "open"
    """No agent has chosen it. A link that no page has shown counts as open, too."""
    CHOSEN = "chosen"
    """An agent has chosen it, its origin is open, and it waits for a slot of its host."""
    AWAITING = "awaiting robots.txt or lease"
    """An agent has chosen it, and its origin is closed."""
    UNDER_WAY = "under way"
    """It is being visited."""
    SETTLED = "settled"
    """Its visit has ended for good, with a page or without one."""
    PUT_OFF = "put off"
    """It is open again after an unfinished visit, or because its origin stayed closed."""
    HELD_BACK = "held back"
    """It looks like a link of a trap."""
    TAKEN = "taken"
    """A redirect has led to it, or it belongs to another worker."""


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """The state of a link, and the reason: an origin, a host, a visit, or why its visit ended."""

    state: LinkState
    reason: str = ""


def link_status(population: Population, target: Fingerprint) -> LinkStatus:
    """Return where the link with this fingerprint is, and why.

    O(1); for a chosen link O(links that are chosen or under way), which the concurrency bounds.
    """
    if target in population.selector.targets:
        return _chosen(population, target)
    base = population.environment.base
    if base.get(target) is not None:
        return LinkStatus(LinkState.SETTLED, "fetched")
    state, reason = population.discovery.notes.get(target) or ("", "")
    if not base.is_claimed(target):
        return LinkStatus(LinkState.PUT_OFF, reason) if state == PUT_OFF else _OPEN
    if state == HELD_BACK:
        return LinkStatus(LinkState.HELD_BACK, reason)
    if state and state != PUT_OFF:
        return LinkStatus(LinkState.SETTLED, f"{state}: {reason}" if reason else state)
    return LinkStatus(LinkState.TAKEN, "by a redirect or another worker")


_OPEN = LinkStatus(LinkState.OPEN, "no agent has chosen it")


def _chosen(population: Population, target: Fingerprint) -> LinkStatus:
    origin = population.admission.origin_of(target)
    if origin is not None:
        return LinkStatus(LinkState.AWAITING, origin)
    host = population.admission.admitted_host(target)
    if host is not None:
        return LinkStatus(LinkState.CHOSEN, host)
    visits = population.unsettled.items()
    visit = next(number for number, each in visits if each.lead.fingerprint == target)
    return LinkStatus(LinkState.UNDER_WAY, f"visit {visit}")
