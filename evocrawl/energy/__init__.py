"""Energy models: the energy of a page by its relevance. One model a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from evocrawl.energy.linear import Linear
from evocrawl.energy.sigmoid import Sigmoid
from evocrawl.energy.threshold import Ranks

__all__ = ["MODELS", "EnergyModel", "Linear", "Ranks", "Sigmoid"]


class EnergyModel(Protocol):
    """Computes the energy of a page from its relevance."""

    @property
    def cost(self) -> float:
        """Energy that a visit costs, C ≥ 0."""

    def price(self, relevance: float, ranks: Ranks) -> float:
        """Return the energy Δe of a page that joins the pages ranked in `ranks`.

        `relevance` lies in [0, 1] and is not yet in `ranks`; neither is changed.
        """


MODELS: dict[str, Callable[..., EnergyModel]] = {"sigmoid": Sigmoid, "linear": Linear}
"""Maps a name in the settings to a class, which is called with `gain` and `cost`."""
