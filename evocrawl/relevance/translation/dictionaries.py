"""The dictionaries of a crawl, and the translators that they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from evocrawl.core.errors import SettingError, UnknownWordsError
from evocrawl.relevance.base import Relevance
from evocrawl.relevance.language_check import group_of, name_of
from evocrawl.relevance.translation.dictionary import Dictionary, changed_ns
from evocrawl.relevance.translation.translated import Translated
from evocrawl.relevance.translation.translator import Translator

Make: TypeAlias = Callable[[str, str], Relevance]
"""Makes a model for a query in a language."""


class Dictionaries:
    """The dictionaries in the files at `places`, for a `query` in `language`.

    Raises SettingError for a file that is no dictionary, and for a dictionary without the language
    of the query.
    """

    def __init__(self, places: Sequence[str], query: str, language: str) -> None:
        self._query = query
        self._language = language
        self._opened = [_opened(place, changed_ns(place)) for place in places]
        for each in self._opened:
            if group_of(language) not in map(group_of, each.languages):
                raise _wrong(each, language)

    def model(self, make: Make) -> Relevance:
        """Return the model, with pages in the languages of the dictionaries in its language.

        A model that has words of another language gets the query in that language, too. Raises
        what `make` raises.
        """
        try:
            made = make(self._query, self._language)
        except UnknownWordsError as error:
            translator = self._into(error.language).get(group_of(self._language))
            if not error.language or translator is None:
                raise
            return Translated(
                make(translator.text(self._query), error.language),
                self._into(error.language),
                is_of_query=False,
            )
        found = self._into(getattr(made, "needs_language", None) or "")
        return Translated(made, found) if found else made

    def _into(self, into: str) -> dict[str, Translator]:
        """Return the translators into a language, by the groups of languages that they are from."""
        found: dict[str, Translator] = {}
        for each in self._opened:
            for language, target in (each.languages, each.languages[::-1]):
                key = group_of(language)
                if into and group_of(target) == group_of(into) and key not in found:
                    found[key] = _translator(each, language, target)
        return found


@lru_cache(maxsize=8)
def _opened(place: str, changed_ns: int) -> Dictionary:  # noqa: ARG001 - a file made anew is another
    return Dictionary(place)


@lru_cache(maxsize=16)
def _translator(dictionary: Dictionary, language: str, into: str) -> Translator:
    """Return a translator; queries share the words that it knows, and the page read last."""
    return Translator(dictionary, language, into)


def _wrong(dictionary: Dictionary, language: str) -> SettingError:
    one, other = dictionary.languages
    allowed = (
        f"dictionaries of {name_of(language)}, the language of the query, and another; this one has"
        f" {name_of(one)} and {name_of(other)}: if the query is in one of these, set"
        f" language={one} or language={other}"
    )
    return SettingError("dictionaries", dictionary.place, allowed)
