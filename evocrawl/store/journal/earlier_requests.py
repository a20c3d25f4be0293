"""What hears of the requests that earlier runs of a crawl have stored as payloads of links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from evocrawl.core.model import Fingerprint, Link


class EarlierRequests(Protocol):
    """Hears of links with payloads while a crawl is resumed."""

    @property
    def needs_all(self) -> bool:
        """True if it needs each payload, also of visits that have ended."""

    def recall(self, links: Iterable[Link]) -> None:
        """Note links that an earlier run has found."""

    def recall_targets(self, targets: Iterable[Fingerprint]) -> None:
        """Note the targets of links with payloads whose visits have ended, without these."""

    def settled(self, target: Fingerprint) -> None:
        """Note the target of a visit that an earlier run settled for good."""


class NoRequests:
    """Notes nothing."""

    needs_all = False

    def recall(self, links: Iterable[Link]) -> None:
        """Do nothing."""

    def recall_targets(self, targets: Iterable[Fingerprint]) -> None:
        """Do nothing."""

    def settled(self, target: Fingerprint) -> None:
        """Do nothing."""
