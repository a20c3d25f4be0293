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

    def targets(self, numbers: Sequence[int]) -> list[Fingerprint | None]:
        """Return the targets of the links of some numbers, None for a number without a link."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """Numbers targets as the function `number`, and names what holds their links by number.

    `of_lead` returns the number that a link of `leads` has with it, None for other links.
    """

    number: Callable[[Fingerprint], int | None]
    leads: LeadsByNumber
    of_lead: Callable[[Lead], int | None]

    def __call__(self, target: Fingerprint) -> int | None:
        """Return the number of a target, None for one without."""
        return self.number(target)
