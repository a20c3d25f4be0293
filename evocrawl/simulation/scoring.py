"""Scores of a world's pages, kept: many runs of one query read the same pages."""

from __future__ import annotations

from evocrawl.core.model import Fingerprint
from evocrawl.relevance.base import Relevance
from evocrawl.simulation.worlds.base import Document


class PageScorer:
    """A relevance model that reads each version of a document once.

    One scorer serves all runs of one query in one world; scoring takes most of a run's time
    otherwise. It keeps one float a version, told apart by `Document.changed_at_s`; none where the
    model goes by a page's age, which grows.
    """

    def __init__(self, model: Relevance) -> None:
        self.model = model
        self._keeps = "age" not in model.reads
        self._scores: dict[tuple[Fingerprint, float | None], float] = {}

    def __len__(self) -> int:
        return len(self._scores)

    def score(self, document: Document, now_s: float = 0.0) -> float:
        """Return the relevance of `document` fetched at `now_s`, in [0, 1]. O(1) when known."""
        if not self._keeps:
            return self.model.page(document.content(now_s))
        version = (document.fingerprint, document.changed_at_s)
        known = self._scores.get(version)
        if known is None:
            known = self.model.page(document.content(now_s))
            self._scores[version] = known
        return known


class Witness(PageScorer):
    """The scores of `scorer`, and what one run saw meanwhile.

    `found` has the pages read and those linked on them, `urls` where each page was read.
    """

    def __init__(self, scorer: PageScorer) -> None:
        self.model = scorer.model
        self.found: set[Fingerprint] = set()
        self.urls: dict[Fingerprint, str] = {}
        self._scorer = scorer

    def __len__(self) -> int:
        return len(self._scorer)

    def score(self, document: Document, now_s: float = 0.0) -> float:
        """Return what the scorer says of `document`, and remember it and its links. O(links)."""
        self.urls[document.fingerprint] = document.url
        self.found.add(document.fingerprint)
        self.found.update(link.fingerprint for link in document.links)
        return self._scorer.score(document, now_s)
