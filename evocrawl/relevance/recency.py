"""Relevance by age: a page is relevant if it is fresh.

Palotai, Farkas & Lőrincz (algorithm 7): a page is relevant when "it is not older than 24 hours".
A page of unknown age is not relevant. With a query, a fresh page has the relevance that "tfidf"
gives it.

================  =================  ==========================
page              without a query    with one
================  =================  ==========================
young enough      1                  relevance by tf-idf
older, undated    0                  0
================  =================  ==========================
"""

from __future__ import annotations

from evocrawl.core.model import Content
from evocrawl.relevance.base import FRESH_S, Extra
from evocrawl.relevance.tfidf import TfIdf


class Recency:
    """The relevance model "recency"; a page counts as news until it is `fresh_s` seconds old.

    An empty query asks for all news. Raises QueryError for one without a usable term.
    """

    reads: frozenset[Extra] = frozenset(("age",))

    def __init__(self, query: str, language: str = "", fresh_s: float = FRESH_S) -> None:
        self._topic = TfIdf(query, language) if query.strip() else None
        self.calibration = None if self._topic is None else self._topic.calibration
        self.needs_language = "" if self._topic is None else self._topic.needs_language
        self._fresh_s = fresh_s

    def page(self, content: Content) -> float:
        """Return the relevance of a page with this content.

        >>> [Recency("").page(Content(age_s=age)) for age in (3600.0, 90_000.0, None)]
        [1.0, 0.0, 0.0]
        """
        if content.age_s is None or not content.age_s <= self._fresh_s:
            return 0.0
        return 1.0 if self._topic is None else self._topic.page(content)

    def link(self, anchor: str, context: str, language: str = "") -> float:
        """Return the relevance of a link's words to the query, 0 without a query."""
        return 0.0 if self._topic is None else self._topic.link(anchor, context, language)
