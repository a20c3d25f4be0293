"""Translates texts word by word.

A word is looked up as it is written, then by its stem, then, if it is a compound, by its parts. A
word that the dictionary lacks stays as it is, since it is often a name or of both languages; one
that nearly every text has is left out. In a script without spaces the longest word that the
dictionary has is taken from each place on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from evocrawl.core.model import Content
from evocrawl.core.text.words import runs
from evocrawl.relevance.reading import LONGEST_TEXT
from evocrawl.relevance.term_frequencies import background
from evocrawl.relevance.terms import LONGEST_KNOWN_WORD
from evocrawl.relevance.translation.dictionary import STEM, Dictionary
from evocrawl.relevance.translation.forms import Forms

_KNOWN = 50_000
_LONGEST_PACKED = 8
"""Signs of the longest word of a script without spaces that is looked up."""


class Translator:
    """Translates from `language` into `into` by a dictionary between the two."""

    def __init__(self, dictionary: Dictionary, language: str, into: str) -> None:
        self.language = language
        self.into = into
        self._forms = Forms(language)
        self._words = _Known(self._of_rough)
        self._packed = _Known(lambda word: dictionary.find(language, word))
        self._dictionary = dictionary
        self._last: tuple[Content, Content] | None = None

    def content(self, content: Content) -> Content:
        """Return a page in the other language; the same object for the page asked for last."""
        last = self._last
        if last is not None and last[0] is content:
            return last[1]
        found = Content(
            self.text(content.title[:LONGEST_TEXT]),
            self.text(content.text[:LONGEST_TEXT]),
            self.into,
            content.formats,
            content.age_s,
        )
        self._last = content, found
        return found

    def text(self, text: str) -> str:
        """Return a text in the other language, without its punctuation. O(characters)."""
        words = self._forms.analyser.words(text)
        return " ".join(filter(None, map(self._words.__getitem__, words)))

    def _of_rough(self, rough: str) -> str:
        if rough.isdecimal():
            return rough
        found = [self._of_packed(run) if is_packed else self._of_word(run)
                 for run, is_packed in runs(rough, self.language)]  # fmt: skip
        return " ".join(filter(None, found))

    def _of_word(self, word: str) -> str:
        stem = self._forms.stem(word)
        found = self._find(word) or self._find(STEM + stem)
        if found is not None:
            return found
        parts = (self._find(STEM + each) for each in self._forms.analyser.terms(word)[1:])
        return " ".join(filter(None, parts)) or ("" if stem in self._common else word)

    def _of_packed(self, run: str) -> str:
        found, at = [], 0
        while at < len(run):
            for end in range(min(len(run), at + _LONGEST_PACKED), at, -1):
                translation = self._packed[run[at:end]]
                if translation is not None:
                    found.append(translation)
                    break
            at = end  # that of the word, or of the one sign without a translation
        return " ".join(found)

    def _find(self, form: str) -> str | None:
        return self._dictionary.find(self.language, form)

    @cached_property
    def _common(self) -> frozenset[str]:
        return background(self.language).common


class _Known(dict[str, str | None]):
    """What words met so far mean; their number is bounded, since a crawl always meets new ones."""

    def __init__(self, find: Callable[[str], str | None]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, word: str) -> str | None:
        found = self._find(word)
        if len(word) <= LONGEST_KNOWN_WORD:
            if len(self) >= _KNOWN:
                self.clear()
            self[word] = found
        return found
