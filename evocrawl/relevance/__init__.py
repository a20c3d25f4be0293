"""How relevant a page is to the query: one model a file, made by name with `create`."""

from evocrawl.relevance.base import Contribution, Relevance
from evocrawl.relevance.registry import create, names

__all__ = ["Contribution", "Relevance", "create", "names"]
