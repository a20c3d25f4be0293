"""Converts the words of links and pages to numbers.

Texts are read as the relevance models read them (`evocrawl.relevance.terms`). A term is hashed by
CRC-32 to a bucket in [1, 65536); 0 stands for "no word". The first terms of a link's anchor,
context and tag path count, and the last terms of its URL. In each field the bucket is XORed with a
constant of the field, so that "fossil" in an anchor and in a URL are two numbers; `plain` converts
both to the number of the word in the text of a page.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress, filterfalse, repeat
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
_MET_AT_ONCE = 1_000
"""Most words that are added at once, so that the cache keeps its bound."""

Ids = npt.NDArray[np.uint16]
Reals = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]
OnWords = Callable[[Sequence[str], Sequence[int]], None]


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
_NOT_MET = -1
"""Stands for the bucket of a key that was not met."""
TERM = "\0"
"""Begins the key of a term. The key of a word that has one term is the word as it is written."""


class Reader(Protocol):
    """Reads texts by the rules of the query's language: `evocrawl.relevance.terms.Analyser`."""

    parts_compounds: bool
    """Whether a word in ASCII may have more than one term."""

    def words_of_each(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the words of each text, rough."""

    def terms(self, word: str) -> tuple[str, ...]:
        """Return the terms of a rough word in their order."""

    def first_terms(self, words: Sequence[str]) -> list[str]:
        """Return the first term of each rough word, for a caller that remembers them."""


class Hasher(dict[str, int]):
    """Caches the numbers of terms; bounded, since a crawl always meets new words.

    When the cache is full, its words become those of the time before, from which words that occur
    again are taken over. `on_words` gets keys and their buckets when the keys are met: the first
    time, and at times again.
    """

    of_run = ("_before",)
    """Attributes that are no part of a snapshot."""

    def __init__(self, reader: Reader, on_words: OnWords | None = None) -> None:
        super().__init__({"": 0})
        self._reader = reader
        self._on_words = on_words
        self._before: dict[str, int] = {}

    def __missing__(self, key: str) -> int:
        """Return the bucket of a key in [1, BUCKETS), the same in every process; 0 for ""."""
        return self._meet([key])[key]

    def links(self, texts: Iterable[tuple[str, str, str]]) -> Ids:
        """Return the words of links, given by anchor, context and tag path: each field's first
        ones, each once; shape (n, LINK_WIDTH).
        """
        anchors, contexts, tag_paths = zip(*texts, strict=True)
        # Neighbouring links often have the same context and path.
        different = [*dict.fromkeys(contexts)]
        read = self.keys_of_each([text[:_LONGEST_FIELD] for text in (*anchors, *different)])
        around = dict(zip(different, read[len(anchors) :], strict=True))
        paths = {path: _padded(_paths(path), TAGS.width) for path in dict.fromkeys(tag_paths)}
        words = list[str]()
        for keys, context, tag_path in zip(read, contexts, tag_paths, strict=False):
            anchor = dict.fromkeys(keys)
            own = [*anchor][: ANCHOR.width]
            others = [*dict.fromkeys(_around(anchor, around[context]))]
            words += own
            words += _NO_WORDS[len(own) : ANCHOR.width]
            words += others
            words += _NO_WORDS[len(others) : CONTEXT.width]
            words += paths[tag_path]
        return self._marked(words, _LINK_MARKS)

    def urls(self, texts: Sequence[str]) -> Ids:
        """Return the last words of readable URLs, shape (n, URL.width)."""
        words = list[str]()
        for keys in self.keys_of_each(texts):
            words += _padded(keys[-URL.width :], URL.width)
        return self._marked(words, _URL_MARKS)

    def page(self, title: str, text: str) -> tuple[Ids, Reals]:
        """Return a page's most frequent words, shape (PAGE_WORDS,), and weights of length 1.

        The weight of a word with n mentions is 1 + ln n; a mention in the title counts three times.
        Zeros for a page without words. O(characters), of at most 4000.
        """
        in_text, in_title = self.keys_of_each([text[:_LONGEST_PAGE], title[:_LONGEST_FIELD]])
        times = Counter(in_text)
        for key in in_title:
            times[key] += 3
        ids, weights = np.zeros(PAGE_WORDS, np.uint16), np.zeros(PAGE_WORDS, np.float32)
        if times:
            counted = np.fromiter(times.values(), np.intp, len(times))
            buckets, counts = _summed(self._buckets([*times]), counted)
            most = np.argsort(-counts, kind="stable")[:PAGE_WORDS]
            ids[: len(most)] = buckets[most]
            heavy = 1 + np.log(counts[most])
            weights[: len(most)] = heavy / math.sqrt(heavy @ heavy)
        return ids, weights

    def keys_of_each(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the keys of the terms of each text in their order, with repetitions."""
        read = self._reader.words_of_each(texts)
        if self._reader.parts_compounds:
            terms = self._reader.terms
            return [[TERM + term for word in words for term in terms(word)] for words in read]
        return [
            words if text.isascii() else self._keys(words)
            for words, text in zip(read, texts, strict=True)
        ]

    def _keys(self, words: list[str]) -> list[str]:
        """Return the keys of rough words of which some are not ASCII."""
        are_ascii, keys, start = [*map(str.isascii, words), False], list[str](), 0
        while (at := are_ascii.index(False, start)) < len(words):
            keys += words[start:at]
            keys += map(TERM.__add__, self._reader.terms(words[at]))
            start = at + 1
        return keys + words[start:] if start else words

    def _buckets(self, keys: Sequence[str]) -> Places:
        """Return the buckets of keys, which may occur several times, shape (keys,). O(keys)."""
        # Each key is looked up once, since the words of a crawl do not fit into the CPU's cache.
        found = np.fromiter(map(self.get, keys, repeat(_NOT_MET)), np.intp, len(keys))
        places = np.flatnonzero(found == _NOT_MET)
        if len(places):
            new = [keys[place] for place in places.tolist()]
            different, met = [*dict.fromkeys(new)], dict[str, int]()
            for at in range(0, len(different), _MET_AT_ONCE):
                met |= self._meet(different[at : at + _MET_AT_ONCE])
            found[places] = [met[key] for key in new]
        return found

    def _meet(self, keys: Sequence[str]) -> dict[str, int]:
        """Add different keys that are not known; return their buckets."""
        before = self._before
        found = {key: before[key] for key in keys if key in before} if before else {}
        new = [key for key in keys if key not in found] if found else keys
        buckets = [
            crc32(term.encode(errors="replace")) % (BUCKETS - 1) + 1 for term in self._terms(new)
        ]
        if self._on_words is not None:
            self._on_words(new, buckets)
        found.update(zip(new, buckets, strict=True))
        kept = found
        if max(map(len, keys)) > _LONGEST_KNOWN:
            kept = {key: bucket for key, bucket in found.items() if len(key) <= _LONGEST_KNOWN}
        if len(self) + len(kept) > _KNOWN_WORDS:
            self._before = dict(self)
            self.clear()
            self[""] = 0
        self.update(kept)
        return found

    def _terms(self, keys: Sequence[str]) -> list[str]:
        """Return the terms of keys."""
        are_words = [key[0] != TERM for key in keys]
        if all(are_words):
            return self._reader.first_terms(keys)
        read = iter(self._reader.first_terms([*compress(keys, are_words)]))
        return [
            next(read) if is_word else key[1:] for key, is_word in zip(keys, are_words, strict=True)
        ]

    def _marked(self, words: list[str], marks: Ids) -> Ids:
        """Return the buckets of keys with the marks of their fields, shape (n, len(marks))."""
        plain = self._buckets(words).astype(np.uint16).reshape(-1, len(marks))
        marked = plain ^ marks
        marked[marked == 0] = 1
        marked[plain == 0] = 0
        return marked


def plain(words: Ids) -> Ids:
    """Return the buckets of links' words, shape (n, WIDTH), as pages have them; 0 stays 0."""
    plain: Ids = (words ^ _MARKS) * (words > 0)
    return plain


def _summed(buckets: Places, counts: Places) -> tuple[Places, Places]:
    """Return the different buckets in the order in which they first occur, and their counts.

    The counts of a bucket are added.
    """
    order = buckets.astype(np.uint16).argsort(kind="stable")
    ordered = buckets[order]
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    starts = np.flatnonzero(is_first)
    if len(starts) == len(buckets):
        return buckets, counts
    firsts = order[starts]
    by_first = firsts.argsort()
    sums: Places = np.add.reduceat(counts[order], starts)
    return buckets[firsts[by_first]], sums[by_first]


def _around(anchor: Collection[str], context: list[str]) -> list[str]:
    """Return the words of the context that are not in the anchor, from the middle outwards."""
    words = [*filterfalse(anchor.__contains__, context)]
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
