"""The words of links and pages as numbers.

A word is hashed by CRC-32 to a bucket in [1, 65536); 0 stands for "no word". Of a link's
anchor, context, tag path and URL the first words count, or the last ones of the URL. In each
field a bucket is XORed with a constant of the field, so that "fossil" in an anchor and in a URL
are two numbers, and `plain` turns either back into the number that a page's text has for it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from operator import itemgetter
from urllib.parse import unquote, urlsplit
from zlib import crc32

import numpy as np
import numpy.typing as npt

BUCKETS = 1 << 16
PAGE_WORDS = 128
"""Different words of a page that are kept, the most frequent ones."""

_WORD = re.compile(r"[^\W_]+")
_LONGEST_FIELD = 400
_LONGEST_PAGE = 4_000
_LONGEST_KNOWN = 40
_KNOWN_WORDS = 100_000
_SECOND = itemgetter(1)
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


class Hasher(dict[str, int]):
    """Numbers words, remembering those met; bounded, since a crawl meets ever new ones."""

    def __missing__(self, word: str) -> int:
        """Return the bucket of a word in [1, BUCKETS), the same in every process."""
        bucket = crc32(_singular(word).encode(errors="replace")) % (BUCKETS - 1) + 1
        if len(word) <= _LONGEST_KNOWN:
            if len(self) >= _KNOWN_WORDS:
                self.clear()
            self[word] = bucket
        return bucket

    def link(self, anchor: str, context: str, tag_path: str) -> list[int]:
        """Return the words of a link, `LINK_WIDTH` numbers: each field's first ones, each once."""
        anchors = _split(anchor[:_LONGEST_FIELD])
        around = _around(anchors, context)
        tags = tag_path[-_LONGEST_FIELD:].rsplit("/", 4)
        paths = ["/".join(tags[-2:]), "/".join(tags[-4:])] if tag_path else []
        return self._fill(ANCHOR, anchors) + self._fill(CONTEXT, around) + self._fill(TAGS, paths)

    def url(self, words: str) -> list[int]:
        """Return the last words of a readable URL, `URL.width` numbers."""
        return self._fill(URL, _split(words)[-URL.width :])

    def page(self, title: str, text: str) -> tuple[Ids, Reals]:
        """Return a page's most frequent words, shape (PAGE_WORDS,), and weights of length 1.

        A weight is 1 + ln n for n mentions, one in the title counting three times. No words:
        zeros. O(characters), at most 4000 of them.
        """
        counts = Counter([self[word] for word in _split(text[:_LONGEST_PAGE])])
        for word in _split(title[:_LONGEST_FIELD]):
            counts[self[word]] += 3
        kept = sorted(counts.items(), key=_SECOND, reverse=True)[:PAGE_WORDS]
        ids, weights = np.zeros(PAGE_WORDS, np.uint16), np.zeros(PAGE_WORDS, np.float32)
        if kept:
            numbers, times = zip(*kept, strict=True)
            ids[: len(kept)] = numbers
            heavy = 1 + np.log(times)
            weights[: len(kept)] = heavy / math.sqrt(heavy @ heavy)
        return ids, weights

    def _fill(self, field: Field, words: list[str]) -> list[int]:
        row = [self[word] ^ field.mark or 1 for word in dict.fromkeys(words)][: field.width]
        return row + [0] * (field.width - len(row))


def plain(words: Ids, field: Field) -> Ids:
    """Return the buckets of a field's words as pages have them; 0 stays 0."""
    return np.where(words > 0, words ^ np.uint16(field.mark), np.uint16(0))


def readable(url: str) -> str:
    """Return path and query of any `url`, decoded, its ending apart; "" where it is malformed."""
    if not url.isprintable():
        return ""
    try:
        parts = urlsplit(url[:_LONGEST_FIELD])
    except ValueError:
        return ""
    path = _ENDING.sub("", parts.path)
    return unquote(f"{path} {parts.query}".replace("_", " "))


def _around(anchors: list[str], context: str) -> list[str]:
    """The words of the context that are not in the anchor, from the middle of them outwards."""
    words = [word for word in _split(context[:_LONGEST_FIELD]) if word not in anchors]
    start = max((len(words) - CONTEXT.width) // 2, 0)
    return words[start : start + CONTEXT.width]


def _split(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _singular(word: str) -> str:
    """Take a plural's s off: rough, but it serves names as well as words."""
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word
