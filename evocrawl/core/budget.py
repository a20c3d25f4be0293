"""The budget of HTTP requests of a crawl.

A visit reserves its first request when it opens, so that other requests (robots.txt, redirects,
retries) can neither exceed the budget nor take the request of a visit.
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
        """Expected total of this worker, if `limit` grows in portions of a larger budget."""
        self._reserved: set[VisitId] = set()

    @property
    def left(self) -> int | None:
        """Requests that are neither spent nor reserved, 0 or more; None without a limit."""
        if self.limit is None:
            return None
        return max(self.limit - self.committed, 0)

    @property
    def committed(self) -> int:
        """Requests that are spent or reserved."""
        return self.spent + len(self._reserved)

    @property
    def exhausted(self) -> bool:
        """True when every request of the limit has been spent."""
        return self.limit is not None and self.spent >= self.limit

    def reserve(self, visit: VisitId) -> None:
        """Reserve one request for `visit`; raises ValueError if none is left."""
        if self.left == 0:
            raise ValueError(f"the budget of {self.limit} requests is used up")
        self._reserved.add(visit)

    def spend(self, visit: VisitId | None) -> bool:
        """Count one request before it is sent; return False, and do not count, if none is left."""
        if visit in self._reserved:
            self._reserved.remove(visit)
        elif self.left == 0:
            return False
        self.spent += 1
        return True

    def release(self, visit: VisitId) -> None:
        """Release the request reserved for `visit` if it was not sent."""
        self._reserved.discard(visit)
