"""Relevance by quality: the user's own function scores the text of each page.

Craw4LLM (Yu, Liu & Xiong 2025, arXiv:2502.13347) crawls for the pages that a language model learns
most from: the priority of a page is the score that a filter of training data gives to its text. The
filter is the user's: a fastText classifier, a small language model, any function.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from evocrawl.core.errors import SettingError
from evocrawl.core.model import Content
from evocrawl.relevance.base import Extra, bounded
from evocrawl.relevance.imported import named_object

logger = logging.getLogger(__name__)

_EXAMPLE = "as in quality:my_project.filters:score or quality:filters.py:score"


class Quality:
    """The relevance model "quality": the number that a function gives to a page's text.

    `argument` names the function: ``package.module:name`` or ``file.py:name``. It is called with
    the text, and returns a number that is cut to [0, 1]. A page for which it raises an exception or
    returns no number has relevance 0; the first such failure is logged. The query has no effect.
    Raises SettingError if there is no such function.
    """

    reads: frozenset[Extra] = frozenset()
    needs_language = ""
    scores_links = False

    def __init__(self, query: str, language: str = "", *, argument: str = "") -> None:  # noqa: ARG002
        value = f"quality:{argument}"
        if not argument:
            raise SettingError("relevance", "quality", f"a function of your own, {_EXAMPLE}")
        self._score: Callable[[str], float] = named_object(argument, "relevance", value)
        if not callable(self._score):
            raise SettingError("relevance", value, f"a function, {_EXAMPLE}")
        self._name = argument
        self._has_warned = False

    def page(self, content: Content) -> float:
        """Return the function's score of the text, cut to [0, 1]; 0 for empty text."""
        if not content.text:
            return 0.0
        try:
            return bounded(self._score(content.text))
        except Exception:  # the user's function may raise anything
            if not self._has_warned:
                self._has_warned = True
                logger.warning(
                    "relevance: the quality function %s failed; the page has relevance 0",
                    self._name,
                    exc_info=True,
                )
            return 0.0

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        """Return 0: the words of a link do not say how good its page is."""
        return 0.0
