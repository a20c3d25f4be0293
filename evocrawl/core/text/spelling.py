"""Gives each word one spelling: removes differences that writers of a language may choose.

====================  ==========================================================================
all scripts           soft hyphens, zero-width and direction characters go (they join);
                      Unicode NFKC; full case folding (``Straße`` is ``strasse``, ``ς`` is ``σ``);
                      decimal digits of any script are 0 to 9
Latin                 ``İ`` is ``i``; in Turkish and Azerbaijani ``I`` is ``ı``
Greek                 tonos and other accents go
Cyrillic              stress marks go; ``ё`` is ``е`` (Belarusian keeps it)
Arabic                tatweel and harakat go; alef with hamza or madda is alef; ZWNJ separates
                      words, as in Lucene's PersianAnalyzer; ``ي ى ک ك`` as the language has them
Hebrew                points and cantillation go, but that for u is the letter vav, as in text
                      without points; maqaf separates words
Indic                 nukta goes in Devanagari and Gurmukhi; ZWJ and ZWNJ join; candrabindu, and
                      a nasal before a consonant of its class, is anusvara (``हिन्दी`` is
                      ``हिंदी``); chillu and khanda ta are single letters
====================  ==========================================================================

`without_accents` removes differences that writers may choose in some languages only. Sources:
Lucene's ArabicNormalizer, PersianNormalizer, IndicNormalizer and HindiNormalizer; the Unicode
Standard.
"""

from __future__ import annotations

import unicodedata

import regex

_MOST = 2_000
_JOINTS = dict.fromkeys(
    map(
        ord,
        "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
        "\u2060\u2061\u2062\u2063\u2064\u2065\u2066\u2067\u2068\u2069\ufe00\ufe01\ufe02\ufe03\ufe04"
        "\ufe05\ufe06\ufe07\ufe08\ufe09\ufe0a\ufe0b\ufe0c\ufe0d\ufe0e\ufe0f\ufeff",
    )
)
_BEFORE_JOINTS = tuple(
    (f"{letter}\u200d", one)
    for letter, one in (
        ("\u09a4\u09cd", "\u09ce"),  # Bengali khanda ta
        ("\u0d23\u0d4d", "\u0d7a"),  # Malayalam chillu letters
        ("\u0d28\u0d4d", "\u0d7b"),
        ("\u0d30\u0d4d", "\u0d7c"),
        ("\u0d32\u0d4d", "\u0d7d"),
        ("\u0d33\u0d4d", "\u0d7e"),
        ("\u0d15\u0d4d", "\u0d7f"),
    )
)
_SPLITS_ARABIC = regex.compile(r"(?<=\p{Arabic})\u200c+(?=\p{Arabic})")

_HAS_RULES = regex.compile(
    r"[\p{Greek}\p{Cyrillic}\p{Arabic}\p{Hebrew}\u0900-\u0d7f]|[\p{Nd}--0-9]", regex.V1
)
_GREEK = regex.compile(r"\p{Greek}")
_MARKS = regex.compile(r"\p{Mn}+")
_STRESS = regex.compile(r"(?<=\p{Cyrillic})[\u0300\u0301]+")
_ARABIC = regex.compile(r"\p{Arabic}")
_HARAKAT = regex.compile(r"[\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u08d3-\u08ff]+")
_ALEF = dict.fromkeys(map(ord, "أإآٱ"), "ا")
_PERSIAN_LETTERS = {ord("ي"): "ی", ord("ى"): "ی", ord("ك"): "ک", ord("ة"): "ه", ord("ۀ"): "ه"}
_ARABIC_LETTERS = {ord("ی"): "ي", ord("ک"): "ك"}
_ONE_ARABIC = {ord("ى"): "ي", ord("ة"): "ه", **_ARABIC_LETTERS}
_PERSIAN = frozenset(("fa", "ur", "ps", "ug", "ckb", "sd"))
_HEBREW_U = "\u05bb"
_HEBREW = regex.compile(r"[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]+")
_INDIC = regex.compile(r"[\u0900-\u0d7f]")
_NUKTA = regex.compile("[\u093c\u0a3c]+")
_ANUSVARA = regex.compile(
    "\u0901|\u0919\u094d(?=[\u0915-\u0918])|\u091e\u094d(?=[\u091a-\u091d])"
    "|\u0923\u094d(?=[\u091f-\u0922])|\u0928\u094d(?=[\u0924-\u0927])|\u092e\u094d(?=[\u092a-\u092d])"
)
_DIGIT = regex.compile(r"[\p{Nd}--0-9]", regex.V1)
_LATIN_MARKS = regex.compile(r"(?<=\p{Latin})\p{Mn}+")
_STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d",
     "ə": "e", "ŧ": "t", "ŋ": "n", "ĸ": "k"}
)  # fmt: skip


def spelt(word: str, language: str = "") -> str:
    """Return any word in one spelling, in NFKC; it may then hold a space. O(characters).

    `language` is a primary subtag. Input of more than some thousand characters is cut.

    >>> [spelt(word) for word in ("Straße", "ＦＵＬＬ", "ΚΟΡΆΛΛΙΑ", "ещё", "كِتَـاب", "हिन्दी")]
    ['strasse', 'full', 'κοραλλια', 'еще', 'كتاب', 'हिंदी']
    """
    if "\u200d" in word:
        for written, letter in _BEFORE_JOINTS:
            word = word.replace(written, letter)
    if "\u200c" in word:
        word = _SPLITS_ARABIC.sub(" ", word)
    word = unicodedata.normalize("NFKC", word.translate(_JOINTS))[:_MOST]
    word = unicodedata.normalize("NFD", word.casefold()).replace("i\u0307", "i")
    if _HAS_RULES.search(word) is None:
        return unicodedata.normalize("NFKC", word)
    if _GREEK.search(word):
        word = _MARKS.sub("", word)
    return _by_script(unicodedata.normalize("NFKC", word), language)


def plain_arabic(term: str) -> str:
    """Return a term with one letter for yeh, for kaf and for final heh, after it was stemmed.

    The stemmers of Arabic and of Persian expect the letters of their own language.
    """
    return term.translate(_ONE_ARABIC)


def without_accents(word: str, keep: str = "") -> str:
    """Return a word without the marks and strokes on Latin letters, except the letters in `keep`.

    >>> without_accents("malmö"), without_accents("smörgås à la", "åäö")
    ('malmo', 'smörgås a la')
    """
    if word.isascii():
        return word
    kept = frozenset(keep)
    if not kept.isdisjoint(word):
        return "".join(
            letter if letter in kept else without_accents(letter)
            for letter in unicodedata.normalize("NFC", word)
        )
    bare = _LATIN_MARKS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFKC", bare.translate(_STROKES))


def _by_script(word: str, language: str) -> str:
    if _ARABIC.search(word):
        word = _HARAKAT.sub("", word).translate(_ALEF)
        word = word.translate(_PERSIAN_LETTERS if language in _PERSIAN else _ARABIC_LETTERS)
    word = _HEBREW.sub("", word.replace(_HEBREW_U, "ו"))
    if _INDIC.search(word):
        word = _ANUSVARA.sub("\u0902", _NUKTA.sub("", unicodedata.normalize("NFD", word)))
        word = unicodedata.normalize("NFKC", word)
    word = _STRESS.sub("", word)
    if language != "be":
        word = word.replace("ё", "е")
    word = _DIGIT.sub(lambda found: str(unicodedata.decimal(found[0], found[0])), word)
    return unicodedata.normalize("NFKC", word)
