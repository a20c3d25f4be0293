"""The course of a crawl in at most `MOST` points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

MOST = 1000


@dataclass(frozen=True, slots=True)
class Point:
    """The crawl after some requests. `threshold` is R, None if the energy model has none.

    `seconds` is the time since the first point, `energy` that of the agents alive. The recall is
    estimated from `recent_yield`, which is None before there is an estimate.
    """

    requests: int
    seconds: float
    pages: int
    relevant: int
    agents: int
    energy: float
    threshold: float | None
    recent_yield: float | None = None


@dataclass(slots=True)
class Curve:
    """Points at even distances: when there are `MOST`, every second one is dropped.

    >>> curve = Curve()
    >>> for n in range(5000):
    ...     curve.add(lambda: Point(n, 0.0, n, 0, 1, 0.0, None))
    >>> len(curve.points) < MOST, curve.points[1].requests
    (True, 8)
    """

    points: list[Point] = field(default_factory=list)
    _every: int = 1
    _count: int = 0

    def add(self, point: Callable[[], Point]) -> None:
        """Add the next point, which is made only if it is kept. O(1) amortised."""
        if self._count % self._every == 0:
            self.points.append(point())
            if len(self.points) >= MOST:
                self.points = self.points[::2]
                self._every *= 2
        self._count += 1

    def whole(self, now: Point) -> list[Point]:
        """Return the points and the present one, which comes last."""
        if not self.points or self.points[-1] == now:
            return [*self.points]
        return [*self.points, now]
