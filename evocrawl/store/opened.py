"""What every reader of a stored crawl does: close it, and skip entries that cannot be read."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

logger = logging.getLogger(__name__)


class Opened(ABC):
    """A stored crawl, opened for reading in a with block.

    A damaged entry is skipped, logged as a warning and counted in `unread`.
    """

    unread: int = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Close the stored crawl."""

    def left_out(self, what: str, error: Exception) -> None:
        """Log and count an entry that cannot be read."""
        self.unread += 1
        logger.warning(
            "archive: skipped %s, which cannot be read (%.200s)", _shown(what), _shown(str(error))
        )


def _shown(text: str) -> str:
    """Escape control characters, so that a page's text cannot control the terminal."""
    return text if text.isprintable() else ascii(text)
