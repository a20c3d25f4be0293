"""JSON codec for links, pages, agents and rules; validates rows read from Redis.

Any client of Redis can write any row, so the codec checks each one: its form, its URL (http or
https, and of the host under whose key it is), its numbers. It raises ValueError for an invalid row,
and the reader moves the row to the quarantine.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from evocrawl.core.errors import StateError
from evocrawl.core.fetch import FetchDetails, RawResponse
from evocrawl.core.model import Content, Fingerprint, Lead, Link, Page
from evocrawl.core.urls.identity import host_of, identity
from evocrawl.store.journal.codec import OperationCodec, Payloads

SCHEMA = 2
"""Version of the rows and keys; a worker refuses a crawl with another version."""

_MOST_BYTES = 1 << 20
_MOST_ENERGY = 1e6
_MOST_CONTENT_BYTES = 64 << 20
_ANCHOR, _CONTEXT, _TITLE, _URL, _TAGS = 300, 500, 300, 8192, 300
_DOMAINS, _HOST = 64, 255
_TEXT = 4000
"""Length of the text of a page that is sent with its links: what species read of it."""


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
        return _json(row)

    def unpack_link(self, host: str, key: bytes, packed: bytes) -> tuple[Link, Source | None]:
        """Return the link and the page it was found on. Raises ValueError."""
        row = _read(packed, dict)
        url = _url(row, host)
        payload = row.get("payload")
        link = Link(
            url,
            _key(key),
            _text(row, "anchor"),
            _text(row, "context"),
            tuple(str(each) for each in _of(row.get("rel", []), list)),
            _whole(row.get("position", 0)),
            _text(row, "tags"),
            None if payload is None else self._payloads.unpack(payload),
        )
        source = row.get("source")
        return link, None if source is None else _source(_of(source, list))

    @staticmethod
    def pack_found(text: str, rows: Iterable[tuple[str, str, str]]) -> bytes:
        """Return links of one page, given by host, hexadecimal target and row, with the beginning
        of the page's text. Compressed JSON.
        """
        return zlib.compress(_json([text[:_TEXT], [*rows]]).encode(), 1)

    def unpack_found(self, packed: bytes, hosts: Container[str]) -> tuple[str, Found]:
        """Return the text, and the links to `hosts`. Raises ValueError."""
        try:
            reader = zlib.decompressobj()
            text, rows = _read(reader.decompress(packed, _MOST_BYTES + 1), list)
            wanted = [(_of(host, str), _of(key, str), _of(row, str)) for host, key, row in rows]
        except (zlib.error, TypeError) as error:
            raise ValueError(f"links cannot be read: {error}") from None
        links = [
            (host, *self.unpack_link(host, key.encode(), row.encode()))
            for host, key, row in wanted
            if host in hosts
        ]
        return _of(text, str)[:_TEXT], links

    def pack_record(
        self, page: Page, lead: Lead, details: FetchDetails, seconds: float, worker: str
    ) -> str:
        """Return the record of a page that `worker` fetched by `lead` in `seconds`."""
        return _json(
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
        return _json([answer.status_line, answer.headers]).encode() + b"\n" + answer.body

    def pack_content(self, page: Page) -> bytes:
        """Return the content and the links of a page with their payloads, compressed."""
        return self._packer.pack_content(page)

    def unpack_page(
        self, host: str, key: bytes, record: bytes, content: bytes
    ) -> tuple[Page, dict[str, Any]]:
        """Return a page and its record. Raises ValueError."""
        row = _read(record, dict)
        url = _url(row, host)
        try:
            stored, links = self._packer.unpack_content(content, most=_MOST_CONTENT_BYTES)
        except (zlib.error, TypeError, StopIteration, StateError, RecursionError) as error:
            raise ValueError(f"a page's content cannot be read: {error}") from error
        age_s = None if row.get("age_s") is None else _real(row["age_s"])
        page = Page(
            url,
            _key(key),
            _share(row.get("relevance")),
            _real(row.get("energy")),
            links,
            bytes.fromhex(_text(row, "version")),
            Content(stored.title, stored.text, stored.language, stored.formats, age_s),
        )
        return page, row

    @staticmethod
    def pack_guest(guest: TravellingAgent) -> str:
        """Return the row of a travelling agent."""
        return _json([guest.species, guest.energy, guest.page.hex(), guest.mind])

    @staticmethod
    def unpack_guest(packed: bytes) -> TravellingAgent:
        """Return the agent. Raises ValueError."""
        row = _read(packed, list)
        if len(row) != 4:
            raise ValueError("an agent must have four fields")
        species, energy, page, known = row
        mind = tuple(map(_real_or_text, _of(known, list)))
        if abs(_real(energy)) > _MOST_ENERGY:
            raise ValueError("the energy of an agent is too large")
        return TravellingAgent(
            str(_of(species, str)), _real(energy), bytes.fromhex(_of(page, str)), mind
        )

    @staticmethod
    def pack_rule(rule: SharedRule) -> str:
        """Return the row of a rule without its strength."""
        return _json([rule.target, *rule.condition])

    @staticmethod
    def unpack_rule(packed: bytes, strength: float) -> SharedRule:
        """Return the rule. Raises ValueError."""
        target, *condition = (str(_of(each, str)) for each in _read(packed, list) or [""])
        in_order = sorted({*condition})
        if condition != in_order or target not in condition or len(condition) > _DOMAINS:
            raise ValueError("invalid rule")
        if max(map(len, condition)) > _HOST:
            raise ValueError("a domain is too long")
        return SharedRule(tuple(condition), target, _strength(strength))


def pack_about(about: dict[str, Any]) -> str:
    """Return the identity of a crawl with the version of the rows."""
    return _json({"schema": SCHEMA, **about})


def _source(row: list[Any]) -> Source:
    if len(row) != 5:
        raise ValueError("the source of a link must have five fields")
    url, key, relevance, depth, title = row
    identity(_of(url, str))
    return Source(
        url, bytes.fromhex(_of(key, str)), _share(relevance), _whole(depth), _of(title, str)
    )


def _url(row: dict[str, Any], host: str) -> str:
    url = str(_of(row.get("url"), str))
    if len(url) > _URL:
        raise ValueError("a URL is too long")
    identity(url)
    if host_of(url) != host:
        raise ValueError(f"a link to another host: {url[:200]!r}")
    return url


def _key(key: bytes) -> Fingerprint:
    fingerprint = bytes.fromhex(key.decode("ascii"))
    if not 12 <= len(fingerprint) <= 64:
        raise ValueError("a target must have 12 to 64 bytes")
    return fingerprint


def _read(packed: bytes, kind: type) -> Any:
    if len(packed) > _MOST_BYTES:
        raise ValueError("an entry is too large")
    try:
        return _of(json.loads(packed, parse_constant=_refuse), kind)
    except RecursionError as error:
        raise ValueError("an entry is nested too deeply") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


def _of(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"expected {kind.__name__}, found {type(value).__name__}")
    return value


def _text(row: dict[str, Any], name: str) -> str:
    return str(_of(row.get(name, ""), str))


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
        raise ValueError("expected a whole number from 0 to 2147483647")
    return value


def _real(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError("expected a finite number")
    return float(value)


def _real_or_text(value: Any) -> float | str:
    return value if isinstance(value, str) else _real(value)


def _strength(value: float) -> float:
    if not 0 <= _real(value) <= _MOST_ENERGY:
        raise ValueError("the strength of a rule is out of range")
    return value


def _share(value: Any) -> float:
    share = _real(value)
    if not 0 <= share <= 1:
        raise ValueError("a relevance must be in [0, 1]")
    return share


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
