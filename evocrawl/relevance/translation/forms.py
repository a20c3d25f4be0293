"""The forms under which a dictionary has a word: as it is written, in one spelling, and its stem.

A word of a script without spaces has no stem.
"""

from __future__ import annotations

from evocrawl.core.text.words import rough_words, runs
from evocrawl.relevance.term_frequencies import background
from evocrawl.relevance.terms import Analyser

LONGEST = 40
"""Characters of the longest word that is looked up."""


class Forms:
    """The forms of the words of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.analyser = Analyser(language)
        self._whole = Analyser(language, parts_compounds=False)

    def of_text(self, text: str) -> tuple[str, str] | None:
        """Return the form and the stem of a text of one word; None for another text.

        >>> Forms("en").of_text("Reefs"), Forms("en").of_text("coral reef")
        (('reefs', 'reef'), None)
        >>> Forms("ja").of_text("珊瑚礁")
        ('珊瑚礁', '')
        """
        rough = rough_words(text)
        found = [*runs(rough[0], self.language)] if len(rough) == 1 else []
        if len(found) != 1 or len(found[0][0]) > LONGEST:
            return None
        form, is_packed = found[0]
        return form, "" if is_packed else self.stem(form)

    def stem(self, form: str) -> str:
        """Return the stem of a word that is not packed; "" for one without."""
        terms = self._whole.terms(form)
        return terms[0] if terms else ""

    def idf(self, text: str) -> float:
        """Return how rare the words of a text are in the mean, from 0 to about 11."""
        words_of_language = background(self.language)
        idf, unknown = words_of_language.idf, words_of_language.unknown
        words = self._whole.words(text)
        weights = [idf.get(term, unknown) for word in words for term in self._whole.terms(word)]
        return sum(weights) / len(weights) if weights else unknown
