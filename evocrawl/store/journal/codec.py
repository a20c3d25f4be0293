"""Codec of journal operations: converts links, outcomes and contents to JSON and bytes, and back.

The other fields are converted by the operations themselves.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Protocol

from evocrawl.core.errors import StateError
from evocrawl.core.model import (
    Content,
    Cost,
    Dead,
    Dropped,
    Fetched,
    Fingerprint,
    Link,
    Outcome,
    Page,
    Refused,
)
from evocrawl.store.journal.operations import OPERATIONS, Op
from evocrawl.store.journal.operations.row import Row, present, to_json

_LEVEL = 3
_KEY_BYTES = 12
_DIGEST_BYTES = 16


class Payloads(Protocol):
    """Converts the payloads of links to JSON and back."""

    def pack(self, payload: Any) -> Any:
        """Return the payload as a JSON value."""

    def unpack(self, packed: Any) -> Any:
        """Return the payload of a JSON value."""


class NoPayloads:
    """Codec for links without a payload; raises StateError for any other link."""

    def pack(self, payload: Any) -> Any:
        """Raise StateError."""
        raise StateError(f"a link carries {type(payload).__name__}, which cannot be stored")

    def unpack(self, packed: Any) -> Any:  # noqa: ARG002 - the interface's form
        """Raise StateError."""
        raise StateError("a link carries a payload that this codec does not know")


def digest_of(packed: bytes) -> bytes:
    """Return the digest of a packed content, 16 bytes."""
    return blake2b(packed, digest_size=_DIGEST_BYTES).digest()


class OperationCodec:
    """Packs and unpacks operations and contents; `payloads` converts the payloads of links."""

    def __init__(self, payloads: Payloads) -> None:
        self._payloads = payloads

    def pack_payload(self, payload: Any) -> Any:
        """Return the payload of a link as a JSON value."""
        return self._payloads.pack(payload)

    def unpack_payload(self, packed: Any) -> Any:
        """Undo `pack_payload`."""
        return self._payloads.unpack(packed)

    def pack(self, op: Op, digest: bytes | None = None) -> Row:
        """Return the row of `op`; `digest` is that of the content of a fetched page."""
        return op.pack(self, digest)

    def unpack(self, row: Row, content: bytes | None = None) -> Op:
        """Return the operation of a row. Raises StateError if the row is invalid.

        `content` is the packed content of a fetched page.
        """
        try:
            return OPERATIONS[row.tag].unpack(self, row, content)
        except (KeyError, ValueError, TypeError, StopIteration, zlib.error) as error:
            raise StateError(f"an entry {row.tag!r} cannot be read: {error}") from error

    def pack_content(self, page: Page) -> bytes:
        """Return the text, the properties and the links of a page, compressed."""
        content, links = page.content, page.links
        rows = [self._link_row(link) for link in links]
        whole = [content.title, content.text, content.language, content.formats, rows]
        keys = b"".join(link.fingerprint for link in links if len(link.fingerprint) == _KEY_BYTES)
        return zlib.compress(to_json(whole).encode(), _LEVEL) + keys

    def unpack_content(self, packed: bytes, most: int = 0) -> tuple[Content, tuple[Link, ...]]:
        """Undo `pack_content`. Raises ValueError if it has more than `most` bytes (0: no limit)."""
        unpacking = zlib.decompressobj()
        whole = unpacking.decompress(packed, most)
        if unpacking.unconsumed_tail:
            raise ValueError(f"a content of more than {most} bytes")
        title, text, language, formats, rows = json.loads(whole)
        keys = unpacking.unused_data
        each = iter([keys[at : at + _KEY_BYTES] for at in range(0, len(keys), _KEY_BYTES)])
        links = tuple([self._link(row, each) for row in rows])
        return Content(title, text, language, tuple(formats)), links

    def _link_row(self, link: Link) -> list[Any]:
        """Return the fields of a link; its fingerprint only if that has an unusual length."""
        row = [link.url, link.anchor, link.context, link.rel, link.position, link.tag_path]
        is_usual = len(link.fingerprint) == _KEY_BYTES
        if link.payload is not None or link.slot or not is_usual:
            row.append(None if link.payload is None else self._payloads.pack(link.payload))
        if link.slot or not is_usual:
            row.append("" if is_usual else link.fingerprint.hex())
        if link.slot:
            row.append(link.slot)
        return row

    def _link(self, row: list[Any], keys: Iterator[bytes]) -> Link:
        url, anchor, context, rel, position, tag_path, *more = row
        key = bytes.fromhex(more[1]) if len(more) > 1 and more[1] else next(keys)
        payload = self._payloads.unpack(more[0]) if more and more[0] is not None else None
        slot = more[2] if len(more) > 2 else ""
        return Link(url, key, anchor, context, tuple(rel), position, tag_path, payload, slot)

    def pack_links(self, links: tuple[Link, ...]) -> str:
        """Return the links of a `Placed` or `Linked`."""
        return to_json([[link.fingerprint.hex(), self._link_row(link)] for link in links])

    def unpack_links(self, packed: str) -> tuple[Link, ...]:
        """Undo `pack_links`."""
        rows = json.loads(packed)
        return tuple([self._link(row, iter([bytes.fromhex(key)])) for key, row in rows])

    def pack_outcome(self, outcome: Outcome) -> tuple[Fingerprint | None, str]:
        """Return the fingerprint of a fetched page and the outcome as JSON."""
        key = outcome.page.fingerprint if isinstance(outcome, Fetched) else None
        match outcome:
            case Fetched(page, cost):
                age_s = page.content.age_s
                record = [page.url, page.relevance, page.energy, page.version.hex(), age_s]
                data: list[Any] = ["fetched", _cost(cost), record]
            case Dead(reason, cost):
                data = ["dead", _cost(cost), reason]
            case Refused(cost, cause):
                data = ["refused", _cost(cost), *([cause] if cause else ())]
            case Dropped(reason):
                data = ["dropped", None, reason]
        return key, to_json(data)

    def unpack_outcome(
        self, packed: str, key: Fingerprint | None, content: bytes | None
    ) -> Outcome:
        """Undo `pack_outcome`; `content` is the packed content of a fetched page."""
        kind, cost, *rest = json.loads(packed)
        if kind == "fetched":
            url, relevance, energy, version, age_s = rest[0]
            stored, links = self.unpack_content(present(content))
            stored = Content(stored.title, stored.text, stored.language, stored.formats, age_s)
            version = bytes.fromhex(version)
            page = Page(url, present(key), relevance, energy, links, version, stored)
            return Fetched(page, Cost(*cost))
        if kind == "dead":
            return Dead(rest[0], Cost(*cost))
        if kind == "refused":
            return Refused(Cost(*cost), *rest)
        if kind == "dropped":
            return Dropped(rest[0])
        raise ValueError(kind)


def _cost(cost: Cost) -> tuple[float, ...]:
    plain = cost.seconds, cost.headers_s, cost.body_bytes, cost.requests
    return (*plain, cost.browser_requests) if cost.browser_requests else plain
