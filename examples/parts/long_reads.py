r"""A relevance model of your own: pages that mention the query and have much to read.

    scrapy crawl evospider -a query="coral bleaching" \
        -a relevance=examples.parts.long_reads:LongReads

It may be a part of a mix, as in `0.7*tfidf+0.3*examples.parts.long_reads:LongReads`.
"""

from __future__ import annotations

from evocrawl.core.errors import QueryError
from evocrawl.core.model import Content


class LongReads:
    """Scores a page by the share of the query's words that it has, and by its length."""

    reads: frozenset[str] = frozenset()
    """What the model needs of a page beside its words: nothing."""

    def __init__(self, query: str, language: str = "", argument: str = "1000") -> None:
        del language  # this model compares letters, in any language
        self._words = frozenset(query.casefold().split())
        if not self._words:
            raise QueryError("LongReads needs a query")
        self._long = int(argument or 1000)

    def page(self, content: Content) -> float:
        """Return the score in [0, 1]."""
        words = f"{content.title} {content.text}".casefold().split()
        return self._share(words) * min(len(words) / self._long, 1.0)

    def link(self, anchor: str, context: str, language: str = "") -> float:
        """Return the score of a link's own words in [0, 1]."""
        del language
        return self._share(f"{anchor} {context}".casefold().split())

    def _share(self, words: list[str]) -> float:
        return len(self._words.intersection(words)) / len(self._words)
