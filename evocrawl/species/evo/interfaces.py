"""What the species needs of its link model, and of its store of links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from evocrawl.core.model import Fingerprint, Lead, Page
from evocrawl.species.base import Mergeable

Matrix = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


class Valuer(Protocol):
    """The part of the link model that the ranking uses."""

    version: int

    @property
    def followed(self) -> int:
        """The number of links that the crawl has followed."""

    def features(self, rows: Rows) -> Matrix:
        """Return the features of targets, shape (n, d)."""

    def scores(self, features: Matrix) -> Matrix:
        """Return the scores of targets with these features, shape (n,)."""


class Claims(Protocol):
    """Which targets are claimed."""

    releases: int

    def are_claimed(self, targets: Sequence[Fingerprint]) -> list[bool]:
        """Return for each target whether it is claimed; a claim ends in one of `releases`."""


class LeadsByRow(Protocol):
    """Links by the row of their target."""

    def get(self, number: int) -> Lead | None:
        """Return the link of a row, None for a row without a link."""

    def get_each(self, numbers: Sequence[int]) -> list[Lead | None]:
        """Return the links of different rows."""

    def put(self, leads: Mapping[int, Lead]) -> list[int]:
        """Set the links of some rows; return the rows that had none."""

    def forget(self, number: int) -> None:
        """Remove the link of a row."""

    def scores(self, numbers: Rows) -> Matrix:
        """Return the scores set since the links of some rows were put, −inf without."""

    def set_scores(self, numbers: Rows, scores: Matrix) -> None:
        """Set the scores of some rows."""

    def targets(self, numbers: Sequence[int]) -> list[Fingerprint | None]:
        """Return the targets of the links of some rows, None for rows without a link."""


class SharedModel(Valuer, Protocol):
    """The part that the species uses of `evocrawl.species.evo.link_model.LinkModel`."""

    @property
    def width(self) -> int:
        """The number of features, d."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the features."""

    @property
    def mean(self) -> npt.NDArray[np.float64]:
        """The mean of the weights, shape (d,)."""

    def usual_features(self) -> npt.NDArray[np.float64]:
        """Return the mean features of the links followed lately, shape (d,)."""

    def observe_page(self, page: Page, row: int | None) -> dict[Fingerprint, int]:
        """Learn from a page; return the rows of the targets of its links."""

    def observe_foreign_pages(
        self, pages: Sequence[Page], digests: Sequence[Any]
    ) -> list[dict[Fingerprint, int]]:
        """Add pages of other populations; return the rows of the targets of each one's links."""

    def digest(self, page: Page) -> bytes:
        """Return the words of a page for other populations."""

    def read_digest(self, packed: bytes) -> Any:
        """Return the words of a page of another population. Raises ValueError."""

    def share(self) -> Mergeable:
        """Return what the model learns, which adds up over populations."""

    def row_of(self, target: Fingerprint) -> int | None:
        """Return the row of a target, None for an unknown target."""

    def observe_dead_link(self, row: int) -> None:
        """Learn that a link led to no page."""

    def mark(self, page: Fingerprint, *, relevant: bool) -> bool:
        """Learn from a user's mark of a page; return False for an unknown page."""

    def sampled(self, z: npt.NDArray[np.float64], temperature: float) -> npt.NDArray[np.float64]:
        """Return mean + temperature · L z."""


def row_of(lead: Lead) -> int | None:
    """Return the row of a link's target, None for a seed."""
    return lead.features if isinstance(lead.features, int) else None
