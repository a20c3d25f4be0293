"""Scores of a world's pages, kept: many runs of one query read the same pages."""

from __future__ import annotations

from evocrawl.model import Fingerprint
from evocrawl.relevance.base import Relevance
from evocrawl.simulation.world import Document


class Judge:
    """A relevance model that reads each version of a document once.

    One judge serves all runs of one query in one world; scoring takes most of a run's time
    otherwise. It keeps one float a version, told apart by `Document.changed_at_s`.
    """

    def __init__(self, model: Relevance) -> None:
        self.model = model
        self._scores: dict[tuple[Fingerprint, float | None], float] = {}

    def __len__(self) -> int:
        return len(self._scores)

    def score(self, document: Document) -> float:
        """Return the relevance of `document`, in [0, 1]. Runtime complexity: O(1) when known."""
        version = (document.fingerprint, document.changed_at_s)
        known = self._scores.get(version)
        if known is None:
            known = self.model.page(document.title, document.text, document.language)
            self._scores[version] = known
        return known
