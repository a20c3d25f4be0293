"""Moves the query towards pages that a user marks as relevant, and away from others.

Relevance feedback by Rocchio (1971; Manning, Raghavan & Schütze 2008, §9.1.1, equation 9.3)::

    q′ = q + β · mean of relevant pages − γ · mean of other pages        all of length 1

with β = 0.75 and γ = 0.15, and the `TERMS` heaviest terms of it, those of the query among them.
A score by q′ is multiplied by the ratio of the mean scores of the relevant pages by q and by q′, so
that the threshold of relevance keeps its meaning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

Vector = dict[str, float]

BETA, GAMMA = 0.75, 0.15
TERMS = 30
_KEPT_TERMS = 200
_MOST = 500
"""Number of marks that count: the latest ones."""


@dataclass(slots=True)
class Feedback:
    """The marks of a user, as vectors of length 1, and the query that they make."""

    query: Vector
    relevant: list[Vector] = field(default_factory=list)
    others: list[Vector] = field(default_factory=list)

    def add(self, page: Mapping[str, float], relevant: bool) -> None:
        """Add a marked page by the weights of its terms. O(terms · log terms)."""
        heaviest = sorted(page.items(), key=lambda each: (-each[1], each[0]))
        kept = {*self.query} & {*page} | {term for term, _ in heaviest[:_KEPT_TERMS]}
        length = math.hypot(*page.values())
        if length > 0:
            vector = {term: page[term] / length for term in sorted(kept)}
            marks = self.relevant if relevant else self.others
            marks.append(vector)
            del marks[:-_MOST]

    def moved(self) -> tuple[Vector, float]:
        """Return q′, of length 1, and the factor of scores, in (0, 1]. O(marks · terms)."""
        total = dict(self.query)
        for weight, marks in ((BETA, self.relevant), (-GAMMA, self.others)):
            for page in marks:
                for term, value in page.items():
                    total[term] = total.get(term, 0.0) + weight * value / len(marks)
        ranked = sorted(total.items(), key=lambda each: (-each[1], each[0]))
        kept = [each for each in ranked[:TERMS] if each[1] > 0 and each[0] not in self.query]
        moved = {term: max(total[term], 1e-3) for term in self.query} | dict(kept)
        length = math.hypot(*moved.values())
        moved = {term: value / length for term, value in moved.items()}
        before = math.fsum(_product(page, self.query) for page in self.relevant)
        after = math.fsum(_product(page, moved) for page in self.relevant)
        return moved, min(before / after, 1.0) if before > 0 and after > 0 else 1.0


def _product(page: Vector, query: Vector) -> float:
    return math.fsum(value * page.get(term, 0.0) for term, value in query.items())
