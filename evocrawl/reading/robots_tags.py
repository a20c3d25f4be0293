"""Directives of meta robots and X-Robots-Tag.

A value is a comma-separated list of directives, which a user agent's name and a colon may
precede; then it is for that agent alone (Google's robots meta tag specification, which RFC 9309
leaves aside). Several headers and tags add up.
"""

from __future__ import annotations

from collections.abc import Iterable

AGENT = "evocrawl"
_WITH_VALUE = frozenset(
    ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
)


def directives(values: Iterable[str]) -> frozenset[str]:
    """Return the directives that are for us, lower case; "none" stands for noindex and nofollow.

    >>> sorted(directives(["NoFollow", "otherbot: noindex", "evocrawl: noarchive, noimageindex"]))
    ['noarchive', 'nofollow', 'noimageindex']
    """
    found: set[str] = set()
    for value in values:
        agent, colon, rest = value.lower().partition(":")
        named = agent.strip()
        if colon and "," not in agent and named not in _WITH_VALUE:
            if named != AGENT:
                continue
            value = rest
        found.update(part.strip() for part in value.lower().split(","))
    if "none" in found:
        found |= {"noindex", "nofollow"}
    return frozenset(found - {""})
