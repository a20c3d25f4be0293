"""One authority whose robots.txt is requested, and the requests that wait for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scrapy.exceptions import IgnoreRequest
from scrapy.utils.asyncio import CallLaterResult
from twisted.internet.defer import Deferred

from evocrawl.adapter.robots.fetcher import Withheld
from evocrawl.politeness.robots.rules import RobotsRules


@dataclass(slots=True, eq=False)
class Inquiry:
    """One authority whose rules are not known.

    `reply` is the last failure, between two tries. `work` is the lookup of its address or the fetch
    of its rules. `is_kept_out` is true while other fetches have the places at its `address`.
    `soonest_s` is when it may be asked again at the earliest, `due_s` when it will be.
    """

    authority: str
    address: str = ""
    is_kept_out: bool = False
    tries: int = 0
    waiters: list[Deferred[RobotsRules]] = field(default_factory=list)
    reply: RobotsRules | Withheld | None = None
    work: Deferred[Any] | None = None
    timer: CallLaterResult | None = None
    soonest_s: float = 0.0
    due_s: float = 0.0

    def reply_to_all(self, reply: RobotsRules | IgnoreRequest) -> None:
        """Give the rules, or the error, to all that wait."""
        waiters, self.waiters = self.waiters, []
        for waiter in waiters:
            if isinstance(reply, RobotsRules):
                waiter.callback(reply)
            else:
                waiter.errback(type(reply)(*reply.args))
