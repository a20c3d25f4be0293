"""Scrapy's scheduler: the population is the crawl's frontier."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Self

from scrapy import Request
from scrapy.core.scheduler import BaseScheduler
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

from evocrawl.adapter.answered_visits import note_answers
from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.crawl_run import CrawlRun
from evocrawl.adapter.download_slots import leave_slot
from evocrawl.adapter.engine_wakes import EngineWakes
from evocrawl.adapter.exit_codes import refusing
from evocrawl.adapter.idle_waits import Lull
from evocrawl.adapter.meta import VISIT
from evocrawl.adapter.network.handlers import patch, unpatch
from evocrawl.adapter.plain_requests import PlainRequests
from evocrawl.adapter.request_codec import LostRequest
from evocrawl.adapter.request_queue import DirectRequestQueue
from evocrawl.adapter.requests import RequestIntake, cleaned
from evocrawl.adapter.retries import Retries
from evocrawl.adapter.robots.directory import RobotsDirectory
from evocrawl.adapter.robots.fetcher import leave_fetches
from evocrawl.adapter.robots.gate import RobotsGate
from evocrawl.adapter.scrapy_internals import delay_stops, requests_in_engine
from evocrawl.core.urls.address import Address

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from evocrawl.core.fetch import Fetch
    from evocrawl.core.model import Visit


class EvoScheduler(BaseScheduler):
    """Asks the population what to fetch next, and settles each visit once its request is over.

    A visit is settled as soon as the spider's output is complete and its page has passed our
    pipelines, or `pipelines_wait_s` seconds after the output at the latest. Any other visit is over
    when the engine no longer works on its request and the request does not wait here as a redirect.
    That rule covers every other end of a request: failed, refused, dropped by any middleware or
    signal handler, cancelled by the end of the crawl.

    Requests that are no visits (``meta["evocrawl"] = False``) and requests that continue a visit
    (redirects) wait in a separate queue and go first, by Scrapy's priority. If Scrapy's
    RetryMiddleware repeats the request of a visit, the visit ends and its link is opened again: so
    no host that fails holds a place.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        self._fetches = context.fetches
        self._population = context.population
        self._journaled = context.journaled
        self._kept = context.kept
        self._cluster = context.cluster
        self._to_repeat: deque[Visit] = deque()
        self._plain = PlainRequests(crawler, context)
        self._direct_queue = DirectRequestQueue(self._plain.key_of, self._plain.wait_of)
        self._robots: RobotsDirectory | None = None
        self._retries = Retries(context, crawler, self._is_open)
        self._lull = Lull(crawler, context)
        self._wakes = EngineWakes(crawler, context)
        self._run = CrawlRun(crawler, context, self._wakes)
        self._redirects = context.redirects
        self._intake = RequestIntake(
            context.names, context.journaled, context.backoff, context.now_s, self._send_directly
        )
        self.df = context.names.dupefilter.filter
        """The project's dupe filter, under the name that it has in Scrapy's scheduler."""
        self._stats = context.scheduler_stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context."""
        return cls(crawler, CrawlContext.of(crawler))

    def open(self, spider: Spider) -> Deferred[None] | None:  # noqa: ARG002 - interface's form
        """Connect the robots gate, whose middleware exists now, and begin or continue the crawl.

        Raises StateError if its state cannot be used, SettingError for a wrong setting.
        """
        with refusing(self._crawler):
            return self._open()

    def _open(self) -> Deferred[None] | None:
        delay_stops(self._crawler)
        self._robots = RobotsDirectory.of(self._crawler)
        gate = RobotsGate(self._robots, self._context, self._wakes.wake)
        patch(self._crawler)
        for opens in self._context.on_open:
            opens()
        self._fetches.on_output_complete.append(self._wakes.look_soon)
        note_answers(self._crawler, self._context)
        opening = self.df.open()
        if self._cluster is None and opening is None:
            self._resume(gate)
            return None
        return deferred_from_coro(self._open_later(opening, gate))

    async def _open_later(self, opening: Deferred[None] | None, gate: RobotsGate) -> None:
        """Wait until the dupe filter is open, then resume the crawl or join its workers."""
        if opening is not None:
            await maybe_deferred_to_future(opening)
        with refusing(self._crawler):
            if self._cluster is None:
                self._resume(gate)
            else:
                await self._run.join(gate, self._direct_queue)

    def _resume(self, gate: RobotsGate) -> None:
        """Resume the crawl; the visits that were under way are made again first."""
        past = self._run.resume(gate)
        self._to_repeat.extend(self._population.unsettled.values())
        plain, rests = self._kept.restore()
        redirected = past.redirected.items()
        self._retries.begin_again({target: url for target, (url, _) in redirected}, rests)
        for request in plain:
            self._direct_queue.push(request)

    def close(self, reason: str) -> Deferred[None] | None:
        """Settle and store what is left; the engine has no request under way any more."""
        self._wakes.close()
        unpatch()
        self._fetches.settle_complete()
        if self._cluster is None:
            self._retries.put_off(self._direct_queue.going_on())
        self._kept.forget_ended(())
        self._direct_queue.clear()
        self._to_repeat.clear()
        self._run.keep(self._journaled.close)
        # The journal is closed and does not get these: a later run repeats the visits.
        self._fetches.settle_all(f"the crawl closed: {reason}")
        closing: Deferred[None] | None = self.df.close(reason)
        if self._cluster is None:
            return closing
        return deferred_from_coro(self._leave(closing))

    async def _leave(self, closing: Deferred[None] | None) -> None:
        """Wait until the dupe filter is closed, then leave the cluster."""
        if closing is not None:
            await maybe_deferred_to_future(closing)
        await self._run.leave()

    def has_pending_requests(self) -> bool:
        """Return True while a request waits or the population may still choose one."""
        return bool(self._direct_queue or self._to_repeat) or self._run.may_choose()

    def enqueue_request(self, request: Request) -> bool:
        """Take a request that the engine was given; False when it is not wanted."""
        address = Address.of(request.url)
        request = cleaned(request, address)
        fetch = self._fetches.of(request)
        if fetch is not None and not fetch.is_answered:
            goes_on = self._continue(fetch, request)
            # A link that was opened again counts when it is followed.
            return goes_on and (fetch.is_put_off or self._counted(True))
        is_copy = request.meta.pop(VISIT, None) is not None
        is_start = not is_copy and request.meta.get("is_start_request", False)
        return self._counted(self._intake.take(request, address, is_start=is_start))

    def _send_directly(self, request: Request) -> None:
        self._kept.accepted(request)
        self._direct_queue.push(request)

    def _counted(self, is_accepted: bool) -> bool:
        if is_accepted:
            self._stats.enqueued()
        return is_accepted

    def __len__(self) -> int:
        """Return how many requests wait: those accepted and not sent."""
        return self._stats.waiting

    def next_request(self) -> Request | None:
        """Return the next request to send, None if none may be sent now.

        First, all visits whose requests are over are settled. Then the order of precedence is:

        1. requests that are no visits (``meta["evocrawl"] = False``) and redirects that go on with
           a visit, by Scrapy's priority; each waits until its host may be asked;
        2. visits that were under way when an earlier run of this crawl stopped;
        3. once the last seed is placed, the visit that the population chooses. A link whose visit
           was put off begins with the request that was put off: the second try or the redirect.

        None also while the settling takes long and goes on in the next turn of the event loop, and
        after the crawl's state could not be written.
        """
        leave_fetches()  # the engine may have been woken by one
        if not self._settle_ended():
            self._wakes.wake()
            return None
        self._run.keep(self._journaled.flush)
        self._run.keep(self._context.base.spill.check)
        if self._run.has_failed:
            return None
        request = self._direct_queue.pop(self._context.now_s())
        if request is not None:
            self._stats.dequeued()
            self._kept.sent(request)
            return request
        cut_short = self._population.cut_short
        request = self._next_visit_request()
        if request is not None:
            return request
        if self._population.cut_short > cut_short:
            self._wakes.wake()
            return None
        is_busy = bool(self._direct_queue or self._fetches.under_way)
        times_s = (part.wakes_at() for part in (self._population, self._direct_queue))
        self._wakes.wake_later(times_s, is_busy=is_busy)
        if not is_busy:
            self._run.end_if_spent()
            self._lull.look()
        return None

    def _next_visit_request(self) -> Request | None:
        while (visit := self._next_visit()) is not None:
            request = self._request(visit)
            if request is not None:
                self._stats.dequeued(was_enqueued=request is visit.lead.payload)
                return request
        return None

    def _next_visit(self) -> Visit | None:
        if self._to_repeat:
            return self._to_repeat.popleft()
        if self._context.is_seeding:
            return None
        if self._context.browser_places.is_full(len(self._population.unsettled)):
            return None
        return self._journaled.choose(self._context.now_s())

    def _continue(self, fetch: Fetch, request: Request) -> bool:
        """Continue a visit with `request`, a redirect, if its host may be requested now.

        Otherwise, and for a retry, the visit is put off and its link is opened again.
        """
        if request.meta.get("retry_times", 0) > fetch.tries:
            self._retries.retry(fetch, request)
            return True
        leave_slot(request, fetch.url)
        if self._cluster is not None:
            may_go = self._retries.may_go_on(fetch, request)
            if self._cluster.goes_astray(fetch, request, self._redirects, may_go=may_go):
                return False
        if not self._redirects.follow(fetch, request, self._journaled.claims_of(fetch.visit.id)):
            if self._cluster is not None:
                others = self._fetches.under_way.values()
                self._cluster.leads_back(fetch, request, self._redirects, others)
            return False
        if self._retries.go_on(fetch, request):
            self._direct_queue.push(request)
        return True

    def _is_open(self, url: str) -> bool:
        return self._robots is None or self._robots.is_open(url)

    def _request(self, visit: Visit) -> Request | None:
        fetch = self._fetches.begin(visit)
        lead = visit.lead
        if isinstance(lead.payload, LostRequest):
            self._fetches.settle(fetch, "its request could not be stored")
            return None
        request = self._retries.take(fetch)
        if request is None:
            self._fetches.settle(fetch, fetch.failure)
            return None
        fetch.tries = request.meta.get("retry_times", 0)
        request.meta[VISIT] = visit.id
        if not isinstance(lead.payload, Request):
            request.meta["depth"] = lead.depth
        return request

    def _settle_ended(self) -> bool:
        """Settle the visits whose requests are over. O(requests under way).

        Return False if that takes long and the rest is left for the next turn of the event loop.
        Nothing is chosen before all are settled, so that choices do not depend on speed.
        """
        assert self._crawler.engine is not None
        in_engine = requests_in_engine(self._crawler.engine)
        self._kept.forget_ended(in_engine)
        return self._fetches.settle_ended(in_engine, self._direct_queue.holds)
