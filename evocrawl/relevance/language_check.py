"""Checks whether a crawl's pages are in another language than its query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from evocrawl.relevance.base import Relevance

_ENOUGH = 10
_MOST = 40
_SHARE = 0.7


class LanguageCheck:
    """Counts the languages of the first pages, and gives one warning if most are foreign.

    After `_ENOUGH` pages of known language and up to `_MOST`, the warning comes when more than
    seven in ten are in one other language than `query_language` and those `understood`.
    """

    def __init__(self, query_language: str, understood: Collection[str] = ()) -> None:
        self._query_language = group_of(query_language)
        self._understood = {self._query_language, *map(group_of, understood)}
        self._pages: Counter[str] = Counter()
        self._is_done = False

    def add(self, language: str) -> str:
        """Count a page in `language`, a primary subtag; return the warning, "" for none. O(1).

        >>> check = LanguageCheck("en")
        >>> [check.add("de") for _ in range(10)][-1][:57]
        'most of the first pages are in German (de), the query is '
        """
        if self._is_done or not language:
            return ""
        self._pages[group_of(language)] += 1
        seen = self._pages.total()
        self._is_done = seen >= _MOST
        if seen < _ENOUGH:
            return ""
        other, pages = self._pages.most_common(1)[0]
        if other in self._understood or pages <= _SHARE * seen:
            return ""
        self._is_done = True
        return self._warning(other)

    def _warning(self, other: str) -> str:
        own = name_of(self._query_language)
        return (
            f"most of the first pages are in {name_of(other)}, the query is in {own}: these pages"
            f" score low. Write the query in {name_of(other)}, or start from pages in {own}; if the"
            f" query is in {name_of(other)}, set language={other}; a dictionary for both languages"
            " (option dictionaries) bridges them"
        )


def check_for(model: Relevance) -> LanguageCheck | None:
    """Return the check for a crawl with this model, None if the language does not matter.

    It matters to models with `needs_language` (`evocrawl.relevance.base.Relevance`).
    """
    needed = getattr(model, "needs_language", None)
    return LanguageCheck(needed, getattr(model, "understands", ())) if needed else None


def is_same(one: str, other: str) -> bool:
    """Return whether two codes are of one language, as "no" and "nb".

    >>> is_same("no", "nb"), is_same("no", "sv")
    (True, False)
    """
    return group_of(one) == group_of(other)


_GROUPS = {"no": "nb", "nn": "nb", "hr": "sh", "sr": "sh", "bs": "sh", "tl": "fil"}


def group_of(language: str) -> str:
    """Return one code for languages that share their word list."""
    return _GROUPS.get(language, language)


_NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech",
    "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew",
    "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "it": "Italian",
    "ja": "Japanese", "km": "Khmer", "ko": "Korean", "lo": "Lao", "lt": "Lithuanian",
    "lv": "Latvian", "nb": "Norwegian", "nl": "Dutch", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian",
    "sh": "Serbo-Croatian", "sv": "Swedish", "ta": "Tamil", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def name_of(language: str) -> str:
    """Return the English name of a language with its code, or the code alone.

    >>> name_of("de"), name_of("xx")
    ('German (de)', 'xx')
    """
    return f"{_NAMES[language]} ({language})" if language in _NAMES else language
