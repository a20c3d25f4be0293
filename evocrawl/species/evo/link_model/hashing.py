"""Converts the words of links and pages to numbers.

A word is hashed by CRC-32 to a bucket in [1, 65536); 0 stands for "no word". The first words of a
link's anchor, context and tag path count, and the last words of its URL. In each field the bucket
is XORed with a constant of the field, so that "fossil" in an anchor and in a URL are two numbers;
`plain` converts both to the number of the word in the text of a page.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from unicodedata import normalize
from urllib.parse import unquote, urlsplit
from zlib import crc32

import numpy as np
import numpy.typing as npt
import regex

BUCKETS = 1 << 16
PAGE_WORDS = 128
"""Number of words kept of a page: the most frequent ones."""

_PACKED = (
    r"[\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Bopomofo}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
)
"""Scripts without spaces between words."""
_RUN = regex.compile(
    rf"(?P<packed>{_PACKED}[{_PACKED}\p{{M}}]*)|[[\p{{L}}\p{{N}}]--{_PACKED}][[\p{{L}}\p{{N}}\p{{M}}]--{_PACKED}]*",
    regex.V1,
)
_SIGN = regex.compile(r"\X")
_INVISIBLE = regex.compile(r"[\p{Cf}\u034f\ufe00-\ufe0f]+")
_LETTER_BY_LETTER = regex.compile(r"[\p{Khmer}\p{Lao}\p{Myanmar}\p{Tibetan}\p{M}]+")
_LONGEST_WORD = 12
"""Greatest length of a word in Khmer, Lao, Burmese or Tibetan."""
_LONGEST_FIELD = 400
_LONGEST_PAGE = 4_000
_LONGEST_KNOWN = 40
_KNOWN_WORDS = 10_000
_SECOND = itemgetter(1)
_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]*)?((?:/[^?#]*)?)(?:\?([^#]*))?(?:#.*)?")
"""URLs that can be split without `urlsplit`."""
_ENDING = re.compile(r"\.(?:x?html?|php|aspx?)\Z|/index\.[a-z]+\Z", re.IGNORECASE)

Ids = npt.NDArray[np.uint16]
Reals = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Field:
    """A part of a link that has up to `width` words, whose buckets are XORed with `mark`."""

    width: int
    mark: int


ANCHOR, CONTEXT = Field(6, 0x0000), Field(10, 0x55A1)
TAGS, URL = Field(2, 0x3C6E), Field(6, 0xA35B)
LINK_WIDTH = ANCHOR.width + CONTEXT.width + TAGS.width
"""Columns of a link's own words, in this order; those of the URL are its target's."""
ANCHOR_COLUMNS = slice(0, ANCHOR.width)
CONTEXT_COLUMNS = slice(ANCHOR.width, ANCHOR.width + CONTEXT.width)
URL_COLUMNS = slice(LINK_WIDTH, LINK_WIDTH + URL.width)
_LINK_MARKS = np.repeat(
    np.array([ANCHOR.mark, CONTEXT.mark, TAGS.mark], np.uint16),
    [ANCHOR.width, CONTEXT.width, TAGS.width],
)
_URL_MARKS = np.full(URL.width, URL.mark, np.uint16)
_MARKS = np.concatenate((_LINK_MARKS, _URL_MARKS))
WIDTH = len(_MARKS)
"""Columns of a link's words with those of its target's URL."""

_NO_WORDS = [""] * WIDTH

_ASCII_WORDS = bytes(
    byte if byte >= 128 or chr(byte).isalnum() else ord(" ") for byte in range(256)
)


class Hasher(dict[str, int]):
    """Caches the numbers of words; bounded, since a crawl always meets new words."""

    def __missing__(self, word: str) -> int:
        """Return the bucket of a word in [1, BUCKETS), the same in every process; 0 for ""."""
        if not word:
            return 0
        bucket = crc32(_singular(word).encode(errors="replace")) % (BUCKETS - 1) + 1
        if len(word) <= _LONGEST_KNOWN:
            if len(self) >= _KNOWN_WORDS:
                self.clear()
            self[word] = bucket
        return bucket

    def links(self, texts: Iterable[tuple[str, str, str]]) -> Ids:
        """Return the first distinct words of each field of links, shape (n, LINK_WIDTH).

        A link is given by its anchor, context and tag path.
        """
        words = list[str]()
        read, paths = dict[str, list[str]](), dict[str, list[str]]()
        for anchor, context, tag_path in texts:
            anchors = split(anchor[:_LONGEST_FIELD])
            # Neighbouring links often have the same context and path.
            around = read.get(context)
            if around is None:
                around = read[context] = split(context[:_LONGEST_FIELD])
            path = paths.get(tag_path)
            if path is None:
                path = paths[tag_path] = _padded(_paths(tag_path), TAGS.width)
            words += _padded(anchors, ANCHOR.width)
            words += _padded(_around(anchors, around), CONTEXT.width)
            words += path
        return self._marked(words, _LINK_MARKS)

    def urls(self, texts: Iterable[str]) -> Ids:
        """Return the last words of readable URLs, shape (n, URL.width)."""
        words = list[str]()
        for text in texts:
            words += _padded(split(text)[-URL.width :], URL.width)
        return self._marked(words, _URL_MARKS)

    def page(self, title: str, text: str) -> tuple[Ids, Reals]:
        """Return a page's most frequent words, shape (PAGE_WORDS,), and weights of length 1.

        The weight of a word with n mentions is 1 + ln n; a mention in the title counts three times.
        Zeros for a page without words. O(characters), of at most 4000.
        """
        counts = Counter(map(self.__getitem__, split(text[:_LONGEST_PAGE])))
        for word in split(title[:_LONGEST_FIELD]):
            counts[self[word]] += 3
        kept = sorted(counts.items(), key=_SECOND, reverse=True)[:PAGE_WORDS]
        ids, weights = np.zeros(PAGE_WORDS, np.uint16), np.zeros(PAGE_WORDS, np.float32)
        if kept:
            numbers, times = zip(*kept, strict=True)
            ids[: len(kept)] = numbers
            heavy = 1 + np.log(times)
            weights[: len(kept)] = heavy / math.sqrt(heavy @ heavy)
        return ids, weights

    def _marked(self, words: list[str], marks: Ids) -> Ids:
        """Return the buckets of words with the marks of their fields, shape (n, len(marks))."""
        plain = np.frombuffer(array("H", map(self.__getitem__, words)), np.uint16)
        plain = plain.reshape(-1, len(marks))
        marked = plain ^ marks
        marked[marked == 0] = 1
        marked[plain == 0] = 0
        return marked


def plain(words: Ids) -> Ids:
    """Return the buckets of links' words without the marks, shape (n, WIDTH); 0 stays 0."""
    return np.where(words > 0, words ^ _MARKS, np.uint16(0))


