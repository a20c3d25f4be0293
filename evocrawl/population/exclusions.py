"""Hosts and patterns of addresses that a user excludes from a running crawl."""

from __future__ import annotations

from collections.abc import Sequence

from evocrawl.core.model import Lead

MOST_PATTERNS = 200
EXCLUDED = "excluded by the user"
"""Reason for which an excluded link is held back."""


class Exclusions:
    """Hosts and patterns of addresses to which no link is followed.

    A pattern without a slash is a host, its subdomains included. One with a slash is compared with
    the address without its scheme, from the beginning to the end; ``*`` stands for any text. The
    case of letters of the host does not matter.

    >>> exclusions = Exclusions()
    >>> exclusions.add("example.org"), exclusions.add("a.test/tag/*")
    (None, None)
    >>> [exclusions.covers_url(url, host) for url, host in (
    ...     ("http://www.example.org/x", "www.example.org"), ("http://my.example/", "my.example"),
    ...     ("https://a.test/tag/7", "a.test"), ("https://a.test/tags", "a.test"))]
    [True, False, True, False]
    """

    def __init__(self) -> None:
        self.patterns: list[str] = []
        self._hosts: set[str] = set()
        self._globs: list[tuple[str, ...]] = []

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def add(self, pattern: str) -> None:
        """Add a pattern. Raises ValueError if it is invalid or one too many."""
        text = readable_pattern(pattern)
        if text in self.patterns:
            return
        check_room(self.patterns)
        self.patterns.append(text)
        if "/" in text:
            self._globs.append(tuple(text.split("*")))
        else:
            self._hosts.add(text)

    def covers(self, lead: Lead) -> bool:
        """Return True if no link to the lead's target is followed. O(patterns)."""
        return bool(self.patterns) and self.covers_url(lead.url, lead.host)

    def covers_url(self, url: str, host: str) -> bool:
        """Return True for an excluded address of `host`. O(length · patterns)."""
        if self._hosts and any(each in self._hosts for each in _domains(host)):
            return True
        if not self._globs:
            return False
        name, slash, rest = url.partition("://")[2].partition("/")
        text = f"{name.lower()}/{rest}" if slash else f"{name.lower()}/"
        return any(_matches(parts, text) for parts in self._globs)


def check_room(patterns: Sequence[str]) -> None:
    """Raise ValueError if no further pattern can be excluded."""
    if len(patterns) >= MOST_PATTERNS:
        raise ValueError(f"at most {MOST_PATTERNS} patterns can be excluded")


def readable_pattern(pattern: str) -> str:
    """Return a pattern without its scheme, the host in lower case; raises ValueError."""
    text = pattern.strip()
    begin, mark_, rest = text.partition("://")
    if mark_ and "/" not in begin:
        if begin.lower() not in ("http", "https", "*"):
            raise ValueError(f"{pattern!r}: allowed: a host, or a pattern such as a.test/tag/*")
        text = rest
    name, slash, path = text.partition("/")
    name = name.lower().rstrip(".")
    is_wild = not name.replace("*", "") and not path.replace("*", "")
    if not text.isprintable() or " " in text or not name or is_wild or (not slash and "*" in name):
        raise ValueError(f"{pattern!r}: allowed: a host, or a pattern such as a.test/tag/*")
    return f"{name}{slash}{path}"


def _domains(host: str) -> list[str]:
    """Return a host and the domains above it."""
    parts = host.split(".")
    return [".".join(parts[at:]) for at in range(len(parts))]


def _matches(parts: tuple[str, ...], text: str) -> bool:
    """Return True if `text` contains the parts in their order, the first and last at its ends.

    Takes time in proportion to the text, for any number of parts.
    """
    first, *middle = parts
    if not middle:
        return text == first
    last = middle.pop()
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
