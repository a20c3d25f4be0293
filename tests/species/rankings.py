"""A ranking of links whose targets are the bytes of their row as a decimal number."""

from __future__ import annotations

from collections.abc import Callable

from evocrawl.core.numbering import Numbering
from evocrawl.frontier import CandidatesByRow, Frontier
from evocrawl.frontier.queue import MOST_LINKS
from evocrawl.species.evo.busy_hosts import NEVER_WAIT, BusyHosts
from evocrawl.species.evo.interfaces import Claims, Valuer, row_of
from evocrawl.species.evo.prospects import CandidateRanking


def ranking_of(
    is_claimed: Callable[[bytes], bool],
    model: Valuer,
    claims: Claims,
    busy_hosts: BusyHosts = NEVER_WAIT,
    most: int = MOST_LINKS,
    most_leads: int = MOST_LINKS,
) -> CandidateRanking:
    """Return a ranking with `most` links in the queue's memory and `most_leads` by their rows."""
    leads = CandidatesByRow(most_leads)
    queue = Frontier(is_claimed, most, row_of=Numbering(int, leads, row_of))
    return CandidateRanking(queue, model, claims, leads, busy_hosts)
