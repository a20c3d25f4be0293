"""The page base: what the population knows of the web, and the links still open on it."""

from __future__ import annotations

from evocrawl.store.frontier import Frontier
from evocrawl.store.memory import MemoryPageBase
from evocrawl.store.numbered_leads import NumberedLeads
from evocrawl.store.pages import PageRecord
from evocrawl.store.ranks import RelevanceRanks
from evocrawl.store.shelf import Shelf

__all__ = ["Frontier", "MemoryPageBase", "NumberedLeads", "PageRecord", "RelevanceRanks", "Shelf"]
