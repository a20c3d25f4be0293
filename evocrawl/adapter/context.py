"""One crawl's population and environment, shared by every Scrapy component that needs them."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from evocrawl.adapter.cluster import cluster_of
from evocrawl.adapter.extractor import ResponseExtractor, latin1
from evocrawl.adapter.meta import VISIT
from evocrawl.adapter.requests import RequestIdentities
from evocrawl.adapter.scheduler_stats import SchedulerStats
from evocrawl.adapter.settings_check import check_settings
from evocrawl.adapter.soft_404 import Soft404Detector
from evocrawl.adapter.state import journal_of, path_of
from evocrawl.core.config.config import Config
from evocrawl.core.errors import SettleError
from evocrawl.core.fetch import LATER, OVER_BUDGET, Fetch, FetchDetails
from evocrawl.core.items import PageItem
from evocrawl.core.model import Content, Dead, Dropped, Fingerprint, Outcome, Page, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.extraction import Dates, ParsedPage, age_s, changed_by_header
from evocrawl.politeness.backoff import HostBackoff
from evocrawl.population.assembly import assemble
from evocrawl.population.traps.novelty import NoveltyVerdict
from evocrawl.relevance.base import bounded
from evocrawl.store.cluster.population_sync import NOT_TRIED
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import RunStarted
from evocrawl.store.journal.replay import ReplayedState, resume

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


logger = logging.getLogger(__name__)

_PATIENCE = 200
"""Links held back in one turn of the event loop, a tenth of a millisecond each."""

FINISHED = "finished"
"""Scrapy's reason of a crawl that ends since nothing is left to do."""

_contexts: WeakKeyDictionary[Crawler, CrawlContext] = WeakKeyDictionary()


