"""Controls of a shared crawl for the dashboard and the program of one worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evocrawl.adapter.controls import CrawlControls, marked
from evocrawl.core.model import VisitId
from evocrawl.core.urls.identity import fingerprint
from evocrawl.monitor.crawl_record import CrawlRecord
from evocrawl.monitor.dashboard.source import ControlError, Row
from evocrawl.population.exclusions import check_room, readable_pattern
from evocrawl.store.cluster.redis.changes import (
    Change,
    PageMarked,
    ParametersGiven,
    PatternExcluded,
    RunState,
    StateChanged,
)

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.adapter.cluster import ClusterAdapter
    from evocrawl.adapter.context import CrawlContext


class WorkerControls(CrawlControls):
    """Controls of one worker: each change and mark reaches every worker through Redis.

    A change takes effect here once Redis has it. The line of an agent is excluded only on the
    worker that has the agent.
    """

    def __init__(
        self,
        crawler: Crawler,
        context: CrawlContext,
        record: CrawlRecord,
        cluster: ClusterAdapter,
        *named: str,
    ) -> None:
        super().__init__(crawler, context, record, *named)
        self._cluster = cluster
        cluster.worker.events.page_marked.connect(self._marked)

    def parameters(self) -> Row:
        """Return the parameters of the whole crawl."""
        return self._cluster.worker.steering.parameters.values()

    def change(self, values: Mapping[str, Any]) -> Row:
        """Change parameters of the whole crawl; return all of them with their new values."""
        self._running()
        steering = self._cluster.worker.steering
        try:
            to = steering.parameters.changed(values)
        except ValueError as error:
            raise ControlError(str(error)) from None
        known = to.values()
        self._send(ParametersGiven({name: known[name] for name in values}))
        return known

    def exclude(self, pattern: str) -> None:
        """Exclude a host, or addresses that match a pattern, in all workers."""
        self._running()
        try:
            readable = readable_pattern(pattern)
            check_room(self._context.population.discovery.exclusions.patterns)
        except ValueError as error:
            raise ControlError(str(error)) from None
        self._send(PatternExcluded(readable))

    def mark(self, visit: VisitId, *, relevant: bool) -> Row:
        """Teach all workers that a page is relevant, or is not; see `CrawlControls.mark`."""
        self._running()
        record = self._record
        result = record.results.get(visit)
        if result is None:
            raise ControlError("the page is not kept")
        self._send(PageMarked(result.url, fingerprint(result.url).hex(), relevant))
        return marked(len(record.marks) + 1, record, relevant=relevant)

    def _send(self, change: Change) -> None:
        if not self._cluster.worker.is_answered:
            raise ControlError("Redis does not answer: the change cannot be sent to the workers")
        self._cluster.worker.steering.send(change)

    def _marked(self, url: str, relevant: bool) -> None:
        result = self._record.results.of_url(url)
        if result is not None:
            self._record.mark(result.visit, relevant)


class SharedControls(WorkerControls):
    """Like `WorkerControls`; it also stops and pauses every worker of the crawl."""

    def stop(self) -> None:
        """End the crawl of all workers."""
        self._go("stopping")

    def pause(self) -> None:
        """Pause all workers: they send no further request."""
        self._go("paused")

    def resume(self) -> None:
        """Continue all workers after `pause`."""
        self._go("running")

    def _go(self, state: RunState) -> None:
        self._running()
        self._send(StateChanged(state))
