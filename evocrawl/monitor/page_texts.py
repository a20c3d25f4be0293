"""Keeps the texts of the pages of a crawl on disk, for the marks of a user."""

from __future__ import annotations

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Content, VisitId

LONGEST = 20_000
"""Number of characters of a text that are kept."""
_END = "\0"


class PageTexts:
    """Title, text and language of pages by their visits; some 100 bytes of memory a page."""

    def __init__(self) -> None:
        self._spill = SpillFile()
        self._addresses: dict[VisitId, int] = {}

    def put(self, visit: VisitId, content: Content) -> None:
        """Keep the content of a page. O(its length)."""
        kept = (content.language, content.title[:LONGEST], content.text[:LONGEST])
        record = _END.join(each.replace(_END, " ") for each in kept)
        self._addresses[visit] = self._spill.put(record.encode("utf-8", "surrogatepass"))

    def get(self, visit: VisitId) -> Content | None:
        """Return the content of a page, None for an unknown visit. Raises StateError."""
        address = self._addresses.get(visit)
        if address is None:
            return None
        record = self._spill.get(address).decode("utf-8", "surrogatepass")
        language, title, text = record.split(_END)
        return Content(title, text, language)
