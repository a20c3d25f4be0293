"""Reads the target of a refresh (HTML, "shared declarative refresh steps")."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from lxml import etree

from evocrawl.core.urls.resolve import resolve
from evocrawl.extraction.parser_guards import without_giant_tags

_MOST_CHARS = 50_000
_MAY_REFRESH = re.compile(r"<meta\s[^<>]{0,500}refresh", re.I)
_CONTENT = re.compile(
    r"""[\t\n\f\r ]*+ (?: ([0-9]++) | (?=\.) ) [0-9.]*+   # seconds
    (?: [\t\n\f\r ]*+ [;,] | (?=[\t\n\f\r ]) ) [\t\n\f\r ]*+
    (?: url [\t\n\f\r ]*+ = [\t\n\f\r ]*+ )? (?: (["']) ([^"']*+) | (.+) )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_MOST_DIGITS = 9
_TAG_BYTES, _ATTRIBUTES = 8_192, 128


def read_refresh(content: str) -> tuple[float, str] | None:
    """Return seconds and address of a Refresh header or element; None without an address.

    >>> read_refresh("5; URL='/next'"), read_refresh("0,/a b"), read_refresh("600")
    ((5.0, '/next'), (0.0, '/a b'), None)
    """
    found = _CONTENT.match(content)
    if found is None:
        return None
    seconds, _, quoted, bare = found.groups()
    address = quoted if bare is None else bare
    return (float((seconds or "0")[:_MOST_DIGITS]), address) if address.strip() else None


def declared_refresh(text: str, url: str, unread: Collection[str]) -> tuple[float, str] | None:
    """Return seconds and URL of the first refresh that the page `text` at `url` declares.

    None without a refresh that leads to an http(s) URL. Elements inside those named in `unread`
    do not count, nor do elements after the first 50 000 characters.
    """
    text = text[:_MOST_CHARS]
    if not _MAY_REFRESH.search(text):
        return None
    try:
        # As bytes: lxml refuses a text that declares an encoding.
        html = without_giant_tags(text.encode("utf-8", "replace"), _TAG_BYTES, _ATTRIBUTES)
        root = etree.fromstring(html, etree.HTMLParser(encoding="utf-8"))
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root is None:
        return None
    etree.strip_elements(root, *unread, with_tail=False)
    for meta in root.iter("meta"):
        kind = (meta.get("http-equiv") or "").strip().lower()
        found = read_refresh(meta.get("content") or "") if kind == "refresh" else None
        if found is not None:
            target = refreshed_url(_base(root, url), found[1])
            if target is not None:
                return found[0], target
    return None


def refreshed_url(base: str, address: str) -> str | None:
    """Return the http(s) URL, with its fragment, of a refresh; None if there is none."""
    try:
        target = resolve(base, address)
    except ValueError:
        return None
    if target is None:
        return base if not address.partition("#")[0].strip() else None
    _, mark, fragment = address.partition("#")
    return f"{target}{mark}{fragment.strip()}"


def _base(root: Any, url: str) -> str:
    base = next((each.get("href") for each in root.iter("base") if each.get("href")), "")
    try:
        return resolve(url, base) or url
    except ValueError:
        return url
