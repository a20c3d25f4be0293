"""Codec of journal operations: converts them to rows of JSON and bytes, and back.

A row is ``(kind, at, visit, key, content, data)``: a tag, seconds, the number of a visit, a
fingerprint, the digest of a page's content, and JSON for the rest. Unused columns are None.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import astuple
from hashlib import blake2b
from typing import Any, Protocol, TypeAlias

from evocrawl.core.errors import StateError
from evocrawl.core.model import Content, Cost, Dead, Dropped, Fetched, Link, Outcome, Page, Refused
from evocrawl.store.journal.operations import (
    Chosen,
    Claimed,
    GivenBack,
    HostHeld,
    HostLocated,
    Limited,
    Linked,
    Op,
    OriginClosed,
    OriginOpened,
    Placed,
    Released,
    RunStarted,
    Spent,
    VisitSettled,
    WentOn,
)

Row: TypeAlias = tuple[str, float | None, int | None, bytes | None, bytes | None, str | None]

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

    def pack(self, op: Op, content: bytes | None = None) -> Row:
        """Return the row of `op`; `content` is the digest of the content of a fetched page."""
        match op:
            case Chosen(now_s, doors, visit, target):
                answers = _json(doors) if any(doors) else None
                return ("choose", now_s, visit, target, None, answers)
            case Spent(visit):
                return ("spend", None, visit, None, None, None)
            case VisitSettled(visit, outcome):
                return self._landed(visit, outcome, content)
            case Limited(host, concurrency, delay_s):
                return ("limit", None, None, None, None, _json([host, concurrency, delay_s]))
            case HostHeld(host, until_s):
                return ("hold", until_s, None, None, None, _json(host))
            case HostLocated():
                return ("locate", None, None, None, None, _json(astuple(op)))
            case Placed(links):
                return ("place", None, None, None, None, self._seeds(links))
            case Linked(page, links):
                return ("link", None, None, page, None, self._seeds(links))
            case Claimed(visit, target):
                return ("claim", None, visit, target, None, None)
            case Released(target):
                return ("release", None, None, target, None, None)
            case OriginOpened(door):
                return ("open", None, None, None, None, _json(door))
            case OriginClosed(door):
                return ("shut", None, None, None, None, _json(door))
            case GivenBack(visit, url):
                return ("return", None, visit, None, None, _json(url) if url else None)
            case WentOn(visit, host, now_s):
                return ("move", now_s, visit, None, None, _json(host))
            case RunStarted():
                return ("begin", None, None, None, None, _json(astuple(op)))

    def unpack(self, row: Row, content: bytes | None = None) -> Op:
        """Return the operation of a row. Raises StateError if the row is invalid.

        `content` is the packed content of a fetched page.
        """
        try:
            return _READERS[row[0]](self, row, content)
        except (KeyError, ValueError, TypeError, StopIteration, zlib.error) as error:
            raise StateError(f"an entry {row[0]!r} cannot be read: {error}") from error

    def pack_content(self, page: Page) -> bytes:
        """Return the text, the properties and the links of a page, compressed."""
        content, links = page.content, page.links
        rows = [self._link_row(link) for link in links]
        whole = [content.title, content.text, content.language, content.formats, rows]
        keys = b"".join(link.fingerprint for link in links if len(link.fingerprint) == _KEY_BYTES)
        return zlib.compress(_json(whole).encode(), _LEVEL) + keys

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

    def _seeds(self, links: tuple[Link, ...]) -> str:
        return _json([[link.fingerprint.hex(), self._link_row(link)] for link in links])

    def read_seeds(self, packed: str) -> tuple[Link, ...]:
        """Return the links of a `Placed` or `Linked`."""
        rows = json.loads(packed)
        return tuple([self._link(row, iter([bytes.fromhex(key)])) for key, row in rows])

    def _landed(self, visit: int, outcome: Outcome, content: bytes | None) -> Row:
        key = outcome.page.fingerprint if isinstance(outcome, Fetched) else None
        match outcome:
            case Fetched(page, cost):
                age_s = page.content.age_s
                record = [page.url, page.relevance, page.energy, page.version.hex(), age_s]
                data: list[Any] = ["fetched", _cost(cost), record]
            case Dead(reason, cost):
                data = ["dead", _cost(cost), reason]
            case Refused(cost):
                data = ["refused", _cost(cost)]
            case Dropped(reason):
                data = ["dropped", None, reason]
        return ("settle", None, visit, key, content, _json(data))

    def read_landed(self, row: Row, content: bytes | None) -> VisitSettled:
        """Return the settled visit of a row."""
        kind, cost, *rest = json.loads(row[5] or "")
        if kind == "fetched":
            url, relevance, energy, version, age_s = rest[0]
            stored, links = self.unpack_content(_there(content))
            stored = Content(stored.title, stored.text, stored.language, stored.formats, age_s)
            version = bytes.fromhex(version)
            page = Page(url, _there(row[3]), relevance, energy, links, version, stored)
            return VisitSettled(_there(row[2]), Fetched(page, Cost(*cost)))
        if kind == "dead":
            return VisitSettled(_there(row[2]), Dead(rest[0], Cost(*cost)))
        if kind == "refused":
            return VisitSettled(_there(row[2]), Refused(Cost(*cost)))
        if kind == "dropped":
            return VisitSettled(_there(row[2]), Dropped(rest[0]))
        raise ValueError(kind)


def _chosen(row: Row) -> Chosen:
    return Chosen(_there(row[1]), tuple(json.loads(row[5] or "[]")), row[2], row[3])


def _began(row: Row) -> RunStarted:
    limit, max_unsettled, (concurrency, delay_s) = json.loads(row[5] or "")
    return RunStarted(limit, max_unsettled, (concurrency, delay_s))


_READERS: dict[str, Callable[[OperationCodec, Row, bytes | None], Op]] = {
    "choose": lambda _, row, __: _chosen(row),
    "spend": lambda _, row, __: Spent(row[2]),
    "settle": lambda packer, row, content: packer.read_landed(row, content),
    "limit": lambda _, row, __: Limited(*json.loads(row[5] or "")),
    "hold": lambda _, row, __: HostHeld(json.loads(row[5] or ""), _there(row[1])),
    "locate": lambda _, row, __: HostLocated(*json.loads(row[5] or "")),
    "place": lambda packer, row, _: Placed(packer.read_seeds(row[5] or "")),
    "link": lambda packer, row, _: Linked(_there(row[3]), packer.read_seeds(row[5] or "")),
    "claim": lambda _, row, __: Claimed(_there(row[2]), _there(row[3])),
    "release": lambda _, row, __: Released(_there(row[3])),
    "open": lambda _, row, __: OriginOpened(json.loads(row[5] or "")),
    "shut": lambda _, row, __: OriginClosed(json.loads(row[5] or "")),
    "return": lambda _, row, __: GivenBack(_there(row[2]), json.loads(row[5] or '""')),
    "move": lambda _, row, __: WentOn(_there(row[2]), json.loads(row[5] or ""), _there(row[1])),
    "begin": lambda _, row, __: _began(row),
}


def _cost(cost: Cost) -> tuple[float, ...]:
    return cost.seconds, cost.headers_s, cost.body_bytes, cost.requests


def _there(value: Any) -> Any:
    if value is None:
        raise ValueError("a field is missing")
    return value


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
