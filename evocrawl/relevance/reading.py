"""Reads the words of a page once for all models of a mix."""

from __future__ import annotations

from evocrawl.core.model import Content
from evocrawl.relevance.terms import Analyser

LONGEST_TEXT = 100_000
"""Characters of a text that are read: limits the work, and how much a long text lowers a cosine."""

TITLE_MENTIONS = 3
"""Number of mentions that one in the title counts as."""


class Reading:
    """The rough words of a page's title and text, and how often each term occurs in them."""

    __slots__ = ("_analyser", "_mentions", "text", "title")

    def __init__(self, content: Content, analyser: Analyser) -> None:
        self._analyser = analyser
        self._mentions: dict[str, int] | None = None
        self.title = analyser.words(content.title[:LONGEST_TEXT])
        self.text = analyser.words(content.text[:LONGEST_TEXT])

    @property
    def is_counted(self) -> bool:
        """Return whether a model has asked for `mentions` already, so that they cost no more."""
        return self._mentions is not None

    @property
    def mentions(self) -> dict[str, int]:
        """Return how often the page has each term; the title counts `TITLE_MENTIONS` times."""
        if self._mentions is None:
            self._mentions = mentions = self._analyser.count(self.text)
            for term, times in self._analyser.count_few(self.title).items():
                mentions[term] = mentions.get(term, 0) + TITLE_MENTIONS * times
        return self._mentions


class Reader:
    """Reads pages by the rules of one language, and keeps the page that it read last."""

    def __init__(self, analyser: Analyser) -> None:
        self.analyser = analyser
        self._last: tuple[Content, Reading] | None = None

    def read(self, content: Content) -> Reading:
        """Return the words of a page. O(characters), O(1) for the page that was read last."""
        last = self._last
        if last is not None and last[0] is content:
            return last[1]
        reading = Reading(content, self.analyser)
        self._last = content, reading
        return reading
