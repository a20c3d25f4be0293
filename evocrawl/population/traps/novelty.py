"""Measures what share of a page's content is new compared with all earlier pages.

A text is lower-cased, and its punctuation and ids are removed. Then it is cut into windows of 16
bytes (two or three words), one at every position. The windows whose hash is a multiple of 16 stand
for all (Manber 1994, Finding similar files in a large file system). The novelty of a page is the
share of its windows that no earlier page had, each counted once, so that a repeated passage is not
new the second time. This is a containment in all earlier text (Broder 1997), not the similarity of
two pages: a list of parts of several pages has no novelty, either.

=====================================  =====================================================
page                                   new content?
=====================================  =====================================================
no text and no title                   unknown
fewer than 64 bytes                    unless some page has the same title and text; digits
                                       aside where both addresses are of one kind with a query
more                                   from a novelty of 0.05, or 400 bytes of it
=====================================  =====================================================

Memory is bounded, except for 100 bytes a page: windows have 4 million slots of 6 bytes, in which
new windows replace old ones. Half of the windows are lost after some 10 000 pages of 5 kB; short
pages, which are stored whole, are never lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.bits import Bits
from evocrawl.core.containers.lazy_zeros import lazy_zeros
from evocrawl.core.model import Content, Fingerprint
from evocrawl.core.text.words import rough_words_of_bytes

Hashes = npt.NDArray[np.uint64]

LEAST_NEW = 0.05
LEAST_NEW_BYTES = 400
SHORT = 64
"""Least size in bytes of a text that is compared by windows; shorter texts are compared whole."""

_LONGEST = 100_000
_WIDTH = 16
_SAMPLED = 16
"""One window in so many is compared; a power of 2."""

_ALIKE = 0.9
_LATEST = 32
_FEW = 16
_SMALL = 1024
_PLACES = 1 << 22
_WORDS = 1 << 23
_DIGITS = b"0123456789"
_ID = 16
"""A mix of at least so many letters and digits is an id, possibly made for one response."""
_WITHIN_UUID = re.compile(rb"-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_UUID = re.compile(rb"[0-9a-fA-F]{8}" + _WITHIN_UUID.pattern + rb"[0-9a-fA-F]{12}")
_WINDOW = np.dtype("<u8")
_A, _B, _C = (np.uint64(each) for each in (
    0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class NoveltyVerdict:
    """How much of a page is new.

    `is_new` is None if it is unknown. `twin` is the page that shares most of the content that is
    not new; None also if the page only repeats itself. `new_words` is the share of its distinct
    words that no earlier page had, None for a short page. `is_telling` is False if the page is so
    short that a copy proves nothing about similar pages.
    """

    is_new: bool | None
    twin: Fingerprint | None = None
    novelty: float = 1.0
    new_words: float | None = None
    is_telling: bool = True


_UNKNOWN = NoveltyVerdict(None)


@dataclass(frozen=True, slots=True)
class Sketch:
    """The data of a text for comparisons: `size` in bytes, windows and words as hashes."""

    size: int
    windows: Hashes
    sampled: Hashes
    words: npt.NDArray[np.uint32]


@dataclass(slots=True)
class _Recent:
    """The sketch of a recent text, and its last verdict with the page and the number of pages."""

    sketch: Sketch
    verdict: NoveltyVerdict = _UNKNOWN
    page: Fingerprint = b""
    pages: int = -1


def sketch_of(text: str, *, digits: bool) -> Sketch:
    """Return the sketch of the first 100 000 characters of a text. O(characters)."""
    words = _plain_words(text[:_LONGEST], b"" if digits else _DIGITS)
    different = {*words}
    hashes = np.fromiter(map(crc32, different), np.uint32, len(different))
    plain = b" ".join(words)
    windows = _windows(plain)
    return Sketch(len(plain), windows, _sampled(windows), hashes)


def alike(one: Content, other: Content) -> bool:
    """Return whether at least nine tenths of two pages are equal, apart from numbers.

    Their resemblance over all windows is |A ∩ B| / |A ∪ B| ≥ 0.9 (Broder 1997). Of short pages,
    title and text must be equal. Two pages without words are similar. O(characters).
    """
    first, second = (sketch_of(each.text, digits=False) for each in (one, other))
    if min(first.size, second.size) < SHORT:
        return _wholes("?", one)[-1] == _wholes("?", other)[-1]
    shared = len(np.intersect1d(first.windows, second.windows))
    return shared >= _ALIKE * len(np.union1d(first.windows, second.windows))


class NoveltyIndex:
    """Stores the windows, words and short texts of pages in the order of their arrival."""

    def __init__(self) -> None:
        self._whole: dict[bytes, Fingerprint] = {}
        self._pages: list[Fingerprint] = []
        self._tags = lazy_zeros(_PLACES, np.uint16)
        self._owners = lazy_zeros(_PLACES, np.uint32)
        self._words = Bits(_WORDS)
        self._latest: dict[tuple[int, int, bool], _Recent] = {}

    def look(self, page: Fingerprint, kind: str, content: Content) -> NoveltyVerdict:
        """Return what is new on a page.

        `kind` is the template of its address (see `evocrawl.core.urls.templates`). Earlier content
        of the page itself does not count as known. O(characters).
        """
        recent = self._recent(kind, content.text)
        if recent.sketch.size >= SHORT:
            if recent.page != page or recent.pages != len(self._pages):
                recent.verdict = self._compare(page, recent.sketch)
                recent.page, recent.pages = page, len(self._pages)
            return recent.verdict
        if not content.text and not content.title:
            return _UNKNOWN
        found = [self._whole.get(key) for key in _wholes(kind, content)]
        twin = next((each for each in found if each not in (None, page)), None)
        if twin is None:
            return NoveltyVerdict(is_new=True)
        return NoveltyVerdict(is_new=False, twin=twin, novelty=0.0, is_telling="?" in kind)

    def add(self, page: Fingerprint, kind: str, content: Content) -> None:
        """Add the content of a page. O(characters)."""
        sketch = self._recent(kind, content.text).sketch
        if sketch.size < SHORT:
            for key in _wholes(kind, content):
                self._whole.setdefault(key, page)
            return
        self._words.add(sketch.words % _WORDS)
        self._pages.append(page)
        kept = sketch.windows if sketch.size < _SMALL else sketch.sampled
        places, tags = _place(kept)
        self._tags[places], self._owners[places] = tags, len(self._pages)

    def _compare(self, page: Fingerprint, sketch: Sketch) -> NoveltyVerdict:
        every = len(sketch.sampled) < _FEW
        looked = sketch.windows if every else sketch.sampled
        different = _different(np.sort(looked))
        known = self._owners_of(different, page)
        fresh = len(different) - sum(known.values())
        novelty = fresh / len(looked)
        is_new = novelty >= LEAST_NEW or fresh * (1 if every else _SAMPLED) >= LEAST_NEW_BYTES
        twin = None if is_new or not known else self._pages[max(known, key=known.__getitem__)]
        new_words = len(sketch.words) - np.count_nonzero(self._words.at(sketch.words % _WORDS))
        return NoveltyVerdict(is_new, twin, novelty, new_words / len(sketch.words))

    def _owners_of(self, windows: Hashes, page: Fingerprint) -> dict[int, int]:
        """Return how many of the windows each other page had last, by the page's number."""
        places, tags = _place(windows)
        owners = self._owners[places]
        owners = np.sort(owners[(owners > 0) & (self._tags[places] == tags)])
        numbers = _different(owners)
        counts = owners.searchsorted(numbers, "right") - owners.searchsorted(numbers)
        found = zip((numbers.astype(np.intp) - 1).tolist(), counts.tolist(), strict=True)
        return {number: count for number, count in found if self._pages[number] != page}

    def _recent(self, kind: str, text: str) -> _Recent:
        """Return the cached sketch of a recent text, or compute it."""
        digits = "?" not in kind
        key = (hash(text), len(text), digits)
        found = self._latest.get(key)
        if found is None:
            if len(self._latest) >= _LATEST:
                del self._latest[next(iter(self._latest))]
            found = self._latest[key] = _Recent(sketch_of(text, digits=digits))
        return found


