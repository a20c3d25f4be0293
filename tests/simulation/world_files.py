"""Worlds for tests: a small file with each kind of entry, and its changes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

A, B, C = (f"http://a.test/{name}" for name in ("one", "two", "three"))
NOWHERE = "http://elsewhere.test/"

ROWS: list[dict[str, Any]] = [
    {
        "url": A,
        "title": "One",
        "text": "Albatrosses and other birds.",
        "topics": ["Nature.Birds"],
        "links": [
            {"url": B, "anchor": "two", "context": "see two here"},
            {"url": "mailto:box@a.test", "anchor": "mail"},
            {"url": f"{B}#part", "anchor": "two again"},
            {"url": f"{A}#top", "anchor": "up"},
            {"url": C, "anchor": "ad", "rel": "nofollow sponsored"},
            {"url": NOWHERE, "rel": "external"},
        ],
        "lang": "en",
        "date": "2020-01-01",
        "author": "an author",
    },
    {"url": B, "text": "Birds, birds and birds.", "topics": ["Nature.Birds", "Nature.Sea"],
     "date": 1577923200, "latency_s": 2.5},
    {"url": C, "html": "<title>Three</title><p>Sea.<p><a href=one>to <b>one</b></a>",
     "topics": ["Nature.Sea"]},
    {"url": "http://a.test/moved", "redirect_to": "/two", "latency_s": 1},
    {"url": "http://a.test/around", "redirect_to": "http://a.test/around"},
    {"url": "http://a.test/gone", "status": 410, "topics": ["Nature.Birds"]},
    {"url": "http://a.test/closed", "robots": "disallow", "text": "birds", "topics": ["Nature"]},
    {"url": "http://b.test/", "text": "", "latency_s": 30},
]  # fmt: skip

CHANGES: list[dict[str, Any]] = [
    {"at_s": 200, "url": B, "status": 404},
    {"at_s": 100, "url": B, "text": "Whales.", "links": [{"url": A, "anchor": "one"}]},
    {"at_s": 300, "url": B, "status": 200, "text_added": "They are back.",
     "links_added": [{"url": C, "anchor": "three"}, {"url": A, "anchor": "one"}]},
    {"at_s": 150, "url": "http://a.test/new", "title": "New", "topics": ["Nature.Fish"]},
    {"at_s": -50, "url": A, "text": "what it was before"},
]  # fmt: skip


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write a world file, plain."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
