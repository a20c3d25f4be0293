"""Wires one crawl's population to Scrapy; every component of the crawler shares the result."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from evocrawl.adapter.browser.places import BrowserPlaces
from evocrawl.adapter.cluster import cluster_of
from evocrawl.adapter.earlier_pages import earlier_pages_of
from evocrawl.adapter.fetches import FetchTracker
from evocrawl.adapter.kept_requests import KeptRequests
from evocrawl.adapter.learnt_query import warn_of_another_query
from evocrawl.adapter.opt_outs import opt_out_store
from evocrawl.adapter.pages import PageReader
from evocrawl.adapter.redirects import Redirects
from evocrawl.adapter.request_codec import RequestCodec
from evocrawl.adapter.requests import RequestIdentities
from evocrawl.adapter.scheduler_stats import SchedulerStats
from evocrawl.adapter.scrapy_internals import default_delay_s
from evocrawl.adapter.settings_check import check_settings
from evocrawl.adapter.state import check_compaction, journal_of, path_of
from evocrawl.core.config.config import Config
from evocrawl.monitor.summary import CrawlSummary
from evocrawl.pipelines.base import PageContext, contexts
from evocrawl.politeness.backoff import HostBackoff
from evocrawl.politeness.robots.cache import RobotsCache
from evocrawl.population.assembly import Assembly, assemble
from evocrawl.population.selection import PATIENCE
from evocrawl.relevance.base import observer_of
from evocrawl.relevance.language_check import check_for
from evocrawl.store.cluster.redis.keys import is_shared
from evocrawl.store.journal.facts import ReplayedState
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import RunStarted
from evocrawl.store.journal.replay import resume

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings


FINISHED = "finished"
"""Scrapy's close reason of a crawl that has nothing left to do."""

_contexts: WeakKeyDictionary[Crawler, CrawlContext] = WeakKeyDictionary()


