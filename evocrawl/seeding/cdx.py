"""Gives pages of a site from the CDX index of a web archive, such as Common Crawl.

It reads the answers of pywb's CDX server, one JSON object a line, and of the Wayback Machine, a
JSON array with the names of the fields first.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from evocrawl.seeding.base import (
    JSON_BYTES,
    Fetch,
    Seed,
    SeedError,
    Topic,
    as_json,
    fetch_page,
    seed,
    web_address,
    with_options,
)
from evocrawl.seeding.ranking import by_words, ranked

_MOST_ROWS = 5_000
_NAMES = {"original": "url", "statuscode": "status", "mimetype": "mime"}
"""The field names of the Wayback Machine, with the names in pywb."""


class CdxIndex:
    """``cdx:https://HOST/INDEX?url=PATTERN``; the index has no search, so a pattern is needed."""

    form: ClassVar[str] = (
        "an index with a pattern of addresses, such as "
        "cdx:https://index.commoncrawl.org/CC-MAIN-2026-40-index?url=*.example.org"
    )

    def __init__(self, argument: str) -> None:
        self._address = web_address(argument)
        if "url" not in parse_qs(urlsplit(argument).query):
            raise ValueError(self.form)

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:
        """Return the HTML pages whose addresses match the query best."""
        url = with_options(self._address, {"output": "json", "limit": _MOST_ROWS})
        answer = await fetch_page(fetch, url, JSON_BYTES)
        return await asyncio.to_thread(_best, answer.body, topic)


def _best(body: bytes, topic: Topic) -> list[Seed]:
    rows = _rows(body)
    found = (seed(each.get("url"), "", each.get("timestamp")) for each in rows if _is_page(each))
    return ranked(by_words(filter(None, found), topic), topic.most)


def _is_page(row: dict[str, Any]) -> bool:
    mime = str(row.get("mime-detected") or row.get("mime") or "text/html")
    return str(row.get("status", "200")) in ("200", "-") and "html" in mime


def _rows(body: bytes) -> list[dict[str, Any]]:
    if body.lstrip().startswith(b"["):
        table = as_json(body)
        if not table or not all(isinstance(each, list) for each in table):
            return []
        names = [_NAMES.get(str(each), str(each)) for each in table[0]]
        return [dict(zip(names, each, strict=False)) for each in table[1 : 1 + _MOST_ROWS]]
    rows = []
    for line in body.splitlines()[:_MOST_ROWS]:
        try:
            row = as_json(line[line.find(b"{") :] if b"{" in line else line)
        except SeedError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    if not rows and body.strip():
        raise SeedError("its answer is no index")
    return rows
