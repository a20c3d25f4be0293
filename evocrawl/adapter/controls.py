"""Controls of a crawl for the dashboard and for the program that runs it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evocrawl.adapter.run_state import set_state, state_of
from evocrawl.adapter.scrapy_internals import ask_scheduler_soon, has_spider_open
from evocrawl.core.model import AgentId, VisitId
from evocrawl.core.sanitize import mask_secrets, one_line
from evocrawl.core.urls.identity import fingerprint
from evocrawl.monitor.crawl_record import CrawlRecord
from evocrawl.monitor.dashboard.source import ControlError, Row
from evocrawl.monitor.record import Record
from evocrawl.monitor.views import exclusions_of, line_of
from evocrawl.population.steering import parameters_of
from evocrawl.species.reasons import Trait, traits_of
from evocrawl.store.cluster.steering import STOPPED

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext

logger = logging.getLogger(__name__)


class CrawlControls:
    """Controls of the crawl of `crawler`; see `evocrawl.monitor.dashboard.source.Controls`.

    Log lines begin with `by`, the part that uses the controls; `reason` is the stop reason if the
    controls stop the crawl.
    """

    def __init__(
        self,
        crawler: Crawler,
        context: CrawlContext,
        record: CrawlRecord,
        by: str = "dashboard",
        reason: str = STOPPED,
    ) -> None:
        self._crawler = crawler
        self._by = by
        self._reason = reason
        self._context = context
        self._record = record

    @property
    def state(self) -> str:
        """ "running", "paused", "stopping" or "finished"."""
        return state_of(self._crawler.engine)

    def stop(self) -> None:
        """End the crawl: requests under way are finished, and the store is closed."""
        set_state(self._running(), "stopping", self._reason)
        logger.info("%s: the crawl is stopped", self._by)

    def pause(self) -> None:
        """Send no further request; those under way are finished."""
        set_state(self._running(), "paused")
        logger.info("%s: the crawl is paused", self._by)

    def resume(self) -> None:
        """Go on after `pause`."""
        set_state(self._running(), "running")
        logger.info("%s: the crawl goes on", self._by)

    def parameters(self) -> Row:
        """Return the parameters that can be changed."""
        return parameters_of(self._context.population).values()

    def exclusions(self) -> list[str]:
        """Return the hosts, patterns and lines of agents that are excluded."""
        return exclusions_of(self._context.population)

    def traits(self, agent: AgentId) -> Sequence[Trait]:
        """Return what a living agent has inherited or learnt; nothing of a dead one."""
        one = self._context.population.lifecycle.agents.get(agent)
        return () if one is None else traits_of(one, one.species.choice)

    def change(self, values: Mapping[str, Any]) -> Row:
        """Change parameters by the rules of the options of the same names; return all of them."""
        self._running()
        try:
            to = parameters_of(self._context.population).changed(values)
        except ValueError as error:
            raise ControlError(str(error)) from None
        self._context.journaled.change(to)
        self._after(f"the parameters are now {asdict(to)}")
        return self.parameters()

    def exclude(self, pattern: str) -> None:
        """Exclude a host, or addresses that match a pattern, from now on."""
        self._running()
        try:
            self._context.journaled.exclude(pattern)
        except ValueError as error:
            raise ControlError(str(error)) from None
        self._after(f"no link to {one_line(pattern)} is followed any more")

    def exclude_line(self, agent: AgentId) -> None:
        """End an agent and all its living descendants."""
        self._running()
        population = self._context.population
        if agent in population.excluded_lines:
            raise ControlError(f"the line of agent {agent} is excluded already")
        alive = [each for each in line_of(self._record.agents, agent)
                 if each in population.lifecycle.agents]  # fmt: skip
        if not alive:
            raise ControlError(f"no agent of the line of agent {agent} is alive")
        self._context.journaled.exclude_line(agent, alive)
        self._after(f"the line of agent {agent} is excluded: {len(alive)} agents end")

    def mark(self, visit: VisitId, *, relevant: bool) -> Row:
        """Teach the crawl that a page is relevant, or is not.

        Returns the harvest rate so far and the number of marks, with a message for the user.
        """
        self._running()
        record = self._record
        result, content = record.results.get(visit), record.content_of(visit)
        if result is None or content is None:
            raise ControlError("the text of this page is not kept")
        page = fingerprint(result.url)
        self._context.journaled.mark(page, content, relevant=relevant)
        record.mark(visit, relevant)
        word = "relevant" if relevant else "not relevant"
        self._after(f"the page {one_line(mask_secrets(result.url))} is marked as {word}")
        return marked(len(record.marks), record, relevant=relevant)

    def _after(self, text: str) -> None:
        logger.info("%s: %s", self._by, text)
        engine = self._crawler.engine
        if engine is not None and has_spider_open(engine):
            ask_scheduler_soon(engine)

    def _running(self) -> ExecutionEngine:
        engine = self._crawler.engine
        if engine is None or self.state not in ("running", "paused"):
            raise ControlError(f"the crawl is {self.state}")
        return engine


def marked(marks: int, record: Record, *, relevant: bool) -> Row:
    """Return the answer to a mark: number of marks, harvest rate so far, a message for the user."""
    before = record.point()
    harvest = before.relevant / before.requests if before.requests else 0.0
    word = "relevant" if relevant else "not relevant"
    return {
        "marks": marks,
        "harvest_before": harvest,
        "message": f"The crawl has learnt that this page is {word}; it ranks the waiting links "
        f"again. Harvest rate before: {harvest:.1%}.",
    }
