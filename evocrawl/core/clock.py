"""Clock of a crawl: simulated time in a simulation, the machine's time in a live crawl."""

from __future__ import annotations


class Clock:
    """The current time in seconds; it never goes back."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def advance(self, now_s: float) -> None:
        """Set the time to `now_s` unless it is already later."""
        self.now_s = max(self.now_s, now_s)