def readable(url: str) -> str:
    """Return decoded path and query of a `url`, without the extension of pages; "" if malformed."""
    if not url.isprintable():
        return ""
    plain = _PLAIN_URL.fullmatch(url[:_LONGEST_FIELD])
    if plain is not None:
        path, query = plain[1], plain[2] or ""
    else:
        try:
            parts = urlsplit(url[:_LONGEST_FIELD])
        except ValueError:
            return ""
        path, query = parts.path, parts.query
    if "." in path:
        path = _ENDING.sub("", path)
    return unquote(f"{path} {query}".replace("_", " "))


def split(text: str) -> list[str]:
    """Return the words of a text in lower case: its runs of letters, digits and combining marks.

    In a script without spaces, each two neighbouring characters are a word.

    >>> split("Deep-sea 深海采矿 co\\u0301ral")
    ['deep', 'sea', '深海', '海采', '采矿', 'córal']
    """
    text = text.lower()
    # Bytes are far faster to scan than characters; other than ASCII text is scanned afterwards.
    rough = text.encode("utf-8", "surrogatepass").translate(_ASCII_WORDS)
    words = rough.decode("utf-8", "surrogatepass").split()
    if text.isascii():
        return words
    return [part for word in words for part in ((word,) if word.isascii() else _parts(word))]


def _parts(rough: str) -> list[str]:
    """Return the words of a text without ASCII separators."""
    words = []
    for run in _RUN.finditer(normalize("NFC", _INVISIBLE.sub("", rough).replace("i\u0307", "i"))):
        if not run["packed"]:
            words.append(run[0])
            continue
        signs = _SIGN.findall(run[0])
        is_word = len(run[0]) <= _LONGEST_WORD and _LETTER_BY_LETTER.fullmatch(run[0])
        if is_word or len(signs) < 2:
            words.append(run[0])
        else:
            words += map("".join, pairwise(signs))
    return words


def _around(anchors: list[str], context: list[str]) -> list[str]:
    """Return the words of the context that are not in the anchor, from the middle outwards."""
    in_anchor = set(anchors)
    words = [word for word in context if word not in in_anchor]
    start = max((len(words) - CONTEXT.width) // 2, 0)
    return words[start : start + CONTEXT.width]


def _padded(words: list[str], width: int) -> list[str]:
    """Return the first `width` distinct words, padded with ""."""
    row = [*dict.fromkeys(words)][:width]
    return row + _NO_WORDS[len(row) : width]


def _paths(tag_path: str) -> list[str]:
    """Return the last two and the last four elements of a tag path."""
    tags = tag_path[-_LONGEST_FIELD:].rsplit("/", 4)
    return ["/".join(tags[-2:]), "/".join(tags[-4:])] if tag_path else []


def _singular(word: str) -> str:
    """Remove the s of a plural: a rough rule, also for names."""
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word
