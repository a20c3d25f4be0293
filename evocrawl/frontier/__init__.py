"""The page base: what the population knows of the web, and the links still open on it."""

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
