"""Converts the words of links and pages to numbers.

Texts are read as the relevance models read them (`evocrawl.relevance.terms`). A term is hashed by
CRC-32 to a bucket in [1, 65536); 0 stands for "no word". The first terms of a link's anchor,
context and tag path count, and the last terms of its URL. In each field the bucket is XORed with a
constant of the field, so that "fossil" in an anchor and in a URL are two numbers; `plain` converts
both to the number of the word in the text of a page.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol
from zlib import crc32

import numpy as np
import numpy.typing as npt

BUCKETS = 1 << 16
PAGE_WORDS = 128
"""Number of words kept of a page: the most frequent ones."""

_LONGEST_FIELD = 400
_LONGEST_PAGE = 4_000
_LONGEST_KNOWN = 40
_KNOWN_WORDS = 20_000
_SECOND = itemgetter(1)

Ids = npt.NDArray[np.uint16]
Reals = npt.NDArray[np.float32]
OnWord = Callable[[str, int], None]


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
TERM = "\0"
"""Begins the key of a term. The key of a word that has one term is the word as it is written."""


class Reader(Protocol):
    """Reads texts by the rules of the query's language: `evocrawl.relevance.terms.Analyser`."""

    parts_compounds: bool
    """Whether a word in ASCII may have more than one term."""

    def words(self, text: str) -> list[str]:
        """Return the words of a text, rough."""

    def terms(self, word: str) -> tuple[str, ...]:
        """Return the terms of a rough word in their order."""

    def terms_once(self, word: str) -> tuple[str, ...]:
        """Return the same for a caller that remembers them."""


class Hasher(dict[str, int]):
    """Caches the numbers of terms; bounded, since a crawl always meets new words.

    When the cache is full, its words become those of the time before, from which words that occur
    again are taken over. `on_word` gets each key and its bucket when the key is met: the first
    time, and at times again.
    """

    of_run = ("_before",)
    """Attributes that are no part of a snapshot."""

    def __init__(self, reader: Reader, on_word: OnWord | None = None) -> None:
        super().__init__({"": 0})
        self._reader = reader
        self._on_word = on_word
        self._before: dict[str, int] = {}

    def __missing__(self, key: str) -> int:
        """Return the bucket of a key in [1, BUCKETS), the same in every process; 0 for ""."""
        bucket = self._before.get(key)
        if bucket is None:
            bucket = self._bucket(key)
        if len(key) <= _LONGEST_KNOWN:
            if len(self) >= _KNOWN_WORDS:
                self._before = dict(self)
                self.clear()
                self[""] = 0
            self[key] = bucket
        return bucket

    def _bucket(self, key: str) -> int:
        if not key:
            return 0
        term = key[1:] if key[0] == TERM else self._reader.terms_once(key)[0]
        bucket = crc32(term.encode(errors="replace")) % (BUCKETS - 1) + 1
        if self._on_word is not None:
            self._on_word(key, bucket)
        return bucket

    def links(self, texts: Iterable[tuple[str, str, str]]) -> Ids:
        """Return the words of links, given by anchor, context and tag path: each field's first
        ones, each once; shape (n, LINK_WIDTH).
        """
        words = list[str]()
        read, paths = dict[str, list[str]](), dict[str, list[str]]()
        for anchor, context, tag_path in texts:
            anchors = self.keys_of(anchor[:_LONGEST_FIELD])
            # Neighbouring links often have the same context and path.
            around = read.get(context)
            if around is None:
                around = read[context] = self.keys_of(context[:_LONGEST_FIELD])
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
            words += _padded(self.keys_of(text)[-URL.width :], URL.width)
        return self._marked(words, _URL_MARKS)

    def page(self, title: str, text: str) -> tuple[Ids, Reals]:
        """Return a page's most frequent words, shape (PAGE_WORDS,), and weights of length 1.

        The weight of a word with n mentions is 1 + ln n; a mention in the title counts three times.
        Zeros for a page without words. O(characters), of at most 4000.
        """
        counts = Counter(map(self.__getitem__, self.keys_of(text[:_LONGEST_PAGE])))
        for word in self.keys_of(title[:_LONGEST_FIELD]):
            counts[self[word]] += 3
        kept = sorted(counts.items(), key=_SECOND, reverse=True)[:PAGE_WORDS]
        ids, weights = np.zeros(PAGE_WORDS, np.uint16), np.zeros(PAGE_WORDS, np.float32)
        if kept:
            numbers, times = np.array(kept).T
            ids[: len(kept)] = numbers
            heavy = 1 + np.log(times)
            weights[: len(kept)] = heavy / math.sqrt(heavy @ heavy)
        return ids, weights

    def keys_of(self, text: str) -> list[str]:
        """Return the keys of a text's terms in their order, with repetitions."""
        words = self._reader.words(text)
        if self._reader.parts_compounds:
            return [TERM + term for word in words for term in self._reader.terms(word)]
        if text.isascii():
            return words
        keys, start = list[str](), 0
        for at, word in enumerate(words):
            if not word.isascii():
                keys += words[start:at]
                keys += map(TERM.__add__, self._reader.terms(word))
                start = at + 1
        return keys + words[start:]

    def _marked(self, words: list[str], marks: Ids) -> Ids:
        """Return the buckets of keys with the marks of their fields, shape (n, len(marks))."""
        plain = np.frombuffer(array("H", map(self.__getitem__, words)), np.uint16)
        plain = plain.reshape(-1, len(marks))
        marked = plain ^ marks
        marked[marked == 0] = 1
        marked[plain == 0] = 0
        return marked


def plain(words: Ids) -> Ids:
    """Return the buckets of links' words, shape (n, WIDTH), as pages have them; 0 stays 0."""
    return np.where(words > 0, words ^ _MARKS, np.uint16(0))


def _around(anchors: list[str], context: list[str]) -> list[str]:
    """Return the words of the context that are not in the anchor, from the middle outwards."""
    in_anchor = set(anchors)
    words = [word for word in context if word not in in_anchor]
    start = max((len(words) - CONTEXT.width) // 2, 0)
    return words[start : start + CONTEXT.width]


def _padded(words: list[str], width: int) -> list[str]:
    """The first `width` different words; where there are fewer, "" for each that is missing."""
    row = [*dict.fromkeys(words)][:width]
    return row + _NO_WORDS[len(row) : width]


def _paths(tag_path: str) -> list[str]:
    """Return the last two and the last four elements of a tag path."""
    tags = tag_path[-_LONGEST_FIELD:].rsplit("/", 4)
    return [f"{TERM}{'/'.join(tags[-few:])}" for few in (2, 4)] if tag_path else []
