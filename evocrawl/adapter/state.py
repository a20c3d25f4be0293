"""Opens the file with the state of a Scrapy crawl, and checks that it belongs to this crawl."""

from __future__ import annotations

import logging
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evocrawl import __version__
from evocrawl.adapter.request_codec import RequestCodec
from evocrawl.core.config.config import Config
from evocrawl.core.errors import SettingError, StateError
from evocrawl.species.evo.link_model.persistence import digest
from evocrawl.store.cluster.redis.keys import is_shared
from evocrawl.store.journal.journal import Journal, NoJournal
from evocrawl.store.journal.snapshot.graph import SnapshotError
from evocrawl.store.journal.sqlite_journal import SqliteJournal

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from evocrawl.population.population import Population
    from evocrawl.store.journal.facts import ReplayedState
    from evocrawl.store.journal.journaled_population import JournaledPopulation

logger = logging.getLogger(__name__)

STATE_FAILED = "state_failed"
"""Stop reason of a crawl whose state could not be written."""

FILE = "evocrawl.sqlite"
"""Name of the state in a JOBDIR."""

MAY_DIFFER = frozenset(
    (
        "max_requests", "max_unsettled", "page_items", "robots_timeout_s", "robots_tries",
        "robots_retry_s", "crawl_delay_cap_s", "progress_s", "store", "store_bodies", "record",
        "stats_file", "allow_networks", "read_timeout_s", "lease_s", "redis_timeout_s",
        "learn_to", "memory_links", "warc", "warc_bytes", "since", "exchange_s",
        "retry_after_cap_s", "back_off_s", "back_off_cap_s", "breaker_failures", "retry_share",
        "address_concurrency", "probe", "pipelines_wait_s", "closing_wait_s", "dashboard",
        "dashboard_token", "stop", "opt_out_files", "snapshot_visits", "journal",
        "browser_pages", "browser_lifetime_pages", "browser_timeout_s",
    )
)  # fmt: skip
"""Options that may differ from run to run of one crawl."""


def path_of(crawler: Crawler, config: Config) -> Path | None:
    """Return the path of the crawl's state; None if it is kept in memory or in Redis.

    Raises SettingError if it is a folder, a pipe or a device.
    """
    if is_shared(config.store):
        return None
    if config.store:
        path = Path(config.store)
        if os.path.isdir(path):
            raise SettingError("store", config.store, "a file, and this is a folder")
        if os.path.exists(path) and not os.path.isfile(path):
            raise SettingError("store", config.store, "a file, and this is a pipe or a device")
        return path
    directory = crawler.settings.get("JOBDIR")
    return Path(directory) / FILE if directory else None


def journal_of(crawler: Crawler, config: Config, codec: RequestCodec) -> Journal:
    """Open the journal; raises StateError if it is another crawl's or cannot be used."""
    path = path_of(crawler, config)
    if path is None:
        return NoJournal()
    return SqliteJournal(path, crawl_identity(crawler, config), codec)


def check_compaction(journaled: JournaledPopulation, *, needs_all: bool, has_begun: bool) -> None:
    """Raise StateError for a crawl that cannot continue without the whole journal.

    `needs_all`: the project's dupe filter gets each request of earlier runs; `has_begun`: the file
    has an earlier run, which was checked.
    """
    problem = ""
    if not journaled.snapshots.every_visits:
        problem = "the relevance model learns from every page, so that no snapshot can be taken"
    elif needs_all:
        problem = (
            "DUPEFILTER_CLASS has a request_seen of its own, which gets every request of earlier "
            "runs"
        )
    elif not has_begun:
        try:
            journaled.snapshots.check(journaled.facts)
        except SnapshotError as error:
            problem = f"no snapshot can be taken: {error}"
    if problem:
        raise StateError(f"journal=compact cannot be used, use journal=whole: {problem}")


def crawl_identity(crawler: Crawler, config: Config) -> dict[str, Any]:
    """Return the options and versions that must be the same in every run of a crawl."""
    options = {name: value for name, value in asdict(config).items() if name not in MAY_DIFFER}
    obeys = crawler.settings.getbool("ROBOTSTXT_OBEY")
    return {
        **options,
        "learnt": digest(config.learnt),
        "spider": crawler.spidercls.name,
        "evocrawl": __version__,
        "DOWNLOAD_TIMEOUT": crawler.settings.getfloat("DOWNLOAD_TIMEOUT"),
        **({} if obeys else {"ROBOTSTXT_OBEY": False}),
    }


def log_resume(
    past: ReplayedState, path: Path | None, population: Population, stats: StatsCollector | None
) -> None:
    """Log and count what a run continues from; do nothing for a crawl in memory."""
    if path is None:
        return
    if stats is not None:
        stats.set_value("evocrawl/store/runs", past.runs + 1)
        stats.set_value("evocrawl/store/repeated", past.repeated)
    if not past.runs:
        logger.info("store: the crawl is kept in %s", path)
    elif not population.is_unborn and population.ended is not None:
        logger.info(
            "store: the crawl in %s has ended (%s); %s to continue it",
            path,
            population.ended,
            "change stop" if population.stopped else "raise max_requests",
        )
    else:
        logger.info(
            "store: continuing the crawl in %s: %d pages fetched, %d requests made; %d visits "
            "that were under way, or whose callback had not ended, are repeated",
            path,
            past.pages,
            population.environment.budget.spent,
            past.repeated,
        )
