"""A stored crawl of three pages, for the tests of `evocrawl export`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from evocrawl.core.fetch import FetchDetails, RawResponse
from evocrawl.core.model import Content, Cost, Dead, Fetched, Lead, Link, Outcome, Page, Refused
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.journal.operations import Chosen, Op, Placed, VisitSettled
from evocrawl.store.journal.sqlite_journal import SqliteJournal

DATE = "2026-01-02T03:04:05.678+00:00"
A, B, C, D, MOVED = (f"http://{name}.test/" for name in ("a", "b", "c", "d", "moved"))
BODY = gzip.compress(b"<p>coral")


def link(url: str, anchor: str = "") -> Link:
    return Link(url, fingerprint(url), anchor)


def landed(visit: int, url: str, outcome: Outcome, anchor: str = "") -> Iterator[Op]:
    key = fingerprint(url)
    yield Chosen(float(visit), (), visit, key)
    headers = (("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"), ("X", "a\r\n b"))
    answer = RawResponse("HTTP/1.1 200 OK", headers, BODY) if visit == 1 else None
    lead = Lead(url, key, "", b"", visit - 1, 0.5, anchor)
    details = FetchDetails(7, lead, 200, DATE, A, answer)
    if visit == 3:
        details = replace(
            details,
            duplicate_of="=A",
            truncated=("links", "depth"),
            published_at=DATE,
            changed_at=DATE,
        )
    yield VisitSettled(visit, outcome, details)


def page(url: str, *links: Link, title: str = "title", text: str = "coral") -> Page:
    content = Content(title, text, "en", ("json-ld", "rdfa"))
    return Page(url, fingerprint(url), 0.5, -2.0, links, text[:5].encode(), content)


def stored_crawl(folder: Path) -> Path:
    """Store a crawl: A, B twice, C that has moved, D that is dead, and a forbidden page."""
    about = {
        "query": "coral", "species": "energy", "seed": 3, "seeds": [A], "evocrawl": "0.1.0",
        "DOWNLOAD_TIMEOUT": 9.0,
    }  # fmt: skip
    journal = SqliteJournal(folder / "crawl.sqlite", about)
    forbidden = "http://forbidden.test/"
    links = (link(B, "=HYPERLINK(1)"), link(C), link(D), link(forbidden), link("http://e.test/"))
    second = page(B, link(A), title="@SUM(1)", text="-1+2 \ud800")
    changed = replace(second, version=b"other", relevance=0.75)
    for op in (
        Placed((link(A),)),
        *landed(1, A, Fetched(page(A, *links), Cost(1.5, requests=1))),
        *landed(2, B, Fetched(second, Cost(2.0, requests=1)), "=HYPERLINK(1)"),
        *landed(3, C, Fetched(page(MOVED, text="other"), Cost(2.0, requests=2)), "+1"),
        *landed(4, D, Dead("status 404", Cost(0.5, requests=1))),
        *landed(5, forbidden, Refused(Cost())),
        *landed(6, B, Fetched(changed, Cost(1.0, requests=1))),
    ):
        journal.append(op)
    journal.commit()
    journal.close()
    return folder / "crawl.sqlite"


def read(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]
