"""Serves the dashboard of the crawl while it runs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import maybe_deferred_to_future

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.controls import CrawlControls
from evocrawl.adapter.exit_codes import refusing
from evocrawl.adapter.shared_controls import SharedControls
from evocrawl.core.config.monitor import listening
from evocrawl.core.errors import SettingError
from evocrawl.monitor.crawl_record import CrawlRecord
from evocrawl.monitor.dashboard.source import Source
from evocrawl.monitor.page_texts import PageTexts

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_WORKER = (
    "Several workers share this crawl: the numbers are those of this worker; your changes "
    "reach all workers."
)


class CrawlDashboard:
    """Extension: a web server on the crawl's own reactor. See `evocrawl.monitor.dashboard`."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        from twisted.internet.error import CannotListenError

        from evocrawl.monitor.dashboard.server import Dashboard

        config = context.config
        record = CrawlRecord(context.population, context.ledger, context.forecast)
        record.texts = PageTexts()
        context.journaled.snapshots.parts["dashboard"] = record
        store = str(context.state_path or "")
        note = "" if context.cluster is None else _WORKER
        if context.cluster is None:
            controls = CrawlControls(crawler, context, record)
        else:
            controls = SharedControls(crawler, context, record, context.cluster)
        self.source = Source(
            record, controls, config.query, config.species,
            config.relevant_at, store, config.learnt, note,
        )  # fmt: skip
        hosts = context.population.environment.hosts
        self.source.free_in_s = lambda host: hosts.free_at_s(host) - context.now_s()
        address, port = listening(config.dashboard)
        try:
            self.server = Dashboard(self.source, address, port, config.dashboard_token)
        except CannotListenError as error:
            allowed = f"a free port ({error.socketError})"
            with refusing(crawler):
                raise SettingError("dashboard", config.dashboard, allowed) from None
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen; raises NotConfigured if the option `dashboard` is empty.

        Raises SettingError if the port is taken.
        """
        context = CrawlContext.of(crawler)
        if not context.config.dashboard:
            raise NotConfigured
        return cls(crawler, context)

    def _opened(self) -> None:
        self.server.announce()

    async def _stopped(self) -> None:
        await maybe_deferred_to_future(self.server.close())
