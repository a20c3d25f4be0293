"""The context of a link: the text around its anchor.

It is the text of the aggregation node (Pant & Srinivasan 2006): the lowest ancestor of the anchor,
itself included, with enough words. The text of each element is read once and cached, so that
thousands of links in one list cost no more than the list. Of a long node, only the text near the
anchor is read.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from evocrawl.extraction.limits import Limits
from evocrawl.extraction.strings import Ends, Starts, collapsed
from evocrawl.extraction.visibility import Hidden

_LONG = 4
"""A text is long when it has this many times the characters of a context."""
_NEIGHBOURS = 20
_CHARS_A_WORD = 8


class LinkContexts:
    """Finds the contexts of the links of one page; `start` maps an element to its first text."""

    def __init__(self, limits: Limits, hidden: Hidden) -> None:
        self._limits = limits
        self._hidden = hidden
        self._long = _LONG * limits.words_chars
        self.start = Starts(self._long + 1, hidden)
        self._end = Ends(self._long + 1, hidden)
        self._contexts: dict[Any, str] = {}
        self._giants: set[Any] = set()

    def around(self, element: Any, anchor: str) -> str:
        """Return the context of a link: at most `words_chars` characters, the anchor's inside."""
        text = self._context(element)
        room = self._limits.words_chars
        if len(text) <= room:
            return text
        middle = max(text.find(anchor), 0) + len(anchor) // 2
        start = min(max(middle - room // 2, 0), len(text) - room)
        return text[start : start + room]

    def _context(self, element: Any) -> str:
        """Return the text of the aggregation node above. O(1) for a known parent."""
        climbed: list[Any] = []
        text = ""
        while element is not None:
            known = self._contexts.get(element)
            if known is not None:
                text = known
                break
            start = self.start[element] if element not in self._giants else ""
            if climbed and (element in self._giants or len(start) > self._long):
                self._giants.add(element)
                text = self._near(climbed[-1])
                break
            climbed.append(element)
            text = collapsed(start)
            if self._is_enough(text) or (text and element in self._hidden.unread):
                break
            element = element.getparent()
        self._contexts.update(dict.fromkeys(climbed, text))
        return text

    def _is_enough(self, text: str) -> bool:
        words = self._limits.context_words
        return text.count(" ") + 1 >= words or len(text) >= _CHARS_A_WORD * words

    def _near(self, element: Any) -> str:
        """Return the text of `element` and the text near it, if that of its parent is too long."""
        room = self._limits.words_chars
        before = ""
        previous = element
        for _ in range(_NEIGHBOURS):
            last, previous = previous, previous.getprevious()
            if previous is None:
                before = (last.getparent().text or "")[-room:] + before
                break
            end = "" if previous in self._hidden.unread else self._end[previous]
            before = end + (previous.tail or "")[-room:] + before
            if len(before) >= room:
                break
        after = (element.tail or "")[:room]
        for following in islice(element.itersiblings(), _NEIGHBOURS):
            if len(after) >= room:
                break
            start = "" if following in self._hidden.unread else self.start[following]
            after += start + (following.tail or "")[:room]
        half = room // 2
        parts = (collapsed(before)[-half:], self.start[element], collapsed(after)[:half])
        return collapsed(" ".join(parts))