class CrawlContext:
    """Population, environment and the visits under way of one crawler."""

    def __init__(self, crawler: Crawler, arguments: Mapping[str, Any] | None = None) -> None:
        settings = check_settings(crawler.settings)
        self._crawler = crawler
        self._slots: dict[str, Any] = settings.getdict("DOWNLOAD_SLOTS")
        self._host_concurrency = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        self._host_delay_s = settings.getfloat("DOWNLOAD_DELAY")
        self.crawl_delay: Callable[[str], float] = lambda _: 0.0
        self.on_open: list[Callable[[], None]] = []
        """Called when the scheduler opens: every middleware is there by then."""
        self.rewards_pages = False
        """Whether pages go through the reward pipeline."""
        self.names = RequestIdentities(crawler, lambda target: self.base.is_claimed(target))
        self.fetches: dict[int, Fetch] = {}
        self.settled_twice = 0
        self.on_landed: list[Callable[[Fetch, Outcome], None]] = []
        """Called with the notes on each visit and its outcome, just before it is settled."""
        self.on_known: Callable[[], None] = lambda: None
        """Called when the spider's output for a visit is complete."""
        self.reads_beginnings = False
        """True where the spider reads as evospider does: of a big page the beginning."""
        self.is_seeding = False
        """True while seeds are still to come: nothing is chosen before the last is placed."""
        limits = JournaledHostLimits(self.host_limit, (self._host_concurrency, self._host_delay_s))
        if arguments is None and "EVOCRAWL_MAX_REQUESTS" not in settings:
            # A spider of the project's own: nothing that it yields is left out by default.
            arguments = {"max_requests": 0}
        config = Config.read(dict(settings), arguments)
        self.state_path = path_of(crawler, config)
        assembly = assemble(
            config,
            concurrency=settings.getint("CONCURRENT_REQUESTS"),
            host_limit=limits,
            timeout_s=settings.getfloat("DOWNLOAD_TIMEOUT"),
            spill_to=self.state_path and self.state_path.parent,
        )
        self.config = assembly.config
        self.relevance = assembly.relevance
        self.base = assembly.base
        self.budget = assembly.budget
        self.ledger = assembly.ledger
        self.save_learnt = assembly.save_learnt
        self.population = assembly.population
        self.population.patience = _PATIENCE
        is_kept = bool(self.state_path or self.config.store)
        self.scheduler_stats = SchedulerStats(crawler, "disk" if is_kept else "memory")
        self.unstorable = 0
        self._journal = journal_of(crawler, assembly.config, self._cannot_store)
        self.cluster = cluster_of(crawler, assembly, limits, self._cannot_store)
        self.journaled = JournaledPopulation(assembly.population, limits, self._journal)
        if self.cluster is not None:
            self.journaled = self.cluster.journaled
            self.cluster.worker.colony.on_links = self.names.recall
            self.names.keeps_slots = False
        self.journaled.on_links = self.names.recall
        self.journaled.on_settled = self.names.settled
        self._reader = ResponseExtractor(
            crawler, self.config.read_timeout_s, data="formats" in self.relevance.reads
        )
        self._traps = assembly.population.environment.traps
        self._probes = Soft404Detector(crawler, self.read)
        self._ahead_s = 0.0
        self._particulars: dict[int, FetchDetails] = {}
        self.backoff = HostBackoff(
            # A stream of its own, so that failures do not change what agents draw.
            np.random.default_rng([self.config.seed, 1]),
            first_s=self.config.back_off_s,
            cap_s=self.config.back_off_cap_s,
            asked_cap_s=self.config.retry_after_cap_s,
            breaker=self.config.breaker_failures,
        )

    @classmethod
    def of(cls, crawler: Crawler, arguments: Mapping[str, Any] | None = None) -> CrawlContext:
        """Return the crawler's context, made by whichever component asks first.

        `arguments` are the spider's, and only of use to the first. Raises SettingError.
        """
        if crawler not in _contexts:
            _contexts[crawler] = cls(crawler, arguments)
        return _contexts[crawler]

    def resume(self) -> ReplayedState:
        """Begin a run where the last one ended, or anew; raises StateError where that fails."""
        run = RunStarted(
            self.config.max_requests or None,
            self.population.max_unsettled,
            (self._host_concurrency, self._host_delay_s),
        )
        past = resume(self._journal, self.journaled, run)
        if past.runs:
            # Time goes on from where it was: another process has another clock.
            self._ahead_s = past.now_s - monotonic()
            self.names.begin(past.runs)
        return past

    def stop_reason(self, reason: str) -> str:
        """Return why the crawl ended, where Scrapy's `reason` may be that nothing is left."""
        if reason != FINISHED or self.population.is_unborn:
            return reason
        ended = self.population.ended if self.cluster is None else self.cluster.worker.ended
        return ended or reason

    def _cannot_store(self) -> None:
        self.unstorable += 1
        self.scheduler_stats.unserializable()

    def host_limit(self, host: str) -> tuple[int, float]:
        """The downloader's own limits: those of its live slot, as AutoThrottle set them."""
        delay_s = self.crawl_delay(host)
        downloader = self._crawler.engine.downloader
        slot = downloader.slots.get(host)
        if slot is not None:
            concurrency, delay_s = slot.concurrency, max(slot.delay, delay_s)
        else:
            own = self._slots.get(host, {})
            concurrency = own.get("concurrency", self._host_concurrency)
            # That of slots to come: AutoThrottle begins with a delay of its own.
            delay_s = max(own.get("delay", downloader._delay), delay_s)
        return 1 if self.backoff.is_troubled(host) else concurrency, delay_s

    def fetch(self, request: Request) -> Fetch | None:
        """Return the notes on the visit that `request` belongs to, None when it belongs to none."""
        return self.fetches.get(request.meta.get(VISIT, 0))

    def sending(self, request: Request) -> Fetch | None:
        """Return the notes on the visit that `request` is sent for, None when it is none's.

        A request that a callback made of a copy of its response's meta is none's: it loses the
        visit's number.
        """
        fetch = self.fetch(request)
        if fetch is None or fetch.is_answered:
            request.meta.pop(VISIT, None)
            return None
        return fetch

    def took_off(self, visit: Visit) -> Fetch:
        """Begin the notes on a visit."""
        fetch = self.fetches[visit.id] = Fetch(visit, visit.lead.url, visit.lead.fingerprint)
        fetch.goes_anywhere = self.population.goes_anywhere(visit)
        fetch.host, fetch.origin = visit.lead.host, visit.lead.url
        return fetch

    def land(self, fetch: Fetch, otherwise: str) -> None:
        """Settle a visit by its notes.

        A page whose item has not come out of the pipelines as a page is taken as it was read.
        """
        if fetch.seen is not None and fetch.page is None and not fetch.is_put_off:
            self.take(fetch.seen)
        del self.fetches[fetch.visit.id]
        if fetch.page is not None and fetch.page.links is not fetch.links:
            fetch.page = replace(fetch.page, links=fetch.links)
        outcome = fetch.outcome(otherwise)
        if isinstance(outcome, Dead) and outcome.reason in NOT_TRIED:
            outcome = Dropped(outcome.reason)
        for listener in self.on_landed:
            listener(fetch, outcome)
        if not fetch.is_put_off:
            self.names.settled(fetch.visit.lead.fingerprint)
        if isinstance(outcome, Dropped) or outcome == Dead(OVER_BUDGET, fetch.cost):
            self._release_claims(fetch)
        particulars = self._particulars.pop(fetch.visit.id, None)
        try:
            self.journaled.settle(fetch.visit.id, outcome, particulars)
        except SettleError:
            self.settled_twice += 1
            logger.exception("a visit was settled twice")

    def known(self, fetch: Fetch) -> None:
        """Note that the spider's output for a visit is complete: the visit may be settled."""
        if self.fetches.get(fetch.visit.id) is fetch:
            fetch.known_at_s = self.now_s()
            self.on_known()

    def put_off(self, fetch: Fetch, url: str = "") -> None:
        """Settle a visit that came to nothing, at no cost, and open its link again.

        With `url`, where redirects have led, the link leads there, and what they took is kept.
        """
        visit = fetch.visit
        species = self.population.life.agents[visit.agent].species
        if url:
            fetch.claimed.clear()
        fetch.failure, fetch.is_put_off = LATER, True
        self.land(fetch, LATER)
        self.journaled.give_back(visit.id, visit.lead, species, url)

    def _release_claims(self, fetch: Fetch) -> None:
        """Release the targets of redirects that a visit has claimed and has not tried.

        A redirect that leads there again would be taken for one to a known page.
        """
        for target in fetch.claimed:
            self.journaled.release(target)

    async def read(self, response: Response, *, any_text: bool = False) -> ParsedPage:
        """Return what can be read from a response (see `evocrawl.adapter.extractor`)."""
        fetch = self.fetch(response.request) if response.request else None
        wire_bytes = fetch.last_bytes if fetch else 0
        return await self._reader.read(response, wire_bytes, any_text=any_text)

    def page_item(self, response: Response, reading: ParsedPage, fetch: Fetch) -> PageItem:
        """Return the item that stands for a visit's page."""
        lead = fetch.visit.lead
        parent = self.base.get(lead.source)
        fetched_at, dates = datetime.now(UTC), _dates(response, reading.dates)
        item = PageItem(
            visit=fetch.visit.id,
            url=response.url,
            title=reading.title,
            text=reading.text,
            language=reading.language,
            status=response.status,
            fetched_at=fetched_at.isoformat(timespec="milliseconds"),
            depth=lead.depth,
            parent=parent.url if parent is not None else "",
            anchor=lead.anchor,
            agent=fetch.visit.agent,
            content_fingerprint=reading.content_fingerprint.hex(),
            formats=reading.formats,
            truncated=reading.truncated,
            published_at=_iso(dates.published_at_s),
            changed_at=_iso(dates.changed_at_s),
            age_s=age_s(fetched_at.timestamp(), (dates.published_at_s, dates.changed_at_s)),
        )
        fetch.seen = replace(item)
        return item

    def score(self, item: PageItem) -> None:
        """Set the item's relevance: that of the page as it was read."""
        seen = self._seen(item)
        if seen.relevance is None:
            seen.relevance = self.relevance.page(_content(seen))
        item.relevance = seen.relevance

    def price(self, item: PageItem) -> None:
        """Set the item's energy, by its relevance. What says nothing new has none."""
        if item.relevance is None:
            self.score(item)
        seen = self._seen(item)
        item.relevance = _bounded(item.relevance)
        item.energy = self.population.price(item.relevance)
        told = self._told(seen.url, self._page_of(seen), _content(seen))
        if told.is_new is False:
            item.energy = 0.0
            twin = None if told.twin is None else self.base.get(told.twin)
            seen.duplicate_of = item.duplicate_of = "" if twin is None else twin.url

    async def is_soft_404(self, response: Response, reading: ParsedPage) -> bool:
        """Return whether the page read is what its server says where there is none."""
        if self._traps is None or not self.config.probe or response.status != 200:
            return False
        content = Content(reading.title, reading.text)
        fetch = self.fetch(response.request) if response.request else None
        page = fetch.identity_of(response.url) if fetch else fingerprint(response.url)
        told = self._told(response.url, page, content)
        is_new = told.is_new is not False or not told.is_telling
        return await self._probes.is_soft_404(response.url, content, is_new=is_new)

    def _told(self, url: str, page: Fingerprint, content: Content) -> NoveltyVerdict:
        if self._traps is None:
            return NoveltyVerdict(None)
        return self._traps.look(url, page, content)

    def _page_of(self, item: PageItem) -> Fingerprint:
        fetch = self.fetches.get(item.visit)
        return fetch.identity_of(item.url) if fetch else fingerprint(item.url)

    def reward(self, item: PageItem) -> None:
        """Note the page on its visit: as it was read, with the item's relevance and energy.

        Pipelines of the project may have changed these: what is no number is 0. An item that comes
        when its visit is settled already is ignored.
        """
        fetch = self.fetches.get(item.visit)
        if fetch is None:
            return
        if item.energy is None:
            self.price(item)
        seen = self._seen(item)
        fetch.page = Page(
            seen.url,
            fetch.identity_of(seen.url),
            _bounded(item.relevance),
            _finite(item.energy),
            fetch.links,
            bytes.fromhex(seen.content_fingerprint),
            _content(seen),
        )
        self._particulars[fetch.visit.id] = FetchDetails(
            seen.agent,
            fetch.visit.lead,
            seen.status,
            seen.fetched_at,
            seen.parent,
            fetch.answer,
            seen.duplicate_of,
            seen.truncated,
            seen.published_at,
            seen.changed_at,
        )

    def take(self, item: PageItem) -> None:
        """Do to a page what the three pipelines do, where it does not go through them."""
        self.price(item)
        self.reward(item)

    def _seen(self, item: PageItem) -> PageItem:
        """Return the page of an item as it was read; the item itself where that is not known."""
        fetch = self.fetches.get(item.visit)
        return item if fetch is None or fetch.seen is None else fetch.seen

    def now_s(self) -> float:
        """Return the clock that delays are measured by, in seconds."""
        return monotonic() + self._ahead_s


def _dates(response: Response, told: Dates) -> Dates:
    """The dates of the page's markup, or else that of its Last-Modified header."""
    if told != Dates():
        return told
    headers = response.headers
    modified, date = latin1(headers.get(b"Last-Modified")), latin1(headers.get(b"Date"))
    return Dates(changed_at_s=changed_by_header(modified, date))


def _content(item: PageItem) -> Content:
    return Content(item.title, item.text, item.language, item.formats, item.age_s)


def _finite(value: object) -> float:
    """Return a number; 0 for what is no finite one."""
    try:
        number = float(value)  # type: ignore[arg-type] # whatever a pipeline has put there
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def _bounded(relevance: object) -> float:
    """Return a relevance in [0, 1]; 0 for what is no number."""
    return bounded(_finite(relevance))


def _iso(at_s: float | None) -> str:
    return "" if at_s is None else datetime.fromtimestamp(at_s, UTC).isoformat()
