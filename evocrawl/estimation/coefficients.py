"""The fitted coefficients of the forecast: ``benchmarks/estimation.py fit`` prints them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Mean a·y^b and shape c·y^d of a count, by the recent yield y, in (0, 1]."""

    a: float
    b: float
    c: float
    d: float

    def mean(self, recent_yield: float) -> float:
        """Return the expected count."""
        return float(self.a * recent_yield**self.b)

    def shape(self, recent_yield: float) -> float:
        """Return the shape of the Gamma distribution of the count's rate."""
        return float(self.c * recent_yield**self.d)


GAIN = Coefficients(246.0, 0.96, 2.14, 0.31)
"""Relevant pages of the next 1 000 requests."""
REMAINING = Coefficients(218.0, 0.77, 2.65, 0.35)
"""Relevant pages within reach that are not found."""
