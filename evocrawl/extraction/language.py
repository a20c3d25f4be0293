"""Detects the language of a page from its declaration, or else from its text."""

from __future__ import annotations

import re

from resiliparse.parse.lang import detect_fast

from evocrawl.core.text.scripts import language_by_script

_TAG = re.compile(r"[a-z]{2,3}(?=$|[-_,; ])")
_SAMPLE_CHARS = 2_000
_FEW_CHARS = 400
_FEW_LETTERS = 10
"""With fewer letters of Latin script, the language is unknown."""
_FOREIGN_SHARE = 0.3
"""A lower share of Japanese letters does not count: English texts about Japan have some."""
_KANA = re.compile("[\u3041-\u30ff]")
_KANA_SHARE = 0.03
_SHARED = frozenset(("ar", "fa", "hi", "ru", "uk"))
"""Languages that share their script with others: in a longer text, the words decide."""


def language_of(declared: str, text: str) -> str:
    """Return a primary code such as "en", "" when unknown.

    `declared` is the language tag of a page or a header. Without one, the script decides if only
    one language is written in it, in a text of any length; otherwise profiles of letter groups.

    >>> language_of("pt-BR", ""), language_of("", "深海采矿"), language_of("", "x 1")
    ('pt', 'zh', '')
    """
    match = _TAG.match(declared.strip().lower())
    if match:
        return match.group()
    letters = "".join(filter(str.isalpha, text[:_FEW_CHARS]))
    by_script = _by_script(letters)
    if by_script and by_script not in _SHARED:
        return by_script
    if len(letters) < _FEW_LETTERS:
        return by_script
    found, _ = detect_fast(text[:_SAMPLE_CHARS])
    return by_script if found == "unknown" else str(found)


def _by_script(letters: str) -> str:
    if letters.isascii():
        return ""
    foreign = "".join(letter for letter in letters if letter > "\u024f")
    if len(foreign) <= _FOREIGN_SHARE * len(letters):
        return ""
    language = language_by_script(foreign)
    if language == "ja" and len(_KANA.findall(foreign)) <= _KANA_SHARE * len(foreign):
        language = language_by_script(_KANA.sub("", foreign))
    return language
