"""The texts of the pages of a crawl, on disk, for the marks of a user."""

from __future__ import annotations

import json

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Content, VisitId

LONGEST = 20_000
"""Characters of a text that are kept."""


class PageTexts:
    """Title, text and language of pages by their visits; some 100 bytes of memory a page."""

    def __init__(self) -> None:
        self._spill = SpillFile()
        self._addresses: dict[VisitId, int] = {}

    def put(self, visit: VisitId, content: Content) -> None:
        """Keep the content of a page. O(its length)."""
        kept = [content.title[:LONGEST], content.text[:LONGEST], content.language]
        self._addresses[visit] = self._spill.put(json.dumps(kept).encode())

    def get(self, visit: VisitId) -> Content | None:
        """Return the content of a page, None for an unknown visit. Raises StateError."""
        address = self._addresses.get(visit)
        if address is None:
            return None
        title, text, language = json.loads(self._spill.get(address))
        return Content(title, text, language)
