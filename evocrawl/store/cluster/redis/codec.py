"""Links, pages and agents as JSON, and what is believed of them when they come back.

Whoever can write to Redis can write anything there, so that every row is checked: its form, its
URL (http or https, of the host under which it lies), its numbers. One that fails raises ValueError
and is put aside by whoever reads it.
"""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import dataclass
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.core.fetch import FetchDetails, RawResponse
from evocrawl.core.model import Content, Fingerprint, Lead, Link, Page
from evocrawl.core.urls.identity import host_of, identity
from evocrawl.store.journal.codec import OperationCodec, Payloads

SCHEMA = 2
"""Version of the rows and keys; a Redis with another is refused."""

_MOST_BYTES = 1 << 20
_MOST_ENERGY = 1e6
_MOST_CONTENT_BYTES = 64 << 20
_ANCHOR, _CONTEXT, _TITLE, _URL, _TAGS = 300, 500, 300, 8192, 300
_DOMAINS, _HOST = 64, 255


@dataclass(frozen=True, slots=True)
class Source:
    """The page on which a link stands, as far as a link tells of it; `depth` is the page's."""

    url: str
    fingerprint: Fingerprint
    relevance: float
    depth: int
    title: str = ""


@dataclass(frozen=True, slots=True)
class TravellingAgent:
    """An agent that travels: its energy, the page on which it found its link, its mind if any.

    The mind is numbers and texts, as its species packs it.
    """

    species: str
    energy: float
    page: Fingerprint
    mind: tuple[float | str, ...] = ()


@dataclass(frozen=True, slots=True)
class SharedRule:
    """IF all domains of `condition` are in sight THEN go to `target`, one of them."""

    condition: tuple[str, ...]
    target: str
    strength: float


class RowCodec:
    """Packs and unpacks; `payloads` knows what links carry."""

    def __init__(self, payloads: Payloads) -> None:
        self._payloads = payloads
        self._packer = OperationCodec(payloads)

    def pack_link(self, link: Link, source: Source | None) -> str:
        """Return the row of a link found on `source` (None: a seed). Long texts are cut."""
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
        """Return the link, and the page it was found on; raises ValueError."""
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

    def pack_record(
        self, page: Page, lead: Lead, told: FetchDetails, seconds: float, worker: str
    ) -> str:
        """Return the record of a page that `worker` reached by `lead` in so many `seconds`."""
        return _json(
            {
                "url": page.url, "relevance": page.relevance, "energy": page.energy,
                "version": page.version.hex(), "age_s": page.content.age_s, "depth": lead.depth,
                "anchor": lead.anchor[:_ANCHOR], "parent": told.parent, "agent": told.agent,
                "status": told.status, "fetched_at": told.fetched_at, "seconds": seconds,
                "duplicate_of": told.duplicate_of, "truncated": " ".join(told.truncated),
                "published_at": told.published_at, "changed_at": told.changed_at, "worker": worker,
            }
        )  # fmt: skip

    @staticmethod
    def pack_answer(answer: RawResponse) -> bytes:
        """Return an HTTP answer: a line of JSON, then the body as it came."""
        return _json([answer.status_line, answer.headers]).encode() + b"\n" + answer.body

    def pack_content(self, page: Page) -> bytes:
        """Return what a page says and links to, and what its links carry, compressed."""
        return self._packer.pack_content(page)

    def unpack_page(
        self, host: str, key: bytes, record: bytes, content: bytes
    ) -> tuple[Page, dict[str, Any]]:
        """Return a page and its record; raises ValueError."""
        row = _read(record, dict)
        url = _url(row, host)
        try:
            said, links = self._packer.unpack_content(content, most=_MOST_CONTENT_BYTES)
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
            Content(said.title, said.text, said.language, said.formats, age_s),
        )
        return page, row

    @staticmethod
    def pack_guest(guest: TravellingAgent) -> str:
        """Return the row of an agent that travels."""
        return _json([guest.species, guest.energy, guest.page.hex(), guest.mind])

    @staticmethod
    def unpack_guest(packed: bytes) -> TravellingAgent:
        """Return the agent; raises ValueError."""
        row = _read(packed, list)
        if len(row) != 4:
            raise ValueError("an agent has four fields")
        species, energy, page, known = row
        mind = tuple(map(_real_or_text, _of(known, list)))
        if abs(_real(energy)) > _MOST_ENERGY:
            raise ValueError("no agent has so much energy")
        return TravellingAgent(
            str(_of(species, str)), _real(energy), bytes.fromhex(_of(page, str)), mind
        )

    @staticmethod
    def pack_rule(rule: SharedRule) -> str:
        """Return a rule's row, without its strength."""
        return _json([rule.target, *rule.condition])

    @staticmethod
    def unpack_rule(packed: bytes, strength: float) -> SharedRule:
        """Return the rule; raises ValueError."""
        target, *condition = (str(_of(each, str)) for each in _read(packed, list) or [""])
        in_order = sorted({*condition})
        if condition != in_order or target not in condition or len(condition) > _DOMAINS:
            raise ValueError("no rule")
        if max(map(len, condition)) > _HOST:
            raise ValueError("a domain is too long")
        return SharedRule(tuple(condition), target, _strength(strength))


def pack_about(about: dict[str, Any]) -> str:
    """Return what a crawl is, with the version of the rows."""
    return _json({"schema": SCHEMA, **about})


def _source(row: list[Any]) -> Source:
    if len(row) != 5:
        raise ValueError("a link's source has five fields")
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
        raise ValueError("a target is 12 to 64 bytes")
    return fingerprint


def _read(packed: bytes, kind: type) -> Any:
    if len(packed) > _MOST_BYTES:
        raise ValueError("an entry is too large")
    try:
        return _of(json.loads(packed, parse_constant=_refuse), kind)
    except RecursionError as error:
        raise ValueError("an entry is too deep") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def _of(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{type(value).__name__} where {kind.__name__} should be")
    return value


def _text(row: dict[str, Any], name: str) -> str:
    return str(_of(row.get(name, ""), str))


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
        raise ValueError("no whole number")
    return value


def _real(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError("no number")
    return float(value)


def _real_or_text(value: Any) -> float | str:
    return value if isinstance(value, str) else _real(value)


def _strength(value: float) -> float:
    if not 0 <= _real(value) <= _MOST_ENERGY:
        raise ValueError("no rule is so strong")
    return value


def _share(value: Any) -> float:
    share = _real(value)
    if not 0 <= share <= 1:
        raise ValueError("a relevance lies in [0, 1]")
    return share


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
