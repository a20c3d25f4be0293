"""Records the crawl as a world file, for replays under other policies."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from evocrawl import __version__
from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exit_codes import refusing
from evocrawl.adapter.scrapy_internals import close_spider_soon, exit_with_failure
from evocrawl.core.errors import SettingError
from evocrawl.store.export.recording import Recording, RecordingError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.core.config.config import Config
    from evocrawl.core.fetch import Fetch
    from evocrawl.core.model import Outcome

logger = logging.getLogger(__name__)

FAILED = "recording_failed"
"""Stop reason of a crawl whose recording could not be written."""


class Recorder:
    """Extension: writes each visit's page, redirects, refusal or failure as it settles."""

    def __init__(self, crawler: Crawler, context: CrawlContext, recording: Recording) -> None:
        self._crawler = crawler
        self._recording: Recording | None = recording
        self._has_failed = False
        context.fetches.on_settled.append(self._landed)
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Open the file of option `record`; raises NotConfigured if the option is empty.

        Raises SettingError if the file cannot be written or is not empty.
        """
        context = CrawlContext.of(crawler)
        path = context.config.record
        if not path:
            raise NotConfigured
        timeout_s = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        try:
            recording = Recording(path, _about(context.config), timeout_s)
        except (OSError, RecordingError) as error:
            problem = error.problem if isinstance(error, RecordingError) else error.strerror
            with refusing(crawler):
                raise SettingError("record", path, f"a new file ({problem})") from error
        return cls(crawler, context, recording)

    def _opened(self) -> None:
        self._try(lambda recording: recording.begin())

    def _landed(self, fetch: Fetch, outcome: Outcome) -> None:
        self._try(lambda recording: recording.note(fetch, outcome))

    def _stopped(self) -> None:
        self._try(lambda recording: recording.close())
        if self._has_failed:
            exit_with_failure(self._crawler)

    def _try(self, write: Any) -> None:
        """Write to the recording; end the crawl if that fails."""
        if self._recording is None:
            return
        try:
            write(self._recording)
        except OSError:
            logger.exception("record: the recording cannot be written on: the crawl ends")
            self._recording, self._has_failed = None, True
            engine = self._crawler.engine
            if engine is not None and engine.spider is not None:
                close_spider_soon(engine, FAILED)


def _about(config: Config) -> dict[str, Any]:
    return {
        "query": config.query,
        "species": config.species,
        "seed": config.seed,
        "seeds": list(config.seeds),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "by": f"evocrawl {__version__}",
    }
