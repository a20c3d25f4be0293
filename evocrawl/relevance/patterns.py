"""Relevance by a regular expression: a page is relevant if the pattern occurs in it.

The pattern comes from the user and the text from the web: the engine (the package `regex`) gives
up a search that takes longer than `LONGEST_S`, and such a page does not match.
"""

from __future__ import annotations

import logging

import regex

from evocrawl.core.errors import SettingError
from evocrawl.core.model import Content
from evocrawl.relevance.base import ANCHOR_SHARE, Extra
from evocrawl.relevance.reading import LONGEST_TEXT

LONGEST_S = 0.2
"""Seconds that one search of a page may take."""
LONGEST_OF_LINK_S = 0.01
"""Seconds that one search of the words of a link may take: a page may have thousands of links."""

logger = logging.getLogger(__name__)


class Patterns:
    """The relevance model "regex": 1 for a page in which the pattern `argument` occurs, else 0.

    The pattern is searched in the title and in the first 100 000 characters of the text, without
    regard to case unless it says so itself (``(?-i:Python)``). The query has no effect. Raises
    SettingError for a pattern that is missing, does not compile, or matches the empty text.

    >>> Patterns("", argument="coral.*bleach").page(Content("Corals", "Coral is bleaching."))
    1.0
    """

    reads: frozenset[Extra] = frozenset()
    needs_language = ""

    def __init__(self, query: str, language: str = "", *, argument: str = "") -> None:  # noqa: ARG002
        if not argument:
            raise SettingError("relevance", "regex", 'a pattern, as in regex:"coral.+bleach"')
        try:
            self._pattern = regex.compile(argument, regex.IGNORECASE)
        except regex.error as error:
            allowed = f"a regular expression; this one does not compile: {error}"
            raise SettingError("relevance", f"regex:{argument}", allowed) from error
        if self._occurs(""):
            allowed = "a pattern that does not match empty text, since every page would match"
            raise SettingError("relevance", f"regex:{argument}", allowed)
        self._has_warned = False

    def page(self, content: Content) -> float:
        """Return 1 if the pattern occurs in the title or in the text, else 0."""
        return float(self._occurs(content.title) or self._occurs(content.text))

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        """Return 0.8 if the pattern occurs in the anchor, plus 0.2 if in the context."""
        of_anchor = self._occurs(anchor, LONGEST_OF_LINK_S)
        return ANCHOR_SHARE * of_anchor + (1 - ANCHOR_SHARE) * self._occurs(
            context, LONGEST_OF_LINK_S
        )

    def _occurs(self, text: str, longest_s: float = LONGEST_S) -> bool:
        try:
            return self._pattern.search(text[:LONGEST_TEXT], timeout=longest_s) is not None
        except TimeoutError:
            if not self._has_warned:
                self._has_warned = True
                logger.warning(
                    "relevance: the pattern %r took longer than %s s: no match",
                    self._pattern.pattern[:100],
                    longest_s,
                )
            return False
