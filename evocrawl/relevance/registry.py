"""Relevance models by name: built-in ones, and entry points of installed packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from evocrawl.core.errors import SettingError
from evocrawl.relevance.base import FRESH_S, Bounded, Relevance

GROUP = "evocrawl.relevance"
_OURS = {
    "recency": EntryPoint("recency", "evocrawl.relevance.recency:Recency", GROUP),
    "semantic": EntryPoint("semantic", "evocrawl.relevance.semantic:Semantic", GROUP),
    "tfidf": EntryPoint("tfidf", "evocrawl.relevance.tfidf:TfIdf", GROUP),
}


def names() -> tuple[str, ...]:
    """Return the names that `create` knows, sorted."""
    return tuple(sorted(_known()))


def create(name: str, query: str, language: str = "", *, fresh_s: float = FRESH_S) -> Relevance:
    """Return the model called `name` for `query`, written in `language` ("": found by its script).

    Models that read a page's age also get the seconds for which a page counts as fresh.
    Raises SettingError for an unknown name, QueryError for a query without a usable term.
    """
    known = _known()
    if name not in known:
        raise SettingError("relevance", name, ", ".join(sorted(known)))
    maker = known[name].load()
    goes_by_age = "age" in getattr(maker, "reads", ())
    model: Relevance = maker(query, language, **{"fresh_s": fresh_s} if goes_by_age else {})
    return model if name in _OURS else Bounded(model)


def _known() -> dict[str, EntryPoint]:
    """Return models by name; a built-in model overrides an entry point of the same name."""
    return {point.name: point for point in entry_points(group=GROUP)} | _OURS
