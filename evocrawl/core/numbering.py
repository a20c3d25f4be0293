"""Numbers the targets of links, for parts that keep data of targets in columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from evocrawl.core.model import Fingerprint, Lead


class LeadsByNumber(Protocol):
    """Links by number: those of the frontier."""

    def get(self, number: int) -> Lead | None:
        """Return the link of a number, None without a link."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """Numbers targets as the function `number`, and names what holds their links by number.

    `numbers` returns the numbers of many targets; `of_lead` returns that of a link's target, None
    for a link that `leads` does not hold.
    """

    number: Callable[[Fingerprint], int | None]
    numbers: Callable[[Sequence[Fingerprint]], Sequence[int | None]]
    leads: LeadsByNumber
    of_lead: Callable[[Lead], int | None]

    def __call__(self, target: Fingerprint) -> int | None:
        """Return the number of a target, None for one without."""
        return self.number(target)
