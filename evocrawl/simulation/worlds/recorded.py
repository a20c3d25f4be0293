"""A recorded world: pages of a file, standing still."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.simulation.worlds.answers import LATENCY_S, TIMEOUT_S, Answer, AnsweringWorld
from evocrawl.simulation.worlds.base import Document
from evocrawl.simulation.worlds.labels import Labels
from evocrawl.simulation.worlds.packed_links import NO_LINKS, Addresses, PackedLinks, Words
from evocrawl.simulation.worlds.recording_head import Head
from evocrawl.simulation.worlds.world_file import Record, WorldError, read_records

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Entry:
    """A page kept small: `text` in UTF-8; `html` until it is read for the first time.

    `latency_s` is negative and `date_s` is not a number where the file does not say.
    """

    url: int
    title: str
    text: bytes
    html: bytes
    links: PackedLinks
    language: str
    date_s: float | None
    status: int
    latency_s: float
    redirect_to: str
    is_forbidden: bool
    body_bytes: int = 0
    formats: tuple[str, ...] = ()


class Recorded(AnsweringWorld):
    """The pages of `records`; an address that is none of them answers 404.

    With the head of a `recording` it is unknown instead: nobody knows what it would have answered.

    A page that names no latency takes `latency_s` seconds. Time 0 is the latest date of the
    file, so that `changed_at_s` is at most 0. Of two pages of one identity the first counts;
    `duplicates` says how many were left out. A page given as HTML is read when it is first
    asked for, and then kept as it was read.
    """

    def __init__(
        self,
        records: Iterable[Record],
        name: str = "recorded",
        *,
        latency_s: float = LATENCY_S,
        timeout_s: float = TIMEOUT_S,
        recording: Head | None = None,
    ) -> None:
        self.name = name
        self.timeout_s = timeout_s
        self.recording = recording
        self.duplicates = 0
        self.extra: dict[Fingerprint, dict[str, Any]] = {}
        self.addresses = Addresses()
        self._latency_s = latency_s
        self._entries: dict[Fingerprint, Entry] = {}
        self._labels = Labels()
        for record in records:
            self._add(record)
        self._pages = array("I", (e.url for e in self._entries.values() if self.is_page(e)))
        dates = (entry.date_s for entry in self._entries.values())
        self.begins_at = max((date for date in dates if date is not None), default=0.0)
        if self.duplicates:
            logger.warning("%s: %d pages were there twice", name, self.duplicates)

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> Self:
        """Read a world file, named by its stem or else its folder; raises WorldError or OSError.

        Takes about 0.6 ms a page of 4 kB and 26 links, and the memory of their text.
        """
        path = Path(path)
        stem = path.name.partition(".")[0]
        name = path.resolve().parent.name if stem in ("pages", "start") else stem
        head = Head.read(path)
        if head is not None and head.timeout_s:
            options = {"timeout_s": head.timeout_s, **options}
        world = cls(read_records(path), name, recording=head, **options)
        if not len(world):
            raise WorldError(path, 0, "", "there is no page in it")
        return world

    def __len__(self) -> int:
        return len(self._pages)

    def answer(self, url: str, now_s: float) -> Answer:  # noqa: ARG002
        """Return what `url` answers; the same at all times."""
        entry = self.entry(url)
        if entry is None:
            return Answer(self._latency_s, 404, is_unknown=self.recording is not None)
        return self.answer_of(entry)

    def entry(self, url: str) -> Entry | None:
        """Return what is known of an address, None for nothing."""
        try:
            return self._entries.get(fingerprint(url))
        except ValueError:
            return None

    def is_page(self, entry: Entry) -> bool:
        """Return whether a crawl can ever fetch a page."""
        answers = entry.status < 400 and entry.latency_s < self.timeout_s
        return answers and not entry.redirect_to and not entry.is_forbidden

    def answer_of(self, entry: Entry) -> Answer:
        """Return what an address answers of which `entry` is known."""
        latency_s = self._latency_s if entry.latency_s < 0 else entry.latency_s
        if entry.is_forbidden:
            return Answer(latency_s, entry.status, is_forbidden=True)
        if entry.redirect_to:
            status = entry.status if 300 <= entry.status < 400 else 301
            return Answer(latency_s, status, location=entry.redirect_to)
        if entry.status >= 400:
            return Answer(latency_s, entry.status)
        document = self._document(entry)
        return Answer(latency_s, entry.status, document, body_bytes=entry.body_bytes)

    def documents(self) -> Iterator[Document]:
        """Return every page that can be fetched, in the order of the file."""
        for number in self._pages:
            yield self._document(self._entries[self.addresses.fingerprints[number]])

    def entries(self) -> Iterable[Entry]:
        """Return all that the file describes: pages, redirects, errors, forbidden ones."""
        return self._entries.values()

    def topics(self) -> tuple[str, ...]:
        """Return the topics of all levels, sorted."""
        return self._labels.topics()

    def about(self, topic: str) -> frozenset[Fingerprint]:
        """Return the fetchable pages of a topic; raises KeyError for none."""
        fingerprints = self.addresses.fingerprints
        return frozenset(fingerprints[page] for page in self._labels.about(topic))

    def hosts(self) -> tuple[str, ...]:
        """Return the hosts of the file's pages, sorted."""
        urls = self.addresses.urls
        return tuple(sorted({host_of(urls[entry.url]) for entry in self._entries.values()}))

    def robots_txt(self, host: str) -> str:
        """Return rules that forbid the forbidden pages of `host` one by one."""
        urls = [self.addresses.urls[e.url] for e in self._entries.values() if e.is_forbidden]
        return disallow(url for url in urls if host_of(url) == host)

    def _add(self, record: Record) -> None:
        number = self.addresses.number(record.url)
        key = self.addresses.fingerprints[number]
        if key in self._entries:
            self.duplicates += 1
            return
        entry = self._entries[key] = self.pack(number, record)
        if record.extra:
            self.extra[key] = record.extra
        if self.is_page(entry):
            self._labels.add(number, record.topics)

    def pack(self, number: int, record: Record) -> Entry:
        """Return `record` as it is kept, for the address `number`."""
        text, html = (record.text or "").encode(), (record.html or "").encode()
        return Entry(
            number,
            record.title or "",
            b"" if html else text,
            html,
            self.addresses.pack(self.addresses.fingerprints[number], record.links or ()),
            record.lang or "",
            record.date_s,
            record.status or 200,
            -1.0 if record.latency_s is None else record.latency_s,
            record.redirect_to or "",
            bool(record.is_forbidden),
            len(html or text),
            record.formats,
        )

    def _document(self, entry: Entry) -> Document:
        if entry.html:
            self._read(entry)
        return Document(
            self.addresses.urls[entry.url],
            self.addresses.fingerprints[entry.url],
            entry.title,
            entry.text.decode(),
            entry.language,
            self.addresses.unpack(entry.links),
            None if entry.date_s is None else entry.date_s - self.begins_at,
            entry.formats,
        )

    def _read(self, entry: Entry) -> None:
        """Read a page as a crawl would, once."""
        from evocrawl.extraction import parse_html

        url = self.addresses.urls[entry.url]
        reading = parse_html(entry.html, url, encoding="utf-8", content_language=entry.language)
        key = self.addresses.fingerprints[entry.url]
        entry.html = b""
        entry.title = reading.title
        entry.text = reading.text.encode("utf-8", "replace")
        entry.language = reading.language
        entry.formats = reading.formats
        entry.links = NO_LINKS if reading.nofollow else self.addresses.pack(
            key,
            (
                Words(link.url, link.anchor, link.context, " ".join(link.rel), link.tag_path)
                for link in reading.links
            ),
        )  # fmt: skip


def disallow(urls: Iterable[str]) -> str:
    """Return a robots.txt that forbids exactly these pages of one host, "" for none."""
    paths = [url.split("/", 3)[3].partition("#")[0] for url in urls]
    rules = [f"Disallow: /{path.replace('*', '%2A').replace('$', '%24')}$" for path in paths]
    return "\n".join(["User-agent: *", *rules, ""]) if rules else ""
