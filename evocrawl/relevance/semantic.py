"""Relevance by machine-readable content, on any topic.

Batzios et al. 2008: a page with semantic content is food, every other is not, and all food is the
same. A link's own words say nothing about it.
"""

from __future__ import annotations

from evocrawl.core.errors import QueryError
from evocrawl.core.model import Content
from evocrawl.relevance.base import Extra

FORMATS = ("json-ld", "microdata", "n-triples", "owl", "rdf-xml", "rdfa", "turtle")
"""Formats that a query may name; `evocrawl.extraction` detects them."""

_MARK = "format:"


class Semantic:
    """Scores 1 for a page with machine-readable content, else 0.

    Words of the query such as ``format:json-ld`` restrict the model to these formats. Other words
    have no effect, and the query may be empty. Raises QueryError for an unknown format.
    """

    reads: frozenset[Extra] = frozenset(("formats",))
    needs_language = ""
    scores_links = False

    def __init__(self, query: str, language: str = "") -> None:  # noqa: ARG002 - every model's form
        words = (word.lower() for word in query.split())
        asked = {word.removeprefix(_MARK) for word in words if word.startswith(_MARK)}
        if unknown := asked - set(FORMATS):
            known = ", ".join(FORMATS)
            raise QueryError(f"no such format in the query: {min(unknown)!r}; there are {known}")
        self._wanted = frozenset(asked or FORMATS)

    def page(self, content: Content) -> float:
        """Return 1 for content in one of the requested formats, else 0."""
        return float(not self._wanted.isdisjoint(content.formats))

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        """Return 0: the words of a link do not show which formats its page has."""
        return 0.0
