"""Relevance models by name: ours, and those that installed packages offer as entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from evocrawl.errors import SettingError
from evocrawl.relevance.base import Relevance

GROUP = "evocrawl.relevance"
_OURS = {
    "semantic": EntryPoint("semantic", "evocrawl.relevance.semantic:Semantic", GROUP),
    "tfidf": EntryPoint("tfidf", "evocrawl.relevance.tfidf:TfIdf", GROUP),
}


def names() -> tuple[str, ...]:
    """Return the names that `create` knows, sorted."""
    return tuple(sorted(_known()))


def create(name: str, query: str, language: str = "") -> Relevance:
    """Return the model called `name` for `query`, written in `language` ("": found by its script).

    Raises SettingError for an unknown name, QueryError for a query that says nothing.
    """
    known = _known()
    if name not in known:
        raise SettingError("relevance", name, ", ".join(sorted(known)))
    model: Relevance = known[name].load()(query, language)
    return model


def _known() -> dict[str, EntryPoint]:
    """Ours win over an installed package's entry point of the same name."""
    return {point.name: point for point in entry_points(group=GROUP)} | _OURS
