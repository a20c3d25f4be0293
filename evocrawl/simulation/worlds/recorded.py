"""A recorded, static world: the pages of a file."""

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
    """A compact page: `text` in UTF-8; `html` until its first extraction.

    If the file has no value, `latency_s` is negative and `date_s` is NaN.
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
    """The pages of `records`; the answer of any other address is 404.

    With the head of a `recording`, other addresses are unknown instead.

    A page without a latency takes `latency_s` seconds. Time 0 is the latest date of the file, so
    `changed_at_s` is at most 0. Of two pages with the same identity, the first counts;
    `duplicates` is the number of the others. A page given as HTML is extracted at its first
    request; then the extracted page is kept.
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
            logger.warning("%s: ignored %d duplicate pages", name, self.duplicates)

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> Self:
        """Read a world file; its name is that of the file or else of the folder.

        Takes about 0.6 ms for a page of 4 kB and 26 links, and the memory of the texts. Raises
        WorldError or OSError.
        """
        path = Path(path)
        stem = path.name.partition(".")[0]
        name = path.resolve().parent.name if stem in ("pages", "start") else stem
        head = Head.read(path)
        if head is not None and head.timeout_s:
            options = {"timeout_s": head.timeout_s, **options}
        world = cls(read_records(path), name, recording=head, **options)
        if not len(world):
            raise WorldError(path, 0, "", "the file contains no page")
        return world

    def __len__(self) -> int:
        return len(self._pages)

    def answer(self, url: str, now_s: float) -> Answer:  # noqa: ARG002
        """Return the answer of `url`; it is the same at all times."""
        entry = self.entry(url)
        if entry is None:
            return Answer(self._latency_s, 404, is_unknown=self.recording is not None)
        return self.answer_of(entry)

    def entry(self, url: str) -> Entry | None:
        """Return the entry of an address, None if it is unknown."""
        try:
            return self._entries.get(fingerprint(url))
        except ValueError:
            return None

    def is_page(self, entry: Entry) -> bool:
        """Return whether a crawl can fetch the page."""
        answers = entry.status < 400 and entry.latency_s < self.timeout_s
        return answers and not entry.redirect_to and not entry.is_forbidden

    def answer_of(self, entry: Entry) -> Answer:
        """Return the answer of the address of `entry`."""
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
        """Return all entries of the file: pages, redirects, errors, disallowed addresses."""
        return self._entries.values()

    def topics(self) -> tuple[str, ...]:
        """Return the sorted topics of all levels."""
        return self._labels.topics()

    def about(self, topic: str) -> frozenset[Fingerprint]:
        """Return the fetchable pages of a topic; raises KeyError if unknown."""
        fingerprints = self.addresses.fingerprints
        return frozenset(fingerprints[page] for page in self._labels.about(topic))

    def hosts(self) -> tuple[str, ...]:
        """Return the sorted hosts of the pages."""
        urls = self.addresses.urls
        return tuple(sorted({host_of(urls[entry.url]) for entry in self._entries.values()}))

    def robots_txt(self, host: str) -> str:
        """Return a robots.txt with one rule for each disallowed page of `host`."""
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
        """Return `record` as a compact entry of the address `number`."""
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
        """Extract a page as a crawl does; call it once."""
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
    """Return a robots.txt that disallows exactly these pages of a host, "" if there are none."""
    paths = [url.split("/", 3)[3].partition("#")[0] for url in urls]
    rules = [f"Disallow: /{path.replace('*', '%2A').replace('$', '%24')}$" for path in paths]
    return "\n".join(["User-agent: *", *rules, ""]) if rules else ""
