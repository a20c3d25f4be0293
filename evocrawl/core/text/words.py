"""Splits text of any script into words.

Words are maximal runs of letters, digits and the marks on them; everything else separates them. So
``bird's`` is ``bird`` and ``s``, ``C++`` is ``c``. Scripts that write no spaces between words
(Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan), and Korean, which attaches particles to the
noun, give every pair of neighbouring signs; a run of one sign gives that sign (as in Lucene's
CJKAnalyzer). A sign is what a reader sees as one: a letter with its marks (an extended grapheme
cluster of UAX 29), in Khmer and Burmese with the letters below it, in Tibetan a syllable.

No pair crosses from hiragana to katakana, or from a particle of one hiragana sign (``の``, ``は``)
to a sign of another script, and a particle between two of these gives nothing: it names no topic,
but its pairs would be rare (Savoy 2005, Comparative study of monolingual and multilingual search
models for use with Asian languages, leaves all hiragana out; many words are written in it alone).

The script decides which rule applies, not the language, so text of several scripts is split well.
All parts of evocrawl that compare words use this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import regex

from evocrawl.core.text.spelling import spelt

PART = 1_000
"""Characters of a word that are read at once. Normalisation takes quadratic time for thousands of
marks on one letter, and makes eighteen characters from one like U+FDFA."""

_PACKED_SCRIPTS = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Bopomofo}\p{Hangul}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
)
_PACKED = rf"[[{_PACKED_SCRIPTS}]&&[\p{{L}}\p{{M}}\p{{N}}]]"
_RUN = regex.compile(
    rf"(?P<packed>{_PACKED}[{_PACKED}\p{{M}}]*)"
    rf"|[[\p{{L}}\p{{N}}]--[{_PACKED_SCRIPTS}]][[\p{{L}}\p{{N}}\p{{M}}]--[{_PACKED_SCRIPTS}]]*",
    regex.V1,
)
_ONE_PACKED = regex.compile(rf"{_PACKED}\p{{M}}*", regex.V1)
_SIGN = regex.compile(r"\p{Tibetan}+|\X(?:(?<=[\u17d2\u1039])\X)*")
_HIRAGANA = regex.compile(r"\p{Hiragana}")
_PARTICLES = "のはをにへがでともやな"
_NO_VERB = "(?![がも][らりるれろっ]|や[さしすせ]|な[いうえかくわ])"
"""Not at the ending of a word such as ``上がる``, ``増やす``, ``少ない``."""
_JAPANESE_EDGE = regex.compile(
    rf"(?<=[\p{{Han}}\p{{Katakana}}\u30fc])(?=[{_PARTICLES}]){_NO_VERB}"
    rf"|(?<=[{_PARTICLES}])(?=[\p{{Han}}\p{{Katakana}}])"
    r"|(?<=\p{Hiragana})(?=\p{Katakana})|(?<=\p{Katakana}\u30fc?)(?=\p{Hiragana})",
    regex.V1,
)

# One pass over UTF-8 bytes: ASCII letters to lower case, other ASCII but digits to a space.
# Bytes of other characters pass unchanged; they are read only in words seen for the first time.
_ASCII_WORDS = bytes(
    byte if byte >= 128 else ord(chr(byte).lower()) if chr(byte).isalnum() else ord(" ")
    for byte in range(256)
)


def rough_words(text: str) -> list[str]:
    """Return the rough words of any `text`: words that are not ASCII are not yet split. O(n)."""
    return text.encode("utf-8", "replace").translate(_ASCII_WORDS).decode().split()


_BETWEEN = "\0"
_KEEPS_BETWEEN = bytes(byte if byte == 0 else _ASCII_WORDS[byte] for byte in range(256))


def rough_words_of_each(texts: Sequence[str]) -> list[list[str]]:
    """Return the rough words of each text, as `rough_words` does, in fewer calls. O(characters).

    >>> rough_words_of_each(["Deep-sea mining", "", "reef"])
    [['deep', 'sea', 'mining'], [], ['reef']]
    """
    if not texts:
        return []
    joined = _BETWEEN.join(texts).encode("utf-8", "replace").translate(_KEEPS_BETWEEN).decode()
    parts = joined.split(_BETWEEN)
    if len(parts) > len(texts):  # a text has the sign that is put between texts
        return [*map(rough_words, texts)]
    return [part.split() for part in parts]


def rough_words_of_bytes(raw: bytes) -> list[bytes]:
    """Return the rough words of a text in UTF-8, as `rough_words` does. O(n)."""
    return raw.translate(_ASCII_WORDS).split()


def whole_words(text: str) -> list[tuple[str, bool]]:
    """Return the runs of letters of a text in one spelling, and whether they are packed.

    >>> whole_words("Deep-sea 深海采矿")
    [('deep', False), ('sea', False), ('深海采矿', True)]
    """
    return [run for rough in rough_words(text)
            for run in (((rough, False),) if rough.isascii() else runs(rough))]  # fmt: skip


def runs(rough: str, language: str = "") -> Iterator[tuple[str, bool]]:
    """Yield the runs of letters of a rough word in one spelling, and whether they are packed.

    A packed run is written in a script without spaces, and has one word or many.

    >>> [*runs("深海mining研究")]
    [('深海', True), ('mining', False), ('研究', True)]
    """
    for start in range(0, len(rough), PART):
        for run in _RUN.finditer(spelt(rough[start : start + PART], language)[: 2 * PART]):
            yield run[0], run["packed"] is not None


def pairs(run: str) -> list[str]:
    """Return all pairs of neighbouring signs of a packed run, or its only sign.

    >>> pairs("深海采矿"), pairs("鲸"), pairs("サンゴの白化")
    (['深海', '海采', '采矿'], ['鲸'], ['サン', 'ンゴ', '白化'])
    """
    if _HIRAGANA.search(run) is None:
        return _pairs(run)
    parts = [part for part in _JAPANESE_EDGE.split(run) if part not in _PARTICLES]
    return [pair for part in parts for pair in _pairs(part)] or _pairs(run)


def _pairs(run: str) -> list[str]:
    found = signs(run)
    return ["".join(two) for two in pairwise(found)] if len(found) > 1 else found


def signs(run: str) -> list[str]:
    """Return the signs of a packed run, each a letter with the marks on it and letters below it.

    >>> signs("น้ำ")
    ['น้ำ']
    """
    found: list[str] = _SIGN.findall(run)
    return found


def is_one_sign(term: str) -> bool:
    """Return whether a term is a single sign of a script without spaces."""
    return _ONE_PACKED.fullmatch(term) is not None


def words(text: str) -> list[str]:
    """Return the words of a text in one spelling, whole, whichever language it is in.

    >>> words("Deep-sea 深海采矿 co\\u0301ral")
    ['deep', 'sea', '深海', '海采', '采矿', 'córal']
    """
    return rough_words(text) if text.isascii() else [*iter_words(text)]


def iter_words(text: str) -> Iterator[str]:
    """Yield the words of a text one by one, as `words` gives them; those in ASCII need no work."""
    for rough in rough_words(text):
        if rough.isascii():
            yield rough
        else:
            yield from _parts(rough)


def _parts(rough: str) -> Iterator[str]:
    for run, is_packed in runs(rough):
        if is_packed:
            yield from pairs(run)
        else:
            yield run
