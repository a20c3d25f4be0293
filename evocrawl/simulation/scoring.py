"""Caches the scores of pages, since many runs of one query read the same pages."""

from __future__ import annotations

from evocrawl.core.model import Fingerprint
from evocrawl.relevance.base import Relevance, observer_of
from evocrawl.simulation.worlds.base import Document


class PageScorer:
    """A relevance model that reads each version of a document once.

    Use one scorer for all runs of a query in a world, since scoring takes most of the time of a
    run. It keeps one float for each version (`Document.changed_at_s`) of a page, and nothing if
    the model depends on the age of the page, or learns from the pages of the run.
    """

    def __init__(self, model: Relevance) -> None:
        self.model = model
        self.is_fixed = observer_of(model) is None
        """False for a model that learns from pages: then each run needs a separate model."""
        self._keeps = self.is_fixed and "age" not in model.reads
        self._scores: dict[tuple[Fingerprint, float | None], float] = {}

    def __len__(self) -> int:
        return len(self._scores)

    def score(self, document: Document, now_s: float = 0.0) -> float:
        """Return the relevance of `document` fetched at `now_s`, in [0, 1]. O(1) if cached."""
        if not self._keeps:
            return self.model.page(document.content(now_s))
        version = (document.fingerprint, document.changed_at_s)
        known = self._scores.get(version)
        if known is None:
            known = self.model.page(document.content(now_s))
            self._scores[version] = known
        return known


class Witness(PageScorer):
    """Passes on the scores of `scorer` and records the pages that one run saw.

    `found` contains the pages read and the pages they link to, `urls` the addresses of pages.
    """

    def __init__(self, scorer: PageScorer) -> None:
        self.model = scorer.model
        self.found: set[Fingerprint] = set()
        self.urls: dict[Fingerprint, str] = {}
        self._scorer = scorer

    def __len__(self) -> int:
        return len(self._scorer)

    def score(self, document: Document, now_s: float = 0.0) -> float:
        """Return the score of `document`; record the page and its links. O(links)."""
        self.urls[document.fingerprint] = document.url
        self.found.add(document.fingerprint)
        self.found.update(link.fingerprint for link in document.links)
        return self._scorer.score(document, now_s)
