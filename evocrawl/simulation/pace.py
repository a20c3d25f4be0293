"""How many visits a simulated crawl has under way, at all hosts and at each."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.politeness.host_slots import HostLimit


@dataclass(frozen=True, slots=True)
class Pace:
    """At most `concurrency` ≥ 1 visits under way.

    With a `host_delay_s` ≥ 0 a host has one of them, and so many seconds pass between the starts of
    two visits, as in a polite crawl; with None, the visits may all be at one host.
    """

    concurrency: int = 1
    host_delay_s: float | None = None

    @property
    def host_limit(self) -> HostLimit:
        """Visits at once and delay in seconds of each host."""
        if self.host_delay_s is None:
            return lambda _: (self.concurrency, 0.0)
        delay_s = self.host_delay_s
        return lambda _: (1, delay_s)

    def __str__(self) -> str:
        """Return what tells it from other ones, as part of a run's identity."""
        polite = "" if self.host_delay_s is None else f", {self.host_delay_s:g} s at a host"
        return f"{self.concurrency}{polite}"


ONE_AT_A_TIME = Pace()
