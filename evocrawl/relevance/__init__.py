"""Relevance of a page to the query: one model per file; `create` returns a model by name."""

from evocrawl.relevance.base import Contribution, Relevance
from evocrawl.relevance.registry import Wanted, create, names

__all__ = ["Contribution", "Relevance", "Wanted", "create", "names"]
