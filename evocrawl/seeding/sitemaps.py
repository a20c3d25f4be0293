"""Gives the pages of a site from its sitemaps (sitemaps.org), which its robots.txt names.

Elements are recognised by their names, in any namespace. No entity is loaded or resolved.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import ClassVar
from urllib.parse import urljoin, urlsplit

from lxml import etree

from evocrawl.core.urls.identity import is_of
from evocrawl.extraction import latest_s
from evocrawl.seeding.base import (
    Answer,
    Fetch,
    Seed,
    SeedError,
    Topic,
    fetch_page,
    seed,
    web_address,
)
from evocrawl.seeding.feeds import feed_entries
from evocrawl.seeding.ranking import by_words, ranked

_MOST_BYTES = 50_000_000
"""Most bytes of a sitemap, uncompressed (sitemaps.org)."""
_MOST_ENTRIES = 50_000
"""Most pages of a sitemap (sitemaps.org)."""
_MOST_FILES = 10
_ROBOTS_BYTES = 512_000
_NAMED = re.compile(rb"^[ \t]*sitemap[ \t]*:[ \t]*(\S+)", re.I | re.M)
_LINE = re.compile(rb"(?:^|[\r\n])[ \t]*(https?://\S+)[ \t]*(?=[\r\n]|$)")
_BARE_AMPERSAND = re.compile(rb"&(?!(?:#\d+|#x[\da-f]+|amp|lt|gt|quot|apos);)", re.I)
_ENTITY_ERRORS = frozenset(
    (etree.ErrorTypes.ERR_ENTITYREF_SEMICOL_MISSING, etree.ErrorTypes.ERR_NAME_REQUIRED)
)
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_FEEDS = ("rss", "feed", "rdf")


class Sitemaps:
    """``sitemap:https://HOST``, where robots.txt or /sitemap.xml is, or a sitemap's address."""

    form: ClassVar[str] = (
        "the address of a site or of a sitemap, such as sitemap:https://example.org"
    )

    def __init__(self, argument: str) -> None:
        self._address = web_address(argument)

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:
        """Return the pages that match the query best, the last changed first among equals."""
        waiting = await self._beginning(fetch)
        found: list[Seed] = []
        failure: SeedError | None = None
        known = set(waiting)
        for _ in range(_MOST_FILES):
            if not waiting:
                break
            try:
                answer = await fetch_page(fetch, waiting.pop(0), _MOST_BYTES)
                # In a thread: a sitemap may have 50 000 pages, and the event loop is not blocked.
                pages, files = await asyncio.to_thread(_ordered_entries, answer, topic)
            except SeedError as error:
                failure = failure or error
                continue
            found += pages
            new = [each.url for each in files if each.url not in known]
            known.update(new)
            waiting += new
        if not found and failure is not None:
            raise failure
        return await asyncio.to_thread(lambda: ranked(by_words(found, topic), topic.most))

    async def _beginning(self, fetch: Fetch) -> list[str]:
        if urlsplit(self._address).path not in ("", "/"):
            return [self._address]
        robots = await fetch(urljoin(self._address, "/robots.txt"), _ROBOTS_BYTES)
        named = _NAMED.findall(robots.body) if robots.status == 200 else []
        places = (seed(urljoin(robots.url, each.decode("utf-8", "replace"))) for each in named)
        found = [each.url for each in places if each is not None]
        return [*dict.fromkeys(found)] or [urljoin(self._address, "/sitemap.xml")]


def _ordered_entries(answer: Answer, topic: Topic) -> tuple[list[Seed], list[Seed]]:
    """Return pages and further sitemaps; those that match the query best come first."""
    pages, files = entries(answer)
    return pages, by_words(files, topic)


def entries(answer: Answer) -> tuple[list[Seed], list[Seed]]:
    """Return the pages and the further sitemaps that a sitemap names, with their lastmod.

    A sitemap may be XML, a text with an address a line, or a feed (sitemaps.org). Raises SeedError
    if it is none of them.
    """
    body = _inflated(answer.body).removeprefix(_BOM)
    if not body.lstrip().startswith(b"<"):
        lines = [each[1] for each in islice(_LINE.finditer(body), _MOST_ENTRIES)]
        if lines:
            plain = (seed(each.decode("utf-8", "replace")) for each in lines)
            return [each for each in plain if each is not None], []
    root = _parsed(body)
    name = "" if root is None else _name(root)
    if name in _FEEDS:
        return [entry for _, entry in feed_entries(replace(answer, body=body))], []
    if root is None or name not in ("urlset", "sitemapindex"):
        raise SeedError("it is no sitemap")
    found = [*_places(root, answer.url)]
    return ([], found) if name == "sitemapindex" else (found, [])


def _parsed(body: bytes) -> etree._Element | None:
    """Return the root of an XML file; an ampersand that is not escaped stands for itself."""
    root, has_bare = _parsed_as_is(body)
    if has_bare and b"\0" not in body[:4]:
        return _parsed_as_is(_BARE_AMPERSAND.sub(b"&amp;", body))[0]
    return root


def _parsed_as_is(body: bytes) -> tuple[etree._Element | None, bool]:
    """Return the root, None without one, and whether the file has ampersands without a name."""
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    return root, any(each.type in _ENTITY_ERRORS for each in parser.error_log)


def _places(root: etree._Element, base: str) -> Iterator[Seed]:
    for entry in islice(root, _MOST_ENTRIES):
        parts = {_name(each): (each.text or "").strip() for each in entry}
        try:
            address = urljoin(base, parts.get("loc", ""))
        except ValueError:
            continue
        date = parts.get("lastmod", "")
        place = seed(address, "", date) if parts.get("loc") else None
        if place is not None:
            yield replace(place, changed_by_s=latest_s(date) if is_of(base, address) else None)


def _name(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _inflated(body: bytes) -> bytes:
    """Return the content of a gzip file, up to the greatest size of a sitemap."""
    if not body.startswith(_GZIP):
        return body
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, _MOST_BYTES)
    except zlib.error as error:
        raise SeedError("it is a broken gzip file") from error