def _plain_words(text: str, without: bytes) -> list[bytes]:
    """Return the words of a text in lower case, without ids and without some characters."""
    if not text.isascii():
        text = text.casefold()
    raw = text.encode("utf-8", "replace")
    if _WITHIN_UUID.search(raw):
        raw = _UUID.sub(b" ", raw)
    words = rough_words_of_bytes(raw)
    if max(map(len, words), default=0) >= _ID:
        words = [each for each in words if len(each) < _ID or not _is_made_up(each)]
    return b" ".join(words).translate(None, without).split() if without else words


def _is_made_up(word: bytes) -> bool:
    return word.isalnum() and not word.isalpha() and not word.isdigit()


def _windows(plain: bytes) -> Hashes:
    """Return the hashes of the windows at every position, in order, shape (bytes − 15,)."""
    count = len(plain) - _WIDTH + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    head, tail = (
        np.ndarray((count,), _WINDOW, plain, offset, (1,)).astype(np.uint64)
        for offset in (0, _WIDTH // 2)
    )
    mixed = head * _A ^ (tail * _B >> np.uint64(7))
    mixed ^= mixed >> np.uint64(29)
    mixed *= _C
    mixed ^= mixed >> np.uint64(32)
    return mixed


def _different(ordered: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the different values of a sorted array, in order."""
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def _sampled(windows: Hashes) -> Hashes:
    sampled: Hashes = windows[windows & np.uint64(_SAMPLED - 1) == 0]
    return sampled


def _place(windows: Hashes) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint16]]:
    """Return the slots of windows, and tags that distinguish windows of the same slot."""
    return (windows >> np.uint64(8)) % np.uint64(_PLACES), (windows >> np.uint64(48)).astype(
        np.uint16
    )


def _wholes(kind: str, content: Content) -> list[bytes]:
    """Return the digests of a short page: of title and text; with a query, also without digits."""
    words = " ".join(f"{content.title}\n{content.text}".casefold().split())
    keys = [words]
    if "?" in kind:
        keys.append(f"{kind}\n{''.join(each for each in words if not each.isdecimal())}")
    return [blake2b(k.encode("utf-8", "replace"), digest_size=8).digest() for k in keys]
