"""The interface of relevance models."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from evocrawl.core.model import Content, Page

logger = logging.getLogger(__name__)

Extra: TypeAlias = Literal["formats", "age"]
"""Parts of a page's `Content` that need more than its words."""


ANCHOR_SHARE = 0.8
"""Weight of the anchor in the score of a link; that of its context is the rest (Shark-search)."""

FRESH_S = 86_400.0
"""Default seconds for which a page counts as fresh: a day."""


class Relevance(Protocol):
    """Scores pages, and links by their own words, against the query it was made for.

    Scores are finite and lie in [0, 1]; text without a word in common with the query may have 0 and
    empty text has 0. No input raises an exception: pages may be hostile. A model is made
    with ``(query, language="")`` and raises `evocrawl.core.errors.QueryError` for a query that it
    cannot compare with anything. `language` is a BCP 47 tag, "" if unknown. `reads` names what the
    model needs of a page besides its words. A constructor may also take `argument`, `examples` and
    `fresh_s` by name: see `evocrawl.relevance.registry`.

    `meets(texts)`, if a model has it, returns which short texts may score above 0 as the words of
    a link: many links have no word of the query, and need not be scored one by one.

    `needs_language`, if a model has it, is the language in which pages have to be (a primary
    subtag), since others score low; "" if the language does not matter; None if the model compares
    pages in any language with the query.
    """

    reads: frozenset[Extra]

    def page(self, content: Content) -> float:
        """Return the relevance of a page with this content."""
        ...

    def link(self, anchor: str, context: str, language: str = "") -> float:
        """Return the relevance of a link's own words: its anchor and the text around it."""
        ...


@runtime_checkable
class Learner(Protocol):
    """A relevance model that learns from the marks of a user."""

    def learn(self, content: Content, relevant: bool) -> None:
        """Learn that a page with this content is relevant, or is not."""
        ...


def teach(models: Iterable[Relevance], content: Content, relevant: bool) -> None:
    """Give a user's mark of a page to those of `models` that learn."""
    for model in models:
        if isinstance(model, Learner):
            model.learn(content, relevant)


def met_by(model: Relevance, texts: Sequence[str]) -> Sequence[bool]:
    """Return which short texts may score above 0 by a model, as anchors or contexts of links."""
    meets: Callable[[Sequence[str]], Sequence[bool]] | None = getattr(model, "meets", None)
    return [True] * len(texts) if meets is None else meets(texts)


def observer_of(model: Relevance) -> Callable[[Page], None] | None:
    """Return the method by which a model learns from each page of the crawl, None without one.

    It is called with the pages in the order in which they are settled, also when a stored crawl is
    replayed, so that a resumed crawl has the same model.
    """
    observes = getattr(model, "observes", hasattr(model, "observe"))
    return model.observe if observes else None  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one term adds to a model's score; the shares of all terms add up to the score.

    `term` is the term as compared (a stem or an n-gram), `mentions` how often the page has it
    (a mention in the title counts as several), `idf` the weight of the term in its language.
    `where` says in words where the page has it, if that counts and not how often.
    """

    term: str
    mentions: int
    idf: float
    share: float
    where: str = ""


def bounded(score: float) -> float:
    """Return a score limited to [0, 1]; NaN and infinite scores become 0.

    >>> bounded(0.3), bounded(7.0), bounded(-1.0), bounded(float("nan")), bounded(float("inf"))
    (0.3, 1.0, 0.0, 0.0, 0.0)
    """
    return min(max(float(score), 0.0), 1.0) if math.isfinite(score) else 0.0


class Bounded:
    """Limits the scores of `model`, of another package, to finite numbers in [0, 1].

    Where a method raises an exception or gives no number, the score is 0, and the first failure is
    logged: a page that a model cannot read costs no crawl.
    """

    def __init__(self, model: Relevance) -> None:
        self._model = model
        self._has_warned = False
        self.observes = hasattr(model, "observe")
        if hasattr(model, "needs_language"):
            self.needs_language: str | None = model.needs_language
        self.reads: frozenset[Extra] = frozenset(getattr(model, "reads", ()))

    def page(self, content: Content) -> float:
        """Return the relevance of a page."""
        return self._tried(lambda: bounded(self._model.page(content)))

    def link(self, anchor: str, context: str, language: str = "") -> float:
        """Return the relevance of a link's own words."""
        return self._tried(lambda: bounded(self._model.link(anchor, context, language)))

    def meets(self, texts: Sequence[str]) -> Sequence[bool]:
        """Return which short texts may score above 0: all, if the model does not know."""
        met = list[bool]()
        self._tried(lambda: met.extend(map(bool, met_by(self._model, texts))))
        return met if len(met) == len(texts) else [True] * len(texts)

    def learn(self, content: Content, relevant: bool) -> None:
        """Give a user's mark of a page to the model."""
        self._tried(lambda: teach([self._model], content, relevant))

    def observe(self, page: Page) -> None:
        """Let the model learn from a page, if it learns."""
        if self.observes:
            self._tried(lambda: self._model.observe(page))  # type: ignore[attr-defined]

    def _tried(self, act: Callable[[], float | None]) -> float:
        try:
            return act() or 0.0
        except Exception:  # another package's class may raise anything
            if not self._has_warned:
                self._has_warned = True
                logger.warning(
                    "relevance: the model %s failed; the score is 0",
                    type(self._model).__name__,
                    exc_info=True,
                )
            return 0.0
