"""Splits a run of letters that is written without spaces into words.

Without a dictionary each two neighbouring signs are a word. Every word of a text is found by the
pairs of signs that it consists of, but some pairs cross words. With the extra ``segmentation``
(PyICU), the dictionaries of ICU (UAX 29; ICU User Guide, "Boundary Analysis") find the words:

- Thai, Lao, Khmer, Burmese: these words take the place of the pairs;
- Chinese, Japanese: words of more than two signs are added to the pairs, which meet a word also
  where a dictionary parts its sentence otherwise (Nie, Gao, Zhang & Zhou 2000);
- Korean, Tibetan: pairs alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import regex

from evocrawl.core.text.words import pairs

_BY_PAIRS = regex.compile(r"[\p{Hangul}\p{Tibetan}]")
_BY_BOTH = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}]")
_LONG = 3

Segmenter = Callable[[str], list[str]]


def segments(run: str) -> list[str]:
    """Return the words of a packed run in their order. O(characters)."""
    by_both = _BY_BOTH.search(run)
    if (by_both and len(run) < _LONG) or _BY_PAIRS.search(run):
        return pairs(run)  # imported without the dictionaries, which take 9 MB
    segmenter = dictionaries()
    if segmenter is None:
        return pairs(run)
    if by_both:
        return pairs(run) + [word for word in segmenter(run) if len(word) >= _LONG]
    return segmenter(run)


@cache
def dictionaries() -> Segmenter | None:
    """Return the function that splits a run by ICU's dictionaries; None without PyICU."""
    try:
        import icu
    except ImportError:
        return None
    breaks = icu.BreakIterator.createWordInstance(icu.Locale.getRoot())

    def segment(run: str) -> list[str]:
        text = icu.UnicodeString(run)  # ICU counts UTF-16 units
        breaks.setText(text)
        words, start = [], 0
        for end in breaks:
            words.append(str(text[start:end]))
            start = end
        return words

    return segment
