"""Directives of meta robots and X-Robots-Tag.

A value is a comma-separated list of directives, which a user agent's name and a colon may
precede; then it is for that agent alone, up to the next name (Google's robots meta tag
specification, which RFC 9309 leaves aside). Several headers and tags add up. Where spaces or
semicolons stand for commas, the directives are meant all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

AGENT = "evocrawl"
_WITH_VALUE = frozenset(
    ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
)
_EVERYBODY = ("", "*", "robots", AGENT)
_NAME = re.compile(r"[\w*.-]*", re.A)
_QUOTES = re.compile("[\"']")
_APART = re.compile(r"[\s;]+")


def directives(values: Iterable[str]) -> frozenset[str]:
    """Return the directives that are for us, lower case; "none" stands for noindex and nofollow.

    >>> sorted(directives(["NoFollow", "otherbot: noindex", "evocrawl: noarchive, noimageindex"]))
    ['noarchive', 'nofollow', 'noimageindex']
    """
    found: set[str] = set()
    for value in values:
        is_for_us = True
        for part in _QUOTES.sub("", value.lower()).split(","):
            name, colon, rest = (each.strip() for each in part.partition(":"))
            if colon and rest and name not in _WITH_VALUE and _NAME.fullmatch(name):
                is_for_us = name in _EVERYBODY
                name = rest
            if is_for_us:
                found.update(_APART.split(name))
    if "none" in found:
        found |= {"noindex", "nofollow"}
    return frozenset(found - {""})
