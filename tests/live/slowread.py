"""An extension that delays the reading of large pages until pages of other hosts have come."""

from __future__ import annotations

import logging
import threading
from typing import Any

from scrapy import signals

from evocrawl.extraction import Document, ParsedPage, ReadingProcess

logger = logging.getLogger(__name__)

OTHERS = "other.test"
PATIENCE_S = 60.0


class SlowRead:
    """Lets a page be read in the process once `SLOWREAD_UNTIL` pages of `OTHERS` have come."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> SlowRead:
        self = cls()
        self.until = crawler.settings.getint("SLOWREAD_UNTIL")
        self.come = 0
        self.have_come = threading.Event()
        crawler.signals.connect(self._received, signals.response_received)
        read = ReadingProcess.read

        def read_late(process: ReadingProcess, document: Document) -> ParsedPage:
            self.have_come.wait(PATIENCE_S)
            logger.info("reading aside after %d pages of %s", self.come, OTHERS)
            return read(process, document)

        ReadingProcess.read = read_late  # type: ignore[method-assign]
        return self

    def _received(self, response: Any) -> None:
        self.come += OTHERS in response.url and not response.url.endswith("robots.txt")
        if self.come >= self.until:
            self.have_come.set()
