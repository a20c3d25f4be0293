"""Starts, resumes or joins a crawl when the scheduler opens, and ends this run of it."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import CloseSpider, DontCloseSpider

from evocrawl.adapter.run_state import set_state
from evocrawl.adapter.scrapy_internals import (
    close_spider_soon,
    connect_first,
    exit_with_failure,
    has_start_requests,
    is_closing,
    requests_in_engine,
)
from evocrawl.adapter.state import STATE_FAILED, crawl_identity, log_resume
from evocrawl.core.errors import StateError
from evocrawl.estimation.stop_rule import REASONS as STOP_REASONS
from evocrawl.store.cluster.steering import DRAINED, STOPPED

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext
    from evocrawl.adapter.engine_wakes import EngineWakes
    from evocrawl.adapter.request_queue import DirectRequestQueue
    from evocrawl.adapter.robots.gate import RobotsGate
    from evocrawl.store.journal.facts import ReplayedState

logger = logging.getLogger(__name__)

SEEDS_FAILED = "seeds_failed"
"""Stop reason of a crawl whose seeds have all failed; its exit code is 1."""

_CUT_SHORT = {"budget": "the budget is spent", STOPPED: "a user has stopped it"} | dict.fromkeys(
    STOP_REASONS.values(), "the stop rule holds"
)
"""Reasons in words for ending before all links are followed."""

_CLOSING_S = 1.0
"""Seconds that a crawl may take to begin to close."""


class CrawlRun:
    """One run of a crawl, alone or as one of the workers of a cluster.

    The crawl ends if its state cannot be written, and ``scrapy crawl`` exits with 1.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext, wakes: EngineWakes) -> None:
        self._crawler = crawler
        self._context = context
        self._wakes = wakes
        self._asked_to_close_at_s = -math.inf
        self.has_failed = False
        self._is_without_page = False
        connect_first(crawler, self._spider_idle, signals.spider_idle)
        crawler.signals.connect(self._engine_stopped, signals.engine_stopped)

    def resume(self, gate: RobotsGate) -> ReplayedState:
        """Replay the journal, and ask for the robots.txt that links of earlier runs wait for.

        Raises StateError if the crawl's state cannot be used.
        """
        context = self._context
        past = context.resume()
        log_resume(past, context.state_path, context.population, self._crawler.stats)
        if past.runs:
            gate.look()
        return past

    async def join(self, gate: RobotsGate, queue: DirectRequestQueue) -> None:
        """Join the cluster; raises StateError if that fails."""
        context, cluster = self._context, self._context.cluster
        assert cluster is not None
        cluster.guard_requests(self._crawler)

        def gained(host: str) -> None:
            gate.look(host)
            self._wakes.wake()

        has_more = partial(self._has_more, queue)
        engine = self._crawler.engine
        assert engine is not None
        cluster.worker.events.state_changed.connect(partial(set_state, engine))
        cluster.worker.events.drained.connect(partial(set_state, engine, "stopping", DRAINED))
        cluster.listen(gained, self._wakes.wake, self.fail, has_more, context.names)
        context.resume()
        await cluster.join(crawl_identity(self._crawler, context.config))
        context.names.begin(int(cluster.worker.session), is_shared=True)

    async def leave(self) -> None:
        """Leave the cluster to its other workers."""
        assert self._context.cluster is not None
        await self._context.cluster.leave(self._crawler.stats)

    def ended(self) -> str | None:
        """Return why the crawl has ended, None if it goes on."""
        cluster, population = self._context.cluster, self._context.population
        if cluster is not None:
            # If a worker's own stop rule ends it, the other workers continue the crawl.
            is_stopped = bool(population.stopped) and not population.unsettled
            return cluster.worker.ended or (population.stopped if is_stopped else None)
        return None if population.is_unborn else population.ended

    def may_choose(self) -> bool:
        """Return whether the population may still choose a visit."""
        if self._context.cluster is None and self._context.population.is_unborn:
            return False
        return self.ended() is None

    def end_if_spent(self) -> None:
        """Close the spider if the budget or the stop rule ends it and only start() has not ended.

        Requests that start() may still yield are never sent, and the crawl would never become idle.
        """
        engine = self._crawler.engine
        assert engine is not None
        if not has_start_requests(engine) or requests_in_engine(engine) or is_closing(engine):
            return
        reason = self.ended()
        if reason in _CUT_SHORT:
            logger.warning("scheduler: %s: the crawl ends before start() does", _CUT_SHORT[reason])
            close_spider_soon(engine, reason)

    def keep(self, write: Callable[[], None]) -> None:
        """Write to the store; if that fails, end the crawl with what was written before."""
        try:
            write()
        except StateError as error:
            self.fail(error)

    def fail(self, error: StateError) -> None:
        """End the crawl because its state cannot be written."""
        if self.has_failed:
            return
        self.has_failed = True
        logger.error("store: the crawl's state cannot be written: the crawl ends", exc_info=error)
        if not self._wakes.is_closed:
            assert self._crawler.engine is not None
            close_spider_soon(self._crawler.engine, STATE_FAILED)

    def _engine_stopped(self) -> None:
        if self.has_failed or self._is_without_page:
            exit_with_failure(self._crawler)

    def _has_more(self, queue: DirectRequestQueue) -> bool:
        """Return whether start() may yield more or requests under way may bring links."""
        engine = self._crawler.engine
        assert engine is not None
        return bool(queue or has_start_requests(engine) or requests_in_engine(engine))

    def _spider_idle(self) -> None:
        """Close the spider with "budget", the stop rule or "seeds_failed"; else with "finished".

        A handler of the project may give another reason. Workers check for the end repeatedly; a
        crawl that is about to close is not closed again.
        """
        if self._context.cluster is not None:
            asked_at_s, self._asked_to_close_at_s = self._asked_to_close_at_s, self._context.now_s()
            if self._asked_to_close_at_s < asked_at_s + _CLOSING_S:
                raise DontCloseSpider
        reason = self.ended()
        if reason in _CUT_SHORT:
            raise CloseSpider(reason)
        is_over = reason is not None or self._context.population.is_unborn
        if is_over and self._have_seeds_failed():
            self._is_without_page = True
            raise CloseSpider(SEEDS_FAILED)

    def _have_seeds_failed(self) -> bool:
        """Return True if the spider needs pages and no seed has brought one.

        A worker of a cluster does not know what others have fetched.
        """
        needs_pages = getattr(self._crawler.spider, "needs_pages", False)
        return needs_pages and self._context.cluster is None and not self._context.ledger.pages
