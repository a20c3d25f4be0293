"""How many HTTP requests the crawl may still make.

A visit reserves its first request when it is given out, so that what else goes out meanwhile
(robots.txt, redirects, retries) can neither overshoot the budget nor starve a visit.
"""

from __future__ import annotations

from evocrawl.core.model import VisitId


class Budget:
    """Counts requests against `limit` (None: no limit). Every method is O(1).

    >>> budget = Budget(2)
    >>> budget.reserve(1)
    >>> budget.spend(None), budget.spend(None), budget.spend(1), budget.left
    (True, False, True, 0)
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.spent = 0
        self.share: int | None = None
        """What this is expected to come to, where `limit` is had in portions of a larger budget."""
        self._reserved: set[VisitId] = set()

    @property
    def left(self) -> int | None:
        """Requests that are neither spent nor reserved, 0 or more; None without a limit."""
        if self.limit is None:
            return None
        return max(self.limit - self.spent - len(self._reserved), 0)

    @property
    def exhausted(self) -> bool:
        """True when every request of the limit has been spent."""
        return self.limit is not None and self.spent >= self.limit

    def reserve(self, visit: VisitId) -> None:
        """Keep one request for `visit`; raises ValueError when none is left."""
        if self.left == 0:
            raise ValueError(f"the budget of {self.limit} requests is used up")
        self._reserved.add(visit)

    def spend(self, visit: VisitId | None) -> bool:
        """Count one request about to be sent; False, and nothing counted, when it may not be."""
        if visit in self._reserved:
            self._reserved.remove(visit)
        elif self.left == 0:
            return False
        self.spent += 1
        return True

    def release(self, visit: VisitId) -> None:
        """Give back the request kept for `visit` if it was not used."""
        self._reserved.discard(visit)
