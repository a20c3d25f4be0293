"""A relevance model that gets pages in other languages word by word in its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evocrawl.core.model import Content
from evocrawl.relevance.base import Contribution, Extra, Relevance, met_by
from evocrawl.relevance.calibration import Calibration
from evocrawl.relevance.language_check import group_of

if TYPE_CHECKING:
    from evocrawl.relevance.translation.translator import Translator


class Translated:
    """Gives `model` each page in the model's language.

    `translators` are by the groups of languages (`group_of`) from which they translate. A page in
    another language, or of unknown language, stays as it is. The words of a link count in the
    language in which they are nearer the query, since the language of a link is not known.
    `is_of_query` is False for a model that was made for the query in another language.
    """

    def __init__(
        self, model: Relevance, translators: Mapping[str, Translator], *, is_of_query: bool = True
    ) -> None:
        self.model = model
        self.is_of_query = is_of_query
        self._translators = translators
        self.reads: frozenset[Extra] = model.reads
        self.needs_language: str | None = getattr(model, "needs_language", "")
        self.understands = frozenset(translators)
        """The languages of pages that are translated."""
        self.calibration: Calibration | None = getattr(model, "calibration", None)
        self.scores_links: bool = getattr(model, "scores_links", True)
        self.asked_last: bool = getattr(model, "asked_last", False)

    def content(self, content: Content) -> Content:
        """Return the page as the model gets it."""
        language = group_of(content.language.partition("-")[0].lower())
        translator = self._translators.get(language)
        return content if translator is None else translator.content(content)

    def page(self, content: Content) -> float:
        """Return the relevance of a page. O(characters)."""
        return self.model.page(self.content(content))

    def evidence(self, content: Content) -> float | None:
        """Return the model's score of a page, None if it cannot score it."""
        score = getattr(self.model, "evidence", self.model.page)
        found: float | None = score(self.content(content))
        return found

    def explain(self, content: Content) -> tuple[Contribution, ...]:
        """Return what each term of the translated page adds to the score."""
        explained: Any = getattr(self.model, "explain", None)
        return () if explained is None else tuple(explained(self.content(content)))

    def link(self, anchor: str, context: str, language: str = "") -> float:
        """Return the relevance of a link's words, as they are or translated."""
        best = self.model.link(anchor, context, language)
        for each in self._translators.values():
            best = max(best, self.model.link(each.text(anchor), each.text(context)))
        return best

    def meets(self, texts: Sequence[str]) -> Sequence[bool]:
        """Return which short texts may score above 0, as they are or translated."""
        met = met_by(self.model, texts)
        for each in self._translators.values():
            other = met_by(self.model, [each.text(text) for text in texts])
            met = [one or two for one, two in zip(met, other, strict=True)]
        return met

    def learn(self, content: Content, relevant: bool) -> None:
        """Give a user's mark of a page to the model, if it learns."""
        learn: Any = getattr(self.model, "learn", None)
        if learn is not None:
            learn(self.content(content), relevant)
