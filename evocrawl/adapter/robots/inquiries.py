"""Asks authorities for their robots.txt, and decides when to ask again."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from evocrawl.adapter.exceptions import AddressRefused
from evocrawl.adapter.failures import bare
from evocrawl.adapter.robots.address_slots import AddressSlots
from evocrawl.adapter.robots.fetcher import FAULTS, NotNowError, RobotsAnswer, Withheld
from evocrawl.adapter.robots.inquiry import Inquiry
from evocrawl.politeness.robots.cache import RobotsCache
from evocrawl.politeness.robots.rules import RobotsRules, Verdict, authority

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)

MAX_FETCHES = 64
GIVEN_UP_LIFETIME_S = 3600.0
IDLE_RETRY_S = 1.0
"""Seconds to the next try, doubled for each further one, when the crawl has nothing else to do."""

_WITHHELD_PAUSE_S = 1.0


class RobotsInquiries:
    """Asks each authority once at a time and gives all that wait the same answer.

    At most 64 fetches run at once, and at most `at_one_address` at one address, which `locate`
    finds. They run in the order in which they were requested. An inquiry without room at its
    address lets others pass, and runs when there is room; inquiries that requests wait for go
    first.  An authority that cannot be reached is asked up to `tries` times, `retry_s` seconds
    after the first failure and twice as long after each further one (later if it sent Retry-After).
    Then it counts as known, forbids everything, and is asked again after an hour. If the budget has
    nothing left, or the lease of the host has run out, the authority is asked again every second
    and never given up. `announce` is called with each authority that becomes known, `delay` with
    each that will be asked later.
    """

    def __init__(
        self,
        fetch: Callable[[str], Deferred[RobotsAnswer]],
        cache: RobotsCache,
        stats: StatsCollector,
        clock: Callable[[], float],
        announce: Callable[[str], None],
        delay: Callable[[str], None],
        *,
        locate: Callable[[str], Deferred[str]],
        at_one_address: int,
        tries: int,
        retry_s: float,
    ) -> None:
        self._fetch = fetch
        self._cache = cache
        self._stats = stats
        self._clock = clock
        self._announce = announce
        self._delay = delay
        self._locate = locate
        self._places = AddressSlots[Inquiry](at_one_address)
        self._tries = tries
        self._retry_s = retry_s
        self._open: dict[str, Inquiry] = {}
        self._queue: deque[Inquiry] = deque()
        self._running = 0
        self._closed = False

    def known(self, place: str) -> RobotsRules | None:
        """Return the rules of the authority `place` when they are known, else begin to ask."""
        rules = self._cache.get(place, self._clock())
        if rules is None and place not in self._open and not self._closed:
            inquiry = self._open[place] = Inquiry(place)
            self._enqueue(inquiry)
        return rules

    def is_asking(self, place: str) -> bool:
        """Return whether a request for the rules of `place` is under way, or next in the queue."""
        inquiry = self._open.get(place)
        return inquiry is not None and inquiry.reply is None

    async def answer(self, place: str) -> RobotsRules:
        """Return the rules of the authority `place`, waiting for at most one fetch.

        Between two tries of an unreachable authority, the complete disallow of the last one is
        returned at once: no request waits through a back-off. Raises IgnoreRequest when the request
        for the rules was withheld or the crawl has ended.
        """
        rules = self.known(place)
        if rules is not None:
            return rules
        inquiry = self._open.get(place)
        if inquiry is None:
            raise IgnoreRequest("the crawl has ended")
        if isinstance(inquiry.reply, Withheld):
            raise Withheld(*inquiry.reply.args)
        if inquiry.reply is not None:
            return inquiry.reply
        waiter: Deferred[RobotsRules] = Deferred()
        inquiry.waiters.append(waiter)
        self._hurry(inquiry)
        return await maybe_deferred_to_future(waiter)

    def hasten(self) -> dict[str, float]:
        """Try again soon where a try is due later, because the crawl has nothing else to do.

        Tries are one second apart, then two, four and so on, unless Retry-After asked for more.
        Return the authorities, with the seconds until each is asked; none while some are being
        asked. O(authorities asked).
        """
        now_s, waiting = self._clock(), dict[str, float]()
        if self._running:
            return waiting
        for inquiry in self._open.values():
            if inquiry.timer is None:
                continue
            if inquiry.soonest_s < inquiry.due_s:
                inquiry.timer.cancel()
                inquiry.due_s = inquiry.soonest_s
                delay_s = max(inquiry.due_s - now_s, 0.0)
                inquiry.timer = call_later(delay_s, self._enqueue, inquiry)
            waiting[inquiry.authority] = max(inquiry.due_s - now_s, 0.0)
        return waiting

    def delayed(self, place: str) -> tuple[Exception | None, float] | None:
        """Return the last failure of `place` and the seconds to the next try; None if none is due.

        The failure is None if the server has answered with an error.
        """
        inquiry = self._open.get(place)
        if inquiry is None or inquiry.reply is None:
            return None
        cause = inquiry.reply.cause if isinstance(inquiry.reply, RobotsRules) else inquiry.reply
        return cause, max(inquiry.due_s - self._clock(), 0.0)

    def all_delayed(self) -> dict[str, float]:
        """Return the authorities that wait for the next try, with the seconds left. O(asked)."""
        now_s, waiting = self._clock(), self._open.values()
        return {
            each.authority: max(each.due_s - now_s, 0.0)
            for each in waiting
            if each.reply is not None
        }

    def close(self) -> None:
        """Stop every fetch and timer; requests that wait get IgnoreRequest."""
        self._closed = True
        inquiries = list(self._open.values())
        self._open.clear()
        self._queue.clear()
        for inquiry in inquiries:
            if inquiry.timer is not None:
                inquiry.timer.cancel()
            if inquiry.work is not None:
                inquiry.work.cancel()
            inquiry.reply_to_all(IgnoreRequest("the crawl has ended"))

    def _enqueue(self, inquiry: Inquiry) -> None:
        inquiry.reply = None
        inquiry.timer = None
        self._queue.append(inquiry)
        self._start_some()

    def _start_some(self) -> None:
        while self._queue and self._running < MAX_FETCHES:
            inquiry = self._queue.popleft()
            self._running += 1
            inquiry.work = self._locate(inquiry.authority)
            inquiry.work.addBoth(self._located, inquiry)

    def _located(self, address: str | Failure, inquiry: Inquiry) -> None:
        if self._closed:
            return
        # A name that cannot be looked up fails when it is fetched, with a reason.
        inquiry.address = address if isinstance(address, str) else ""
        if self._places.enter(inquiry, inquiry.address):
            self._start(inquiry)
            return
        self._running -= 1
        inquiry.work = None
        inquiry.is_kept_out = True
        self._hurry(inquiry)
        self._delay(inquiry.authority)
        self._start_some()

    def _hurry(self, inquiry: Inquiry) -> None:
        """Put an inquiry first because requests wait for it and hold places in the downloader."""
        if inquiry.is_kept_out and inquiry.waiters:
            self._places.hurry(inquiry, inquiry.address)

    def _start(self, inquiry: Inquiry) -> None:
        inquiry.is_kept_out = False
        inquiry.tries += 1
        fetch = self._fetch(inquiry.authority)
        inquiry.work = fetch.addCallbacks(
            self._answered, self._failed, callbackArgs=(inquiry,), errbackArgs=(inquiry,)
        ).addBoth(self._finished, inquiry)

    def _finished(self, result: Failure | None, inquiry: Inquiry) -> None:
        self._running -= 1
        inquiry.work = None
        if isinstance(result, Failure):
            logger.error(
                "robots: the answer of %r could not be used",
                inquiry.authority,
                exc_info=result.value,
            )
        if self._closed:
            return
        following = self._places.leave(inquiry.address)
        if following is not None:
            self._running += 1
            self._start(following)
        self._start_some()

    def _answered(self, answer: RobotsAnswer, inquiry: Inquiry) -> None:
        if self._closed:
            return
        if answer.rules.verdict is Verdict.UNREACHABLE:
            self._unreachable(inquiry, answer.rules)
            return
        if answer.url == f"{authority(answer.url)}/robots.txt":
            self._also_learn(authority(answer.url), answer.rules)
        self._settle(inquiry, answer.rules, answer.rules.lifetime_s)

    def _failed(self, failure: Failure, inquiry: Inquiry) -> None:
        if self._closed:
            return
        if isinstance(failure.value, NotNowError):
            # Others may give back unused budget; a lease may be renewed.
            inquiry.tries -= 1
            delay_s = min(self._retry_s, _WITHHELD_PAUSE_S)
            self._pause(inquiry, failure.value, delay_s, delay_s)
            return
        if isinstance(failure.value, Withheld):
            self._back_off(inquiry, failure.value, 0.0)
            return
        if isinstance(failure.value, AddressRefused):
            self._settle(inquiry, RobotsRules.barred(), GIVEN_UP_LIFETIME_S)
            return
        if isinstance(failure.value, FAULTS):
            # The next try would fail in the same way.
            self._stats.inc_value("evocrawl/robots/faults")
            self._settle(
                inquiry, RobotsRules.unreachable(cause=bare(failure.value)), GIVEN_UP_LIFETIME_S
            )
            return
        logger.info("robots.txt of %r not fetched: %r", inquiry.authority, failure.value)
        self._stats.inc_value(f"robotstxt/exception_count/{failure.type}")
        cause = bare(failure.value) if isinstance(failure.value, Exception) else None
        self._unreachable(inquiry, RobotsRules.unreachable(cause=cause))

    def _unreachable(self, inquiry: Inquiry, rules: RobotsRules) -> None:
        self._stats.inc_value("evocrawl/robots/unreachable")
        self._back_off(inquiry, rules, rules.retry_after_s)

    def _back_off(self, inquiry: Inquiry, reply: RobotsRules | Withheld, at_least_s: float) -> None:
        if inquiry.tries >= self._tries:
            self._stats.inc_value("evocrawl/robots/given_up")
            cause = reply.cause if isinstance(reply, RobotsRules) else None
            self._settle(inquiry, RobotsRules.unreachable(cause=cause), GIVEN_UP_LIFETIME_S)
            return
        times = 2 ** (inquiry.tries - 1)
        delay_s = max(self._retry_s * times, at_least_s)
        self._pause(inquiry, reply, delay_s, max(IDLE_RETRY_S * times, at_least_s))

    def _pause(
        self, inquiry: Inquiry, reply: RobotsRules | Withheld, delay_s: float, least_s: float
    ) -> None:
        inquiry.reply = reply
        inquiry.due_s = self._clock() + delay_s
        inquiry.soonest_s = self._clock() + min(delay_s, least_s)
        inquiry.timer = call_later(delay_s, self._enqueue, inquiry)
        inquiry.reply_to_all(reply)
        self._delay(inquiry.authority)

    def _settle(self, inquiry: Inquiry, rules: RobotsRules, lifetime_s: float) -> None:
        self._cache.put(inquiry.authority, rules, self._clock(), lifetime_s)
        del self._open[inquiry.authority]
        inquiry.reply_to_all(rules)
        self._announce(inquiry.authority)

    def _also_learn(self, place: str, rules: RobotsRules) -> None:
        """Give the answer also to the authority at which the redirects ended."""
        if place not in self._open and self._cache.get(place, self._clock()) is None:
            self._cache.put(place, rules, self._clock(), rules.lifetime_s)
            self._announce(place)
