"""The scheduler: the frontier of the crawl is the population."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

from pydispatch.dispatcher import getReceivers  # type: ignore[import-untyped]
from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.exceptions import CloseSpider, DontCloseSpider
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import (
    _schedule_coro,
    deferred_from_coro,
    maybe_deferred_to_future,
)

from evocrawl.adapter.answered_visits import note_answers
from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.download_slots import leave_slot, slot_of
from evocrawl.adapter.idle_waits import Lull
from evocrawl.adapter.meta import PLAIN, VISIT
from evocrawl.adapter.network.handlers import patch, unpatch
from evocrawl.adapter.plain_requests import PlainRequests
from evocrawl.adapter.request_codec import LostRequest
from evocrawl.adapter.request_queue import DirectRequestQueue
from evocrawl.adapter.requests import request_link
from evocrawl.adapter.retries import Retries
from evocrawl.adapter.robots.directory import RobotsDirectory
from evocrawl.adapter.robots.gate import RobotsGate
from evocrawl.adapter.state import STATE_FAILED, crawl_identity, log_resume
from evocrawl.core.errors import StateError
from evocrawl.core.model import Dropped
from evocrawl.core.sanitize import has_credentials, without_credentials

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from evocrawl.adapter.cluster import ClusterAdapter
    from evocrawl.core.fetch import Fetch
    from evocrawl.core.model import Visit

logger = logging.getLogger(__name__)

_RECONCILE_S = 1.0
_CLOSING_S = 1.0
"""Seconds in which a crawl that is to be closed begins to close."""
_SOON_S = 0.1
"""Seconds between two looks at visits whose output is complete and whose pages are in pipelines."""
_AT_ONCE_S = 0.05
"""Seconds of settling visits after which the event loop has its turn, and others go on."""


class EvoScheduler(BaseScheduler):
    """Asks the population what to fetch next, and settles each visit once its request is over.

    A visit is settled as soon as the spider's output is complete and its page has been through our
    pipelines; `pipelines_wait_s` later whether it has or not. Any other visit is over when the
    engine no longer works on its request and that does not wait here as a redirect. That rule
    covers every other way a request can end: failed, refused, dropped by any middleware or signal
    handler, cancelled by the end of the crawl.

    What is no visit (requests marked ``meta["evocrawl"] = False``) and what continues one
    (redirects) waits in a queue of its own and goes first, by Scrapy's priority. A visit that is
    to be tried again (Scrapy's RetryMiddleware decides that) ends, and its link is open again: so
    no host that fails holds a place.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        self._fetches = context.fetches
        self._population = context.population
        self._journaled = context.journaled
        self._cluster = context.cluster
        self._again: deque[Visit] = deque()
        self._plain = PlainRequests(crawler, context)
        self._transit = DirectRequestQueue(self._plain.key_of, self._plain.wait_of)
        self._gate: RobotsDirectory | None = None
        self._postponing = Retries(context, crawler, self._is_open)
        self._lull = Lull(crawler, context)
        self._pipelines_wait_s = context.config.pipelines_wait_s
        self._alarm: Any = None
        self._bell: Any = None
        self._closed = False
        self._has_failed = False
        self._names = context.names
        self.df = self._names.dupefilter.filter
        """The project's dupe filter, by the name that Scrapy's scheduler gives it."""
        self._stats = context.scheduler_stats
        self._ended_at_s = -math.inf
        _connect_first(crawler, self._spider_idle, signals.spider_idle)
        crawler.signals.connect(self._engine_stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context."""
        return cls(crawler, CrawlContext.of(crawler))

    def open(self, spider: Spider) -> Deferred[None] | None:  # noqa: ARG002 - interface's form
        """Wire the robots gate, whose middleware exists by now, and go on where the crawl was.

        Raises StateError where its state cannot be used.
        """
        self._gate = RobotsDirectory.of(self._crawler)
        self._plain.gate = self._lull.gate = self._gate
        doorkeeper = RobotsGate(self._gate, self._context, self._wake)
        patch(self._crawler)
        for opens in self._context.on_open:
            opens()
        if not self._context.page_context.rewards_pages:
            self._pipelines_wait_s = 0.0
        self._fetches.on_output_complete = self._look_soon
        note_answers(self._crawler, self._context)
        opening = self.df.open()
        if self._cluster is None and opening is None:
            self._resume(doorkeeper)
            return None
        return deferred_from_coro(self._open_later(opening, doorkeeper))

    async def _open_later(self, opening: Deferred[None] | None, doorkeeper: RobotsGate) -> None:
        """Go on when the dupe filter is open, by resuming the crawl or by joining its workers."""
        if opening is not None:
            await maybe_deferred_to_future(opening)
        if self._cluster is None:
            self._resume(doorkeeper)
            return
        self._cluster.guard_requests(self._crawler)

        def gained(host: str) -> None:
            doorkeeper.look(host)
            self._wake()

        self._cluster.listen(gained, self._wake, self._failed, self._has_more)
        self._context.resume()
        await self._cluster.join(crawl_identity(self._crawler, self._context.config))
        self._names.begin(int(self._cluster.worker.session), is_shared=True)

    def _resume(self, doorkeeper: RobotsGate) -> None:
        """Make the visits that were under way again, and ask for robots.txt where some wait."""
        past = self._context.resume()
        self._again.extend(self._population.unsettled.values())
        redirected = past.redirected.items()
        self._postponing.begin_again({target: url for target, (url, _) in redirected})
        log_resume(past, self._context.state_path, self._population, self._crawler.stats)
        if past.runs:
            doorkeeper.look()

    def close(self, reason: str) -> Deferred[None] | None:
        """Settle what is left; the engine has drained its requests by now."""
        self._closed = True
        unpatch()
        for timer in (self._alarm, self._bell):
            if timer is not None:
                timer.cancel()
        self._alarm = self._bell = None
        self._transit.clear()
        self._again.clear()
        self._land_what_is_over()
        self._keep(self._journaled.close)
        # Not in the journal any more: a later run makes these visits again.
        for visit in list(self._population.unsettled.values()):
            fetch = self._fetches.under_way.get(visit.id) or self._fetches.begin(visit)
            self._fetches.settle(fetch, f"the crawl closed: {reason}")
        closing: Deferred[None] | None = self.df.close(reason)
        if self._cluster is None:
            return closing
        return deferred_from_coro(self._leave(self._cluster, closing))

    async def _leave(self, cluster: ClusterAdapter, closing: Deferred[None] | None) -> None:
        """Leave the crawl to its other workers."""
        if closing is not None:
            await maybe_deferred_to_future(closing)
        await cluster.leave(self._crawler.stats)

    def has_pending_requests(self) -> bool:
        """Return True while a request waits or the population may still choose one."""
        if self._transit or self._again:
            return True
        if self._cluster is not None:
            return self._cluster.worker.ended is None
        return not self._population.is_unborn and self._population.ended is None

    def enqueue_request(self, request: Request) -> bool:
        """Take a request that the engine was given; False when it is not wanted."""
        if has_credentials(request.url):
            # A page's, not the user's: and Twisted takes them for a part of the host.
            request = request.replace(url=without_credentials(request.url))
        fetch = self._fetches.of(request)
        if fetch is not None and not fetch.is_answered:
            goes_on = self._continue(fetch, request)
            # A link that is open again counts when it is followed.
            return goes_on and (fetch.is_put_off or self._counted(True))
        is_copy = request.meta.pop(VISIT, None) is not None
        is_start = not is_copy and request.meta.get("is_start_request", False)
        if not self._names.admits(request):
            return False
        self._try_again(slot_of(request))
        is_plain = request.meta.get(PLAIN) is False
        link = None if is_plain else request_link(self._names, request, is_start=is_start)
        if link is not None:
            return self._counted(self._journaled.place([link]) > 0)
        self._transit.push(request)
        return self._counted(True)

    def _counted(self, is_accepted: bool) -> bool:
        if is_accepted:
            self._stats.enqueued()
        return is_accepted

    def __len__(self) -> int:
        """Return how many requests wait: those accepted and not sent."""
        return self._stats.waiting

    def next_request(self) -> Request | None:
        """Return the next request to send, None when none may be sent now."""
        if not self._reconcile():
            self._wake()
            return None
        self._keep(self._journaled.flush)
        self._keep(self._context.base.spill.check)
        if self._has_failed:
            return None
        request = self._transit.pop(self._context.now_s())
        if request is not None:
            self._stats.dequeued()
            return request
        cut_short = self._population.cut_short
        while (visit := self._next_visit()) is not None:
            sent = self._request(visit)
            if sent is not None:
                is_own = isinstance(visit.lead.payload, Request)
                goes_on = sent.meta.get("retry_times") or self._fetches.under_way[visit.id].hops
                self._stats.dequeued(was_enqueued=is_own and not goes_on)
                return sent
        if self._population.cut_short > cut_short:
            self._wake()
        else:
            self._set_alarm()
            if not (self._transit or self._fetches.under_way):
                self._lull.look()
        return None

    def _next_visit(self) -> Visit | None:
        if self._again:
            return self._again.popleft()
        if self._context.is_seeding:
            return None
        return self._journaled.choose(self._context.now_s())

    def _continue(self, fetch: Fetch, request: Request) -> bool:
        """A redirect of a visit's request: the visit goes on, if it may go there now.

        If not, and for a second try, its link is open again for later.
        """
        if request.meta.get("retry_times", 0) > fetch.tries:
            self._postponing.retry(fetch, request)
            return True
        leave_slot(request, fetch.url)
        if self._cluster is not None:
            may_go = self._postponing.may_go_on(fetch, request)
            if self._cluster.goes_astray(fetch, request, self._names, may_go=may_go):
                return False
        if not self._names.follow(fetch, request, self._journaled.claims_of(fetch.visit.id)):
            if self._cluster is not None:
                others = self._fetches.under_way.values()
                self._cluster.leads_back(fetch, request, self._names, others)
            return False
        if self._postponing.go_on(fetch, request):
            self._transit.push(request)
        return True

    def _is_open(self, url: str) -> bool:
        return self._gate is None or self._gate.is_open(url)

    def _try_again(self, host: str) -> None:
        """The spider asks for `host`, be it given up: one more request may try it, in time."""
        now_s = self._context.now_s()
        until_s = self._context.backoff.reopen(host, now_s)
        if until_s > now_s:
            self._journaled.hold(host, until_s)

    def _request(self, visit: Visit) -> Request | None:
        fetch = self._fetches.begin(visit)
        lead = visit.lead
        if isinstance(lead.payload, LostRequest):
            self._fetches.settle(fetch, "its request could not be stored")
            return None
        request = self._postponing.take(fetch)
        fetch.tries = request.meta.get("retry_times", 0)
        request.meta[VISIT] = visit.id
        if not isinstance(lead.payload, Request):
            request.meta["depth"] = lead.depth
        return request

    def _land_what_is_over(self) -> None:
        """Settle the visits that have brought a page or a failure."""
        for fetch in list(self._fetches.under_way.values()):
            if fetch.seen is not None or not isinstance(fetch.outcome(""), Dropped):
                self._fetches.settle(fetch, "")

    def _keep(self, write: Callable[[], None]) -> None:
        """Write to the store; where that fails, the crawl ends with what was written before."""
        try:
            write()
        except StateError as error:
            self._failed(error)

    def _failed(self, error: StateError) -> None:
        if self._has_failed:
            return
        self._has_failed = True
        logger.error("the crawl's state cannot be written: the crawl ends", exc_info=error)
        if not self._closed:
            _schedule_coro(self._crawler.engine.close_spider_async(reason=STATE_FAILED))

    def _engine_stopped(self) -> None:
        if self._has_failed:
            # Scrapy takes a crawl with a spider for one that did well, and exits with 0.
            self._crawler.spider = None

    def _reconcile(self) -> bool:
        """Settle the visits whose requests are over. O(requests under way).

        False where that takes so long that the rest is for the next turn of the event loop. Nothing
        is chosen before all are settled, so that choices do not depend on how fast this is.
        """
        began = perf_counter()
        for fetch in self._over():
            if perf_counter() - began > _AT_ONCE_S:
                return False
            self._fetches.settle(fetch, "taken away by a middleware or filter")
        return True

    def _over(self) -> list[Fetch]:
        fetches = self._fetches.under_way
        if not fetches:
            return []
        working = {request.meta.get(VISIT) for request in self._slot.inprogress}
        return [
            fetch
            for visit, fetch in fetches.items()
            if (visit not in working and not self._transit.holds(visit)) or self._is_known(fetch)
        ]

    def _is_known(self, fetch: Fetch) -> bool:
        """Return whether the spider's output is complete, and its page has been through ours.

        Pipelines of the project may change a page on its way to ours, for so long and no longer.
        """
        if fetch.known_at_s is None:
            return False
        if fetch.page is not None or fetch.seen is None:
            return True
        return self._context.now_s() >= fetch.known_at_s + self._pipelines_wait_s

    def _set_alarm(self) -> None:
        """Have the engine ask again when a delay is over or a lost request is to be found."""
        if self._alarm is not None or self._closed:
            return
        delays = [_RECONCILE_S] if self._fetches.under_way or self._transit else []
        for wakes_at_s in (self._population.wakes_at(), self._transit.wakes_at()):
            if wakes_at_s is not None:
                delays.append(max(wakes_at_s - self._context.now_s(), 0.0))
        if delays:
            self._alarm = call_later(min(delays), self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._wake()

    def _look_soon(self) -> None:
        """Have the engine ask again where pipelines take longer than the spider's output did."""
        if self._bell is None and not self._closed:
            self._bell = call_later(_SOON_S, self._look)

    def _look(self) -> None:
        self._bell = None
        fetches = self._fetches.under_way.values()
        if any(fetch.known_at_s is not None for fetch in fetches):
            self._look_soon()
            self._wake()

    def _wake(self) -> None:
        is_open = self._crawler.engine.scraper.slot is not None
        if is_open and not self._closed:
            self._slot.nextcall.schedule()

    @property
    def _slot(self) -> Any:
        return self._crawler.engine._slot

    def _has_more(self) -> bool:
        """Start requests are to come, or requests are under way that may bring links."""
        return bool(
            self._transit or self._crawler.engine._start is not None or self._slot.inprogress
        )

    def _spider_idle(self) -> None:
        """Say why the crawl ends, where that is the budget; else nothing is left: "finished".

        A handler of the project may say otherwise. Workers look for the end again and again: a
        crawl that is about to be closed is not closed a second time.
        """
        if self._cluster is None:
            reason = None if self._population.is_unborn else self._population.ended
        else:
            reason, ended_at_s = self._cluster.worker.ended, self._ended_at_s
            self._ended_at_s = self._context.now_s()
            if self._ended_at_s < ended_at_s + _CLOSING_S:
                raise DontCloseSpider
        if reason == "budget":
            raise CloseSpider(reason)


def _connect_first(crawler: Crawler, handler: Callable[[], None], signal: object) -> None:
    """Connect `handler` before those connected already: of several answers the last one counts."""
    crawler.signals.connect(handler, signal)
    handlers = getReceivers(crawler.signals.sender, signal)
    handlers.insert(0, handlers.pop())