class CrawlContext:
    """The population, environment, fetches and pages of one crawler."""

    def __init__(self, crawler: Crawler, arguments: Mapping[str, Any] | None = None) -> None:
        settings = check_settings(crawler.settings)
        self._crawler = crawler
        self._read_host_limits(settings)
        self.last_failures: OrderedDict[str, Exception] = OrderedDict()
        """The last failure of each host in back-off, by its slot; see `BackoffMiddleware`."""
        self.on_open: list[Callable[[], None]] = []
        """Called when the scheduler opens: every middleware exists by then."""
        self.spider_reads = False
        """True if the spider is an evospider, whose `parse` reads pages itself."""
        self.reads_beginnings = False
        """True if the spider reads only the beginning of a big page, as evospider does."""
        self.has_begun = False
        """True in a run that continues an earlier one, whose seeds are placed."""
        self.is_seeding = False
        """True until the last seed is placed: the population chooses nothing before."""
        limits = JournaledHostLimits(self.host_limit, (self._host_concurrency, self._host_delay_s))
        config = _config_of(settings, arguments)
        self.state_path = path_of(crawler, config)
        assembly = assemble(
            config,
            concurrency=settings.getint("CONCURRENT_REQUESTS"),
            host_limit=limits,
            timeout_s=settings.getfloat("DOWNLOAD_TIMEOUT"),
            spill_to=self.state_path and self.state_path.parent,
        )
        warn_of_another_query(config)
        self._use(assembly)
        self.names = RequestIdentities(
            crawler, self.base.is_claimed, leases_hosts=is_shared(self.config.store)
        )
        self.redirects = Redirects(self.names)
        self._add_views()
        self.unstorable = 0
        codec = RequestCodec(crawler, self._cannot_store)
        self._connect_journal(assembly, limits, codec)
        self._connect_pages(codec)
        self._ahead_s = 0.0
        self._add_politeness()

    def _read_host_limits(self, settings: BaseSettings) -> None:
        """Read the limits of hosts and slots from Scrapy's settings."""
        self._slots: dict[str, Any] = settings.getdict("DOWNLOAD_SLOTS")
        self._host_concurrency = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        self._host_delay_s = settings.getfloat("DOWNLOAD_DELAY")

    def _add_politeness(self) -> None:
        """Add the rules of robots.txt and the back-off of hosts."""
        self.robots_cache = RobotsCache(delay_cap_s=self.config.crawl_delay_cap_s)
        """The rules of robots.txt; `RobotsDirectory` fills it."""
        self.backoff = HostBackoff(
            # A separate stream: failures must not change the random draws of the agents.
            np.random.default_rng([self.config.seed, 1]),
            first_s=self.config.back_off_s,
            cap_s=self.config.back_off_cap_s,
            asked_cap_s=self.config.retry_after_cap_s,
            breaker=self.config.breaker_failures,
        )

    def _use(self, assembly: Assembly) -> None:
        """Set the population and its environment."""
        self.config = assembly.config
        self.relevance = assembly.relevance
        self.base = assembly.base
        self.budget = assembly.budget
        self.ledger = assembly.ledger
        self.save_learnt = assembly.save_learnt
        self.forecast = assembly.forecast
        self._stop_rule = assembly.stop_rule
        self.population = assembly.population
        self.population.selector.patience = PATIENCE
        self.rendering = assembly.rendering

    def _add_views(self) -> None:
        """Add the places of the browser, the summary of the crawl and Scrapy's stats."""
        crawler = self._crawler
        pages = 0 if self.config.browser == "never" else self.config.browser_pages
        self.browser_places = BrowserPlaces(crawler, self.population, pages=pages)
        self.summary = CrawlSummary(self.ledger, self.budget, self.forecast)
        self.summary.attach(self.population.on_event, self.population.on_outcome)
        is_kept = bool(self.state_path or self.config.store)
        self.scheduler_stats = SchedulerStats(crawler, "disk" if is_kept else "memory")

    def _connect_journal(
        self, assembly: Assembly, limits: JournaledHostLimits, codec: RequestCodec
    ) -> None:
        """Record the population in the journal, and connect it with a cluster if it has one."""
        crawler = self._crawler
        self._journal = journal_of(crawler, assembly.config, codec)
        self.cluster = cluster_of(crawler, assembly, limits, self._cannot_store)
        if self.cluster is None:
            self.journaled = JournaledPopulation(
                assembly.population,
                limits,
                self._journal,
                requests=self.names,
            )
        else:
            self.journaled = self.cluster.journaled
            # A worker without links may get links of other workers.
            self.forecast.population = None
        self._choose_parts_of_snapshots()

    def _choose_parts_of_snapshots(self) -> None:
        """Name the objects that snapshots hold; take none where they do not hold all."""
        # A model that learns from pages is rebuilt by a replay of them only.
        is_rebuilt = observer_of(self.relevance) is None
        self.journaled.snapshots.every_visits = self.config.snapshot_visits if is_rebuilt else 0
        self.journaled.snapshots.compacts = self.config.journal == "compact"
        self.journaled.snapshots.parts |= {
            "ledger": self.ledger,
            "forecast": self.forecast,
            "stop rule": self._stop_rule,
            "browser": self.rendering,
            "summary": self.summary,
        }

    def _connect_pages(self, codec: RequestCodec) -> None:
        """Connect fetches, stored requests and the reader of pages with the population."""
        crawler = self._crawler
        self.page_context = contexts[crawler] = PageContext(
            self.relevance,
            self.population,
            self.base,
            self.population.environment.traps,
            languages=check_for(self.relevance),
        )
        self.fetches = FetchTracker(
            self.page_context,
            self.journaled,
            self.names,
            self.now_s,
            self.config.pipelines_wait_s,
            is_shared=self.cluster is not None,
        )
        self.kept = KeptRequests(self._journal, codec, self.names, self.journaled.flush_soon)
        self.fetches.on_settled += [self.kept.settled, self.redirects.settled]
        self.opt_outs = opt_out_store(self._journal, self.cluster, self.journaled.flush_soon)
        self.earlier = earlier_pages_of(self.config, self.state_path)
        """The pages of the crawl that the option `since` names."""
        self.pages = PageReader(crawler, self.config, self.page_context, self.fetches, self.earlier)

    @property
    def continues(self) -> bool:
        """True if the crawl's file has an earlier run, also before it is read."""
        return self._journal.has_begun

    @classmethod
    def of(cls, crawler: Crawler, arguments: Mapping[str, Any] | None = None) -> CrawlContext:
        """Return the crawler's context; the first call makes it.

        `arguments` are the spider's; only the first call uses them. Raises SettingError.
        """
        if crawler not in _contexts:
            _contexts[crawler] = cls(crawler, arguments)
        return _contexts[crawler]

    def resume(self) -> ReplayedState:
        """Begin a run where the last one ended, or a new crawl; raises StateError if that fails."""
        run = RunStarted(
            self.config.max_requests or None,
            self.population.max_unsettled,
            (self._host_concurrency, self._host_delay_s),
        )
        if self.config.journal == "compact" and self.state_path is not None:
            check_compaction(
                self.journaled, needs_all=self.names.needs_all, has_begun=self.continues
            )
        past = resume(self._journal, self.journaled, run)
        if past.runs:
            self.has_begun = not self.population.is_unborn
            # The clock continues from the last run: each process has another monotonic clock.
            self._ahead_s = past.now_s - monotonic()
            self.names.begin(past.runs)
            self.names.first_visits = past.first_visits
        self._stop_rule.arm()
        return past

    def stop_reason(self, reason: str) -> str:
        """Return why the crawl ended; more exact than Scrapy's `reason` if that is "finished"."""
        if reason != FINISHED or self.population.is_unborn:
            return reason
        ended = self.population.ended if self.cluster is None else self.cluster.worker.ended
        return ended or reason

    def _cannot_store(self) -> None:
        self.unstorable += 1
        self.scheduler_stats.unserializable()

    def host_limit(self, host: str) -> tuple[int, float]:
        """Return the limits of `host`, from its downloader slot if it has one (AutoThrottle)."""
        delay_s = self.robots_cache.delay_of(host)
        downloader = self._crawler.engine.downloader
        slot = downloader.slots.get(host)
        if slot is not None:
            concurrency, delay_s = slot.concurrency, max(slot.delay, delay_s)
        else:
            own = self._slots.get(host, {})
            concurrency = own.get("concurrency", self._host_concurrency)
            # The delay of new slots: AutoThrottle sets another one.
            delay_s = max(own.get("delay", default_delay_s(downloader)), delay_s)
        return 1 if self.backoff.is_troubled(host) else concurrency, delay_s

    def now_s(self) -> float:
        """Return the time, in seconds, by the clock that measures delays."""
        return monotonic() + self._ahead_s


def _config_of(settings: BaseSettings, arguments: Mapping[str, Any] | None) -> Config:
    if arguments is None and "EVOCRAWL_MAX_REQUESTS" not in settings:
        # A project's own spider: by default the crawl leaves out none of its requests.
        arguments = {"max_requests": 0}
    return Config.read(dict(settings), arguments)
