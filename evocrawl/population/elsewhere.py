"""The links that wait at other workers of the crawl: agents wait for good ones, as for a busy host.

The workers of a crawl share one limit of requests. If each one compared its links with those of its
own hosts alone, a worker with poor hosts would spend the requests on them, while another one has
better links that wait for a busy host.
"""

from __future__ import annotations

from evocrawl.politeness.host_slots import HostSlots

_NAME = "links elsewhere"
"""Stands for other workers among the hosts that have a delay; no host has such a name."""


class LinksElsewhere:
    """The chance of the best link that waits at another worker; its age is limited."""

    def __init__(self, hosts: HostSlots) -> None:
        self._hosts = hosts
        self._chance = 0.0

    @property
    def chance(self) -> float:
        """The chance in [0, 1] of the best link elsewhere, 0.0 without one."""
        return self._chance if self._hosts.free_at_s(_NAME) else 0.0

    def note(self, chance: float, until_s: float) -> None:
        """Set the chance in [0, 1] until `until_s`; agents that wait look again now and then."""
        self._hosts.end_hold(_NAME)
        if chance:
            self._hosts.hold(_NAME, until_s)
        self._chance = chance
