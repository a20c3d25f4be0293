"""Relevance by markup: a page is relevant if it is marked up as one of some schema.org types.

A recipe site declares each recipe as a ``Recipe``, by JSON-LD, Microdata or RDFa, in any
language (https://schema.org). "semantic" looks for the formats, this model for the declared types.
"""

from __future__ import annotations

import re

from evocrawl.core.errors import SettingError
from evocrawl.core.model import Content
from evocrawl.relevance.base import Extra

_MARK = "schema:"
_TYPE = re.compile(r"(?:https?://(?:www\.)?schema\.org/|schema:)?([A-Za-z][A-Za-z0-9]*)")


class Markup:
    """The relevance model "markup": 1 for a page with one of the types in `argument`, else 0.

    `argument` has one or more types, separated by commas or spaces, in any case. The query has no
    effect. Raises SettingError for a missing type and for text that is no name of a type.

    >>> Markup("", argument="Recipe").page(Content(formats=("json-ld", "schema:Recipe")))
    1.0
    """

    reads: frozenset[Extra] = frozenset(("formats",))
    needs_language = ""
    scores_links = False

    def __init__(self, query: str, language: str = "", *, argument: str = "") -> None:  # noqa: ARG002
        names = [_TYPE.fullmatch(each) for each in re.split(r"[\s,]+", argument.strip(" ,"))]
        if not all(names):
            allowed = "types of schema.org, as in markup:Recipe or markup:Recipe,Event"
            raise SettingError("relevance", f"markup:{argument}", allowed)
        self._wanted = frozenset(_MARK + found[1].lower() for found in names if found)

    def page(self, content: Content) -> float:
        """Return 1 for content of one of the types, else 0."""
        return float(any(each.lower() in self._wanted for each in content.formats))

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        """Return 0: the words of a link do not say how its page is marked up."""
        return 0.0
