"""The frontier: open links in the order of their priority, and the base of fetched pages."""

from __future__ import annotations

from evocrawl.frontier.candidates_by_row import CandidatesByRow
from evocrawl.frontier.open_links import OpenLinks
from evocrawl.frontier.page_base import MemoryPageBase
from evocrawl.frontier.page_records import PageRecord
from evocrawl.frontier.queue import Frontier
from evocrawl.frontier.relevance_ranks import RelevanceRanks

__all__ = [
    "CandidatesByRow",
    "Frontier",
    "MemoryPageBase",
    "OpenLinks",
    "PageRecord",
    "RelevanceRanks",
]
