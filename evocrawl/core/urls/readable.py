"""Returns the words of an address, for modules that compare words."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

_LONGEST = 400
_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]*)?((?:/[^?#]*)?)(?:\?([^#]*))?(?:#.*)?")
"""URLs that can be split without `urlsplit`."""
_ENDING = re.compile(r"\.(?:x?html?|php|aspx?)\Z|/index\.[a-z]+\Z", re.IGNORECASE)


def readable(url: str) -> str:
    """Return path and query of any `url`, decoded, without the file ending; "" if it is malformed.

    `evocrawl.core.text.words` can split the result as any text. O(characters), of at most 400.

    >>> readable("https://a.example/coral-reefs/What_is_bleaching.html?x=1")
    '/coral-reefs/What is bleaching x=1'
    """
    if not url.isprintable():
        return ""
    plain = _PLAIN_URL.fullmatch(url[:_LONGEST])
    if plain is not None:
        path, query = plain[1], plain[2] or ""
    else:
        try:
            parts = urlsplit(url[:_LONGEST])
        except ValueError:
            return ""
        path, query = parts.path, parts.query
    if "." in path:
        path = _ENDING.sub("", path)
    return unquote(f"{path} {query}".replace("_", " "))
