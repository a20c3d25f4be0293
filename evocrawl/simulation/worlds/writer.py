"""Saves the state of a world at time 0 as a world file."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.base import Document
from evocrawl.simulation.worlds.world_file import WorldError

_NO_HTML = 415


def save_world(world: AnsweringWorld, path: str | Path) -> int:
    """Write the state of `world` at time 0 and return the number of lines.

    Pages come first, then the linked addresses that redirect, are disallowed, time out or are not
    HTML (as status 415). Addresses that do not exist are left out. A path that ends in .gz or .zst
    is compressed. The file is written atomically. Raises OSError, and WorldError for zstd without
    its library.
    """
    path = Path(path)
    unfinished = path.with_name(f".{path.name}.part")
    lines = 0
    try:
        with _created(unfinished, path.suffix) as file:
            for row in _rows(world):
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n")
                lines += 1
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return lines


class _Sink(Protocol):
    def write(self, data: bytes, /) -> object: ...


@contextmanager
def _created(path: Path, ending: str) -> Iterator[_Sink]:
    with open(path, "wb") as file:
        if ending == ".gz":
            with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
                yield packed
        elif ending == ".zst":
            try:
                import zstandard
            except ImportError:
                raise WorldError(path, 0, "", "zstd needs the extra evocrawl[sim]") from None
            with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as packed:
                yield packed
        else:
            yield file


def _rows(world: AnsweringWorld) -> Iterator[dict[str, Any]]:
    labels = _labels(world)
    known: set[Fingerprint] = set()
    others: list[str] = []
    for document in world.documents():
        known.add(document.fingerprint)
        others += (link.url for link in document.links)
        row = _row(document, labels.get(document.fingerprint, []))
        row["latency_s"] = world.answer(document.url, 0.0).latency_s
        yield row
    while others:
        url = others.pop()
        key = fingerprint(url)
        if key not in known:
            known.add(key)
            row = _other(world, url)
            others += [row["redirect_to"]] if "redirect_to" in row else []
            if row:
                yield {"url": url, **row}


def _row(document: Document, topics: list[str]) -> dict[str, Any]:
    links = [
        {"url": link.url, "anchor": link.anchor, "context": link.context}
        | ({"rel": " ".join(link.rel)} if link.rel else {})
        | ({"tag_path": link.tag_path} if link.tag_path else {})
        for link in document.links
    ]
    row: dict[str, Any] = {
        "url": document.url,
        "title": document.title,
        "text": document.text,
        "links": links,
        "topics": topics,
        "lang": document.language,
    }
    if document.formats:
        row["formats"] = list(document.formats)
    if document.changed_at_s is not None:
        row["date"] = document.changed_at_s
    return row


def _other(world: AnsweringWorld, url: str) -> dict[str, Any]:
    answer = world.answer(url, 0.0)
    if answer.is_forbidden:
        return {"robots": "disallow"}
    if answer.location:
        return {"redirect_to": answer.location, "status": answer.status}
    if answer.latency_s >= world.timeout_s:
        return {"latency_s": answer.latency_s}
    return {"status": _NO_HTML} if answer.kind != "text/html" else {}


def _labels(world: AnsweringWorld) -> dict[Fingerprint, list[str]]:
    """Return the topics of each page, without parents of its other topics."""
    labels: dict[Fingerprint, list[str]] = {}
    for topic in sorted(world.topics()):
        for page in world.about(topic):
            topics = labels.setdefault(page, [])
            topics[:] = [above for above in topics if not topic.startswith(f"{above}.")]
            topics.append(topic)
    return labels
