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
    fields = {name: getattr(document, name) for name in Document.__slots__ if name != "body"}
    return json.dumps(fields).encode(), document.body


def unpack_document(fields: bytes, body: bytes) -> Document:
    """Return the document that `pack_document` packed."""
    values: dict[str, Any] = json.loads(fields)
    values["robots_tags"] = tuple(values["robots_tags"])
    return Document(body, **values)


def pack_reading(reading: ParsedPage) -> bytes:
    """Return a reading as JSON."""
    fields = {name: getattr(reading, name) for name in ParsedPage.__slots__}
    fields["links"] = [
        (link.url, link.fingerprint.hex(), link.anchor, link.context, link.rel, link.tag_path)
        for link in reading.links
    ]
    fields["content_fingerprint"] = reading.content_fingerprint.hex()
    fields["dates"] = asdict(reading.dates)
    return json.dumps(fields).encode()


def unpack_reading(packed: bytes) -> ParsedPage:
    """Return the reading that `pack_reading` packed."""
    fields: dict[str, Any] = json.loads(packed)
    fields["links"] = tuple(
        Link(url, bytes.fromhex(key), anchor, context, tuple(rel), position, path)
        for position, (url, key, anchor, context, rel, path) in enumerate(fields["links"])
    )
    fields["content_fingerprint"] = bytes.fromhex(fields["content_fingerprint"])
    fields["dates"] = Dates(**fields["dates"])
    fields["changes"] = tuple((position, at_s) for position, at_s in fields["changes"])
    fields["truncated"], fields["formats"] = tuple(fields["truncated"]), tuple(fields["formats"])
    return ParsedPage(**fields)


def _exactly(frames: BinaryIO, length: int) -> bytes:
    content = frames.read(length)
    if len(content) < length:
        raise EOFError("the other end is gone")
    return content
