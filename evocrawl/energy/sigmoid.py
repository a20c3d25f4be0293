"""The sigmoid energy model, which balances itself to the topic.

    Δe = (G + C) / (1 + exp(−λ (r − R))) − C

Mouton & Marteau 2008, section III.A. Both printed copies have r + R; figure 1 is centred on R
and the step approximation g flips at r = R, so r − R is meant: with r + R a page of no relevance
would be paid.

========  ====================================================================================
symbol    meaning
========  ====================================================================================
G         energy of a page far above R, `gain`
C         energy lost on a page far below R, `cost`
R         balance threshold, see `evocrawl.energy.threshold`
λ         slope, from the smallest and greatest relevance seen, r_m and r_M
========  ====================================================================================

λ is printed as a comparison of 8/(R − r_m) with r_M − R, two different units. `steep` takes the
larger slope, λ = 8 / min(R − r_m, r_M − R), since the text asks for "a sufficiently large λ";
`literal` does the printed test. Where R is r_m or r_M (few pages, all pages equal, most pages of no
relevance) no finite slope fits on that side: there the model is its own step approximation g, −C
for r ≤ R and G for r > R, under both readings. So a first page, or a page like all others, costs C.
A page of relevance 0 costs C, to within (G + C)/e⁸, under `steep`; under `literal` the curve is so
flat where R is near 0 that such a page may be paid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from evocrawl.energy.threshold import Ranks, balance_share

_EXPONENT_LIMIT = 500.0
"""exp(±500) is finite; beyond it the logistic is 0 or 1 to the last bit."""


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """`gain` is G > 0 and `cost` is C ≥ 0, both in units of energy.

    ==================  =======================================================================
    cost C, gain G      effect
    ==================  =======================================================================
    small C             agents cross many irrelevant pages before they die
    C > 1               an agent dies of its first irrelevant page
    large G             a relevant page makes about G clones
    large G/C           fewer pages count as relevant (share C/(C+G) of them)
    ==================  =======================================================================
    """

    gain: float
    cost: float
    slope: Literal["steep", "literal"] = "steep"

    def threshold(self, ranks: Ranks, also: float | None = None) -> float:
        """Return R for the pages in `ranks` and `also`."""
        return ranks.at_share(balance_share(self.gain, self.cost), also)

    def price(self, relevance: float, ranks: Ranks) -> float:
        """Return Δe in [−C, G] for a page that joins `ranks`. Runtime complexity: O(log n).

        >>> from evocrawl.frontier import RelevanceRanks
        >>> ranks = RelevanceRanks([0.0, 0.1, 0.2, 0.3, 0.9])
        >>> model = Sigmoid(gain=1.0, cost=1.0)
        >>> round(model.price(0.8, ranks), 3), round(model.price(0.0, ranks), 3)
        (1.0, -0.999)
        """
        threshold = self.threshold(ranks, relevance)
        lowest, highest = ranks.bounds(relevance)
        return self.delta(relevance, threshold, self.steepness(lowest, highest, threshold))

    def steepness(self, lowest: float, highest: float, threshold: float) -> float:
        """Return λ for r_m, r_M and R: 8 over a difference of relevances, or infinity."""
        below, above = threshold - lowest, highest - threshold
        if below <= 0 or above <= 0:
            return math.inf
        if self.slope == "steep":
            return 8 / min(below, above)
        return 8 / below if 8 / below <= above else 8 / above

    def delta(self, relevance: float, threshold: float, steepness: float) -> float:
        """Return Δe for given r, R and λ; λ = infinity gives the step function g."""
        if math.isinf(steepness):
            return self.gain if relevance > threshold else -self.cost
        exponent = -steepness * (relevance - threshold)
        exponent = min(max(exponent, -_EXPONENT_LIMIT), _EXPONENT_LIMIT)
        energy = (self.gain + self.cost) / (1 + math.exp(exponent)) - self.cost
        return min(energy, self.gain)  # rounding may exceed the gain
