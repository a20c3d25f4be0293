"""Detects growing addresses: the links of a page are its own address with an addition.

Such addresses have no end, even if each page has new content: ``/s/more/more/``,
``?q&lang=en&lang=en``, ``?u=`` the page's own address. A page passes its *run* to the pages whose
addresses grow from its own. All runs that begin at one page are a *family*. Links are suspects

- from the second step on, if they repeat a part of their page's address;
- from the `LONGEST`-th step on, since real directories are rarely so deep;
- from the second step on, with any addition, in a family of which `PATIENCE` suspects were visited.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.model import Fingerprint, Lead, Link, Page

LONGEST = 5
PATIENCE = 4
MOST_FAMILIES = 50_000

_MOST = 2_000
_LONG = 128
_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(slots=True)
class Growth:
    """Records pages whose addresses grow, in some 25 bytes for each such page or link.

    The visits to suspects are counted for the latest `MOST_FAMILIES` families.
    """

    _runs: KeyMap = field(default_factory=lambda: KeyMap("<I8s"))
    _links: KeyMap = field(default_factory=lambda: KeyMap("<?8s"))
    _sent: OrderedDict[bytes, int] = field(default_factory=OrderedDict)

    @property
    def has_visits(self) -> bool:
        """False until a suspect was visited; then no link has to wait."""
        return bool(self._sent)

    def note(self, page: Page, source: Fingerprint, at: str, fresh: Iterable[Link]) -> None:
        """Add a page whose link stood on the page `source` with the address `at`.

        `fresh` are its links to addresses that no earlier page has linked to. O(characters).
        """
        if not at or not what_grew(page.url, at):
            return
        known = self._runs.get(source)
        run, family = (known[0] + 1, known[1]) if known else (1, source[:8])
        self._runs.put(page.fingerprint, run, family)
        for link in fresh:
            added = what_grew(link.url, page.url)
            if added:
                is_sure = run + 1 >= LONGEST or _repeats(added, page.url)
                self._links.put(link.fingerprint, is_sure, family)

    def family_of(self, target: Fingerprint) -> bytes:
        """Return the family of a suspect that has to wait, "" for any other link. O(1)."""
        known = self._links.get(target)
        if known is None or self._sent.get(known[1], 0) < PATIENCE:
            return b""
        family: bytes = known[1]
        return family

    def sent(self, lead: Lead) -> None:
        """Count a link that is followed. O(1)."""
        known = self._links.get(lead.fingerprint)
        if known is not None and known[0]:
            self._sent[known[1]] = self._sent.pop(known[1], 0) + 1
            if len(self._sent) > MOST_FAMILIES:
                self._sent.popitem(last=False)


def what_grew(url: str, at: str) -> str:
    """Return what was inserted into `at` to make `url`, or "" if `url` is not made so.

    All numbers count as equal. A long address that is longer than another of the same path has
    grown, even if the rest of the query differs. O(characters), of the first 2000.

    >>> what_grew("http://a.test/s/more/more/", "http://a.test/s/more/")
    'more/'
    >>> what_grew("http://a.test/s/12", "http://a.test/s/1"), what_grew("http://a.test/s", "/t")
    ('', '')
    """
    if len(url) <= len(at) or not _is_below_root(at) or not url.startswith(_site(at)):
        return ""
    longer, shorter = (_DIGITS.sub("#", each[:_MOST]) for each in (url, at))
    if len(longer) > len(shorter):
        begin = _common(longer, shorter)
        left = len(shorter) - begin
        if not left or longer.endswith(shorter[begin:]):
            return longer[begin : len(longer) - left]
    path = at.partition("?")[0]
    if len(url) >= _LONG and url.startswith(f"{path}?"):
        return url[len(path) :]
    return ""


def _site(url: str) -> str:
    """Return the address up to the path."""
    return url[: url.find("/", url.find("://") + 3) + 1]


def _repeats(added: str, at: str) -> bool:
    """Return whether the addition is a part of the address already, or is a long address."""
    has_letters = _LETTER.search(added) is not None
    return has_letters and (len(added) >= _LONG or added in _DIGITS.sub("#", at[:_MOST]))


def _common(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))


def _is_below_root(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.path not in ("", "/") or bool(parts.query)
