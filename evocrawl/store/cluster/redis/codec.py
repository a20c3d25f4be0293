"""JSON codec for links, pages, agents and rules; validates rows read from Redis.

Any client of Redis can write any row, so the codec checks each one (`row_checks`): its form, its
URL (http or https, and of the host under whose key it is), its numbers. It raises ValueError for an
invalid row, and the reader moves the row to the quarantine.
"""

from __future__ import annotations

import zlib
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from evocrawl.core.errors import StateError
from evocrawl.core.fetch import FetchDetails, RawResponse
from evocrawl.core.model import Content, Fingerprint, Lead, Link, Page
from evocrawl.core.urls.identity import identity
from evocrawl.population.exchange import PageDigest
from evocrawl.store.cluster.redis.row_checks import (
    MOST_BYTES,
    MOST_ENERGY,
    fingerprint_of,
    of_kind,
    read_row,
    real,
    real_or_text,
    share,
    strength_of,
    text_of,
    url_of,
    whole,
)
from evocrawl.store.journal.codec import OperationCodec, Payloads
from evocrawl.store.journal.operations.row import to_json

SCHEMA = 8
"""Version of the rows and keys; a worker refuses a crawl with another version."""

_MOST_CONTENT_BYTES = 64 << 20
_ANCHOR, _CONTEXT, _TITLE, _TAGS = 300, 500, 300, 300
_DOMAINS, _HOST = 64, 255
_SIZE_BYTES = 4
_TEXT = 4000
"""Characters of the text of a page that are sent with its links."""
_LEAST_COMPRESSED = 2048
"""Length of JSON from which on it is sent compressed: less takes longer to compress than to send.
"""


@dataclass(frozen=True, slots=True)
class Source:
    """The page on which a link was found, as stored in the link's row; `depth` is the page's."""

    url: str
    fingerprint: Fingerprint
    relevance: float
    depth: int
    title: str = ""


@dataclass(frozen=True, slots=True)
class TravellingAgent:
    """An agent that travels to another worker: its energy, the page of its link, its mind.

    The mind consists of numbers and texts, as its species packs it; it may be empty.
    """

    species: str
    energy: float
    page: Fingerprint
    mind: tuple[float | str, ...] = ()


@dataclass(frozen=True, slots=True)
class SharedRule:
    """The rule: IF all domains of `condition` are in sight THEN go to `target`, one of them."""

    condition: tuple[str, ...]
    target: str
    strength: float


Found: TypeAlias = list[tuple[str, Link, Source | None]]
"""Links, each with its host and the page that it was found on."""


