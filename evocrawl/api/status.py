"""The state of a crawl in a few numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

State = Literal["starting", "running", "paused", "stopping", "finished"]


@dataclass(frozen=True, slots=True)
class CrawlStatus:
    """How far a crawl is.

    ==============  ===========================================================================
    field           meaning
    ==============  ===========================================================================
    state           starting, running, paused, stopping or finished
    reason          why it has ended, such as "budget"; "" while it runs
    requests        HTTP requests sent; never more than `limit`
    limit           budget of requests; None for none
    pages           pages fetched
    relevant        those with a relevance of `relevant_at` or more
    relevant_at     relevance from which a page counts as relevant
    harvest         relevant pages for each request
    agents          agents that are alive
    hosts           hosts visited
    seconds         since the first visit
    recall          estimated share of the relevant pages that is found; None if not known
    ==============  ===========================================================================
    """

    state: State
    reason: str = ""
    requests: int = 0
    limit: int | None = None
    pages: int = 0
    relevant: int = 0
    relevant_at: float = 0.5
    harvest: float = 0.0
    agents: int = 0
    hosts: int = 0
    seconds: float = 0.0
    recall: float | None = None

    @property
    def is_over(self) -> bool:
        """True once the crawl has ended."""
        return self.state == "finished"

    @classmethod
    def of_message(cls, sent: Mapping[str, Any]) -> Self:
        """Return the status of a message."""
        names = (
            *("state", "reason", "requests", "limit", "pages", "relevant", "relevant_at"),
            *("harvest", "agents", "hosts", "seconds"),
        )
        left = sent.get("left") or {}
        return cls(**{name: sent[name] for name in names}, recall=left.get("recall"))
