"""The crawl's clock: the world's own time in a simulation, the machine's in a crawl."""

from __future__ import annotations


class Clock:
    """The latest time anybody has told, in seconds; it never goes back."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def advance(self, now_s: float) -> None:
        """It is `now_s`, or later."""
        self.now_s = max(self.now_s, now_s)