class RowCodec:
    """Packs and unpacks rows; `payloads` converts the payloads of links."""

    def __init__(self, payloads: Payloads) -> None:
        self._payloads = payloads
        self._packer = OperationCodec(payloads)

    def pack_link(self, link: Link, source: Source | None) -> str:
        """Return the row of a link found on `source` (None: a seed). Cuts long texts."""
        row: dict[str, Any] = {
            "url": link.url, "anchor": link.anchor[:_ANCHOR], "context": link.context[:_CONTEXT],
            "rel": link.rel[:8], "position": link.position, "tags": link.tag_path[-_TAGS:],
        }  # fmt: skip
        if link.payload is not None:
            row["payload"] = self._payloads.pack(link.payload)
        if source is not None:
            row["source"] = [
                source.url, source.fingerprint.hex(), source.relevance, source.depth,
                source.title[:_TITLE],
            ]  # fmt: skip
        return to_json(row)

    def unpack_link(self, host: str, key: bytes, packed: bytes) -> tuple[Link, Source | None]:
        """Return the link and the page it was found on. Raises ValueError."""
        return self._link(host, key, read_row(packed, dict))

    def _link(self, host: str, key: bytes, row: dict[str, Any]) -> tuple[Link, Source | None]:
        url = url_of(row, host)
        payload = row.get("payload")
        link = Link(
            url,
            fingerprint_of(key),
            text_of(row, "anchor"),
            text_of(row, "context"),
            tuple(map(str, of_kind(row.get("rel", []), list))),
            whole(row.get("position", 0)),
            text_of(row, "tags"),
            None if payload is None else self._payloads.unpack(payload),
        )
        source = row.get("source")
        return link, None if source is None else _source(of_kind(source, list))

    @staticmethod
    def pack_digest(digest: PageDigest) -> bytes:
        """Return the digest of a page and the beginning of its text.

        It is packed once for all workers that get links of the page: JSON, with its size before it
        and the digests of species after it.
        """
        sizes = {name: len(each) for name, each in digest.of_species.items()}
        head = _pack_list(to_json([digest.text[:_TEXT], sizes]))
        return b"".join((_size_of(head), head, *digest.of_species.values()))

    @staticmethod
    def pack_found(digest: bytes, rows: Iterable[tuple[str, str, str]]) -> bytes:
        """Return links of one page, given by host, hexadecimal target and row, after its digest.

        The digest has its size before it, in four bytes.
        """
        # A row is JSON.
        links = ",".join(f'[{to_json(host)},"{key}",{row}]' for host, key, row in rows)
        return _size_of(digest) + digest + _pack_list(f"[{links}]")

    def unpack_found(self, packed: bytes, hosts: Container[str]) -> tuple[PageDigest, Found]:
        """Return the digest of the page, and the links to `hosts`. Raises ValueError."""
        digest, rows = _divided(packed)
        try:
            head, digests = _divided(digest)
            text, sizes = _unpack_list(head)
            of_species, at = {}, 0
            for name, size in of_kind(sizes, dict).items():
                of_species[name] = digests[at : at + whole(size)]
                at += size
            links = [
                (host, *self._link(host, of_kind(key, str).encode(), of_kind(row, dict)))
                for host, key, row in _unpack_list(rows)
                if of_kind(host, str) in hosts
            ]
        except (zlib.error, TypeError) as error:
            raise ValueError(f"links cannot be read: {error}") from None
        return PageDigest(of_kind(text, str)[:_TEXT], of_species), links

    def pack_record(
        self, page: Page, lead: Lead, details: FetchDetails, seconds: float, worker: str
    ) -> str:
        """Return the record of a page that `worker` fetched by `lead` in `seconds`."""
        return to_json(
            {
                "url": page.url, "relevance": page.relevance, "energy": page.energy,
                "version": page.version.hex(), "age_s": page.content.age_s, "depth": lead.depth,
                "anchor": lead.anchor[:_ANCHOR], "parent": details.parent, "agent": details.agent,
                "status": details.status, "fetched_at": details.fetched_at, "seconds": seconds,
                "duplicate_of": details.duplicate_of, "truncated": " ".join(details.truncated),
                "published_at": details.published_at, "changed_at": details.changed_at,
                "worker": worker,
            }
        )  # fmt: skip

    @staticmethod
    def pack_answer(answer: RawResponse) -> bytes:
        """Return the row of an HTTP response: a line of JSON, then the raw body."""
        return to_json([answer.status_line, answer.headers]).encode() + b"\n" + answer.body

    def pack_content(self, page: Page) -> bytes:
        """Return the content and the links of a page with their payloads, compressed."""
        return self._packer.pack_content(page)

    def unpack_page(
        self, host: str, key: bytes, record: bytes, content: bytes
    ) -> tuple[Page, dict[str, Any]]:
        """Return a page and its record. Raises ValueError."""
        row = read_row(record, dict)
        url = url_of(row, host)
        try:
            stored, links = self._packer.unpack_content(content, most=_MOST_CONTENT_BYTES)
        except (zlib.error, TypeError, StopIteration, StateError, RecursionError) as error:
            raise ValueError(f"a page's content cannot be read: {error}") from error
        age_s = None if row.get("age_s") is None else real(row["age_s"])
        page = Page(
            url,
            fingerprint_of(key),
            share(row.get("relevance")),
            real(row.get("energy")),
            links,
            bytes.fromhex(text_of(row, "version")),
            Content(stored.title, stored.text, stored.language, stored.formats, age_s),
        )
        return page, row

    @staticmethod
    def pack_guest(guest: TravellingAgent) -> str:
        """Return the row of a travelling agent."""
        return to_json([guest.species, guest.energy, guest.page.hex(), guest.mind])

    @staticmethod
    def unpack_guest(packed: bytes) -> TravellingAgent:
        """Return the agent. Raises ValueError."""
        row = read_row(packed, list)
        if len(row) != 4:
            raise ValueError("an agent must have four fields")
        species, energy, page, known = row
        mind = tuple(map(real_or_text, of_kind(known, list)))
        if abs(real(energy)) > MOST_ENERGY:
            raise ValueError("the energy of an agent is too large")
        return TravellingAgent(
            str(of_kind(species, str)), real(energy), bytes.fromhex(of_kind(page, str)), mind
        )

    @staticmethod
    def pack_rule(rule: SharedRule) -> str:
        """Return the row of a rule without its strength."""
        return to_json([rule.target, *rule.condition])

    @staticmethod
    def unpack_rule(packed: bytes, strength: float) -> SharedRule:
        """Return the rule. Raises ValueError."""
        target, *condition = (str(of_kind(each, str)) for each in read_row(packed, list) or [""])
        in_order = sorted({*condition})
        if condition != in_order or target not in condition or len(condition) > _DOMAINS:
            raise ValueError("invalid rule")
        if max(map(len, condition)) > _HOST:
            raise ValueError("a domain is too long")
        return SharedRule(tuple(condition), target, strength_of(strength))


def pack_about(about: dict[str, Any]) -> str:
    """Return the identity of a crawl with the version of the rows."""
    return to_json({"schema": SCHEMA, **about})


def _size_of(part: bytes) -> bytes:
    return len(part).to_bytes(_SIZE_BYTES, "big")


def _divided(packed: bytes) -> tuple[bytes, bytes]:
    """Return a part that has its size before it, and what follows it."""
    end = _SIZE_BYTES + int.from_bytes(packed[:_SIZE_BYTES], "big")
    return packed[_SIZE_BYTES:end], packed[end:]


def _pack_list(row: str) -> bytes:
    """Return a list, given as JSON, compressed if it is long."""
    packed = row.encode()
    return packed if len(packed) < _LEAST_COMPRESSED else zlib.compress(packed, 1)


def _unpack_list(packed: bytes) -> list[Any]:
    """Undo `_pack_list`. Raises ValueError or zlib.error."""
    if not packed.startswith(b"["):
        packed = zlib.decompressobj().decompress(packed, MOST_BYTES + 1)
    found: list[Any] = read_row(packed, list)
    return found


def _source(row: list[Any]) -> Source:
    if len(row) != 5:
        raise ValueError("the source of a link must have five fields")
    url, key, relevance, depth, title = row
    identity(of_kind(url, str))
    return Source(
        url, bytes.fromhex(of_kind(key, str)), share(relevance), whole(depth), of_kind(title, str)
    )
