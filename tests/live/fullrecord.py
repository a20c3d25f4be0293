"""An extension that stops writes to a recording after ten responses, like a full disk."""

from __future__ import annotations

import errno
import os
from typing import Any

from scrapy import signals

from evocrawl.store.export.recording import Recording


class FullRecord:
    @classmethod
    def from_crawler(cls, crawler: Any) -> FullRecord:
        self = cls()
        self.answers = 0
        crawler.signals.connect(self._count, signals.response_received)
        return self

    def _count(self) -> None:
        self.answers += 1
        if self.answers == 10:
            Recording.note = self._fail  # type: ignore[method-assign,assignment]

    def _fail(self, *_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
