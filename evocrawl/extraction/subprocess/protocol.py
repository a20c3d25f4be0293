"""Documents and readings as bytes between processes: JSON, never code.

A frame is its length (4 bytes, big-endian) and so many bytes.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, BinaryIO

from evocrawl.core.model import Link
from evocrawl.extraction.dates import Dates
from evocrawl.extraction.document import Document
from evocrawl.extraction.html import ParsedPage

_LENGTH_BYTES = 4


def send(frames: BinaryIO, *contents: bytes) -> None:
    """Write frames and flush; raises OSError if the other end is closed."""
    for content in contents:
        frames.write(len(content).to_bytes(_LENGTH_BYTES))
        frames.write(content)
    frames.flush()


def receive(frames: BinaryIO) -> bytes:
    """Read one frame; raises EOFError if the other end is closed."""
    return _exactly(frames, int.from_bytes(_exactly(frames, _LENGTH_BYTES)))


def pack_document(document: Document) -> tuple[bytes, bytes]:
    """Return a document's fields as JSON, and its body."""
    told = {name: getattr(document, name) for name in Document.__slots__ if name != "body"}
    return json.dumps(told).encode(), document.body


def unpack_document(told: bytes, body: bytes) -> Document:
    """Return the document that `pack_document` packed."""
    fields: dict[str, Any] = json.loads(told)
    fields["robots_tags"] = tuple(fields["robots_tags"])
    return Document(body, **fields)


def pack_reading(reading: ParsedPage) -> bytes:
    """Return a reading as JSON."""
    told = {name: getattr(reading, name) for name in ParsedPage.__slots__}
    told["links"] = [
        (link.url, link.fingerprint.hex(), link.anchor, link.context, link.rel, link.tag_path)
        for link in reading.links
    ]
    told["content_fingerprint"] = reading.content_fingerprint.hex()
    told["dates"] = asdict(reading.dates)
    return json.dumps(told).encode()


def unpack_reading(packed: bytes) -> ParsedPage:
    """Return the reading that `pack_reading` packed."""
    told: dict[str, Any] = json.loads(packed)
    told["links"] = tuple(
        Link(url, bytes.fromhex(key), anchor, context, tuple(rel), position, path)
        for position, (url, key, anchor, context, rel, path) in enumerate(told["links"])
    )
    told["content_fingerprint"] = bytes.fromhex(told["content_fingerprint"])
    told["dates"] = Dates(**told["dates"])
    told["truncated"], told["formats"] = tuple(told["truncated"]), tuple(told["formats"])
    return ParsedPage(**told)


def _exactly(frames: BinaryIO, length: int) -> bytes:
    content = frames.read(length)
    if len(content) < length:
        raise EOFError("the other end is gone")
    return content
