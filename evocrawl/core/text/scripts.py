"""Guesses a language from the script of a text."""

from __future__ import annotations

import regex

_LANGUAGE_OF_SCRIPT = tuple(
    (regex.compile(script), language)
    for script, language in (
        (r"[\p{Hiragana}\p{Katakana}]", "ja"),
        (r"\p{Han}", "zh"),
        (r"\p{Hangul}", "ko"),
        (r"\p{Thai}", "th"),
        (r"\p{Lao}", "lo"),
        (r"\p{Khmer}", "km"),
        (r"\p{Myanmar}", "my"),
        (r"\p{Tibetan}", "bo"),
        (r"[іїєґ]", "uk"),
        (r"\p{Cyrillic}", "ru"),
        (r"\p{Greek}", "el"),
        (r"[ٹڈڑےں]", "ur"),
        (r"[پچژگیک]", "fa"),
        (r"\p{Arabic}", "ar"),
        (r"\p{Hebrew}", "he"),
        (r"\p{Devanagari}", "hi"),
        (r"\p{Bengali}", "bn"),
        (r"\p{Tamil}", "ta"),
        (r"\p{Telugu}", "te"),
        (r"\p{Kannada}", "kn"),
        (r"\p{Malayalam}", "ml"),
        (r"\p{Gujarati}", "gu"),
        (r"\p{Gurmukhi}", "pa"),
        (r"\p{Sinhala}", "si"),
        (r"\p{Armenian}", "hy"),
        (r"\p{Georgian}", "ka"),
        (r"\p{Ethiopic}", "am"),
    )
)


def language_by_script(text: str) -> str:
    """Return the likeliest language of a few words by their script; "" for Latin and unknown ones.

    >>> language_by_script("深海采矿"), language_by_script("глубина"), language_by_script("deep")
    ('zh', 'ru', '')
    """
    lower = text.lower()
    return next((language for script, language in _LANGUAGE_OF_SCRIPT if script.search(lower)), "")
