"""Hierarchical topics: a page of ``A.B`` is also a page of ``A``."""

from __future__ import annotations

from array import array
from collections.abc import Iterable


class Labels:
    """Maps topics of every level to pages (by number).

    >>> labels = Labels()
    >>> labels.add(7, ["Science.Birds", "Science"])
    >>> labels.topics(), list(labels.about("Science"))
    (('Science', 'Science.Birds'), [7])
    """

    def __init__(self) -> None:
        self._pages: dict[str, array[int]] = {}

    def add(self, page: int, topics: Iterable[str]) -> None:
        """Label `page` with `topics` and their parent topics; call it once for each page."""
        for level in dict.fromkeys(level for topic in topics for level in levels(topic)):
            self._pages.setdefault(level, array("I")).append(page)

    def topics(self) -> tuple[str, ...]:
        """Return the sorted topics of all levels."""
        return tuple(sorted(self._pages))

    def about(self, topic: str) -> array[int]:
        """Return the pages of `topic`; raises KeyError if there are none."""
        return self._pages[topic]


def levels(topic: str) -> Iterable[str]:
    """Yield `topic` and its parent topics, highest level first.

    >>> list(levels("Science.Biology.Birds"))
    ['Science', 'Science.Biology', 'Science.Biology.Birds']
    """
    parts = topic.split(".")
    return (".".join(parts[:depth]) for depth in range(1, len(parts) + 1))
