"""A recorded world that changes: a world file for time 0, and a list of timed changes.

The changes are JSON lines (plain, gzip or zstd) in any order. Each has the keys of a page of a
world file (see `evocrawl.simulation.worlds.world_file`) and three more; a missing key changes
nothing:

=============  ============================================================================
key            meaning
=============  ============================================================================
at_s           seconds since time 0; required
text_added     words appended to the text
links_added    links appended to the links
=============  ============================================================================

``{"at_s": 3600, "url": U, "status": 410}`` removes a page, and a `status` of 200 restores it. A
page that is not in the world file appears with its first change. A change at a time below 0
happened before the world file was written: it sets the date of the page and changes nothing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.simulation.worlds.answers import Answer, AnsweringWorld
from evocrawl.simulation.worlds.base import Document
from evocrawl.simulation.worlds.labels import Labels
from evocrawl.simulation.worlds.packed_links import PackedLinks, Words
from evocrawl.simulation.worlds.recorded import Entry, Recorded
from evocrawl.simulation.worlds.world_file import Fields, Record, read_lines


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a page at `at_s` seconds: new values of `record`, appended words and links."""

    at_s: float
    record: Record
    text_added: str = ""
    links_added: tuple[Words, ...] = ()


@dataclass(slots=True)
class _PageHistory:
    """All changes of one page, in order, and their `times`."""

    times: array[float] = field(default_factory=lambda: array("d"))
    changes: list[tuple[Record, bytes, PackedLinks, PackedLinks | None]] = field(
        default_factory=list
    )


def read_changes(path: str | Path) -> Iterator[Change]:
    """Yield the changes of a file in the format above; raises WorldError or OSError."""
    for number, row in read_lines(path):
        fields = Fields(path, number, row)
        at_s = fields.number("at_s", -1e12)
        if at_s is None:
            raise fields.fail("at_s", "is missing")
        added, links = fields.text("text_added"), fields.links("links_added")
        yield Change(at_s, fields.record(), added or "", tuple(links or ()))


class Changing(AnsweringWorld):
    """The recorded world `start`, modified by `changes`.

    Searches use the pages of time 0; topics are those of all pages of all times. A fetch takes
    O(changes of the page).
    """

    def __init__(self, start: Recorded, changes: Iterable[Change]) -> None:
        self.name = start.name
        self.timeout_s = start.timeout_s
        self._start = start
        self._histories: dict[Fingerprint, _PageHistory] = {}
        self._later_labels = Labels()
        self._added_later: dict[Fingerprint, int] = {}
        for change in sorted(changes, key=lambda change: change.at_s):
            self._add(change)

    @classmethod
    def read(cls, start: str | Path, changes: str | Path, **options: Any) -> Self:
        """Read a world file and its changes; raises WorldError or OSError."""
        return cls(Recorded.read(start, **options), read_changes(changes))

    def __len__(self) -> int:
        return len(self._start) + len(self._added_later)

    def answer(self, url: str, now_s: float) -> Answer:
        """Return the answer of `url` at `now_s`."""
        try:
            key = fingerprint(url)
        except ValueError:
            return self._start.answer(url, now_s)
        history = self._histories.get(key)
        if history is None:
            return self._start.answer(url, now_s)
        entry = self._entry(url, history, now_s)
        if entry is None:
            return self._start.answer(url, now_s)
        answer = self._start.answer_of(entry)
        if answer.document is None:
            return answer
        changed_at_s = _changed_at(history, now_s, answer.document.changed_at_s)
        document = replace(answer.document, changed_at_s=changed_at_s)
        return replace(answer, document=document)

    def documents(self) -> Iterator[Document]:
        """Return every page that can be fetched at time 0: pages of the file, then others."""
        for document in self._start.documents():
            if document.fingerprint not in self._histories:
                yield document
            elif now := self.answer(document.url, 0.0).document:
                yield now
        for number in self._added_later.values():
            if now := self.answer(self._start.addresses.urls[number], 0.0).document:
                yield now

    def topics(self) -> tuple[str, ...]:
        """Return the sorted topics of all levels."""
        return tuple(sorted({*self._start.topics(), *self._later_labels.topics()}))

    def about(self, topic: str) -> frozenset[Fingerprint]:
        """Return the pages of a topic at all times; raises KeyError if unknown."""
        if topic not in self.topics():
            raise KeyError(topic)
        start = self._start.about(topic) if topic in self._start.topics() else frozenset()
        late = self._later_labels.about(topic) if topic in self._later_labels.topics() else ()
        return start.union(self._start.addresses.fingerprints[page] for page in late)

    def hosts(self) -> tuple[str, ...]:
        """Return the sorted hosts of all pages of all times."""
        urls = self._start.addresses.urls
        late = {host_of(urls[number]) for number in self._added_later.values()}
        return tuple(sorted(late.union(self._start.hosts())))

    def robots_txt(self, host: str) -> str:
        """Return the robots.txt of the world file; it does not change with time."""
        return self._start.robots_txt(host)

    def _add(self, change: Change) -> None:
        start, record = self._start, change.record
        number = start.addresses.number(record.url)
        key = start.addresses.fingerprints[number]
        history = self._histories.setdefault(key, _PageHistory())
        links = None if record.links is None else start.addresses.pack(key, record.links)
        added = start.addresses.pack(key, change.links_added)
        history.times.append(change.at_s)
        history.changes.append(
            (replace(record, links=None), change.text_added.encode(), added, links)
        )
        entry = start.entry(record.url)
        becomes_page = (record.status or 200) < 400 and not record.redirect_to
        if (entry is None or not start.is_page(entry)) and becomes_page and change.at_s >= 0:
            if key not in self._added_later:
                self._added_later[key] = number
            self._later_labels.add(number, record.topics)

    def _entry(self, url: str, history: _PageHistory, now_s: float) -> Entry | None:
        """Return the entry of a page after all changes up to now."""
        entry = self._start.entry(url)
        if entry is not None:
            if entry.html:
                self._start.answer_of(entry)
            entry = replace(entry)
        first, last = bisect_right(history.times, -1e-9), bisect_right(history.times, now_s)
        for record, text_added, links_added, links in history.changes[first:last]:
            if entry is None:
                entry = self._start.pack(self._start.addresses.number(url), record)
            else:
                _rewrite(entry, record)
            if links is not None:
                entry.links = links
            if text_added:
                entry.text += b"\n" + text_added
            entry.links = _joined(entry.links, links_added)
            entry.body_bytes = len(entry.html or entry.text)
        return entry


def _changed_at(history: _PageHistory, now_s: float, otherwise: float | None) -> float | None:
    last = bisect_right(history.times, now_s)
    return history.times[last - 1] if last else otherwise


def _rewrite(entry: Entry, record: Record) -> None:
    """Set the values of `entry` that `record` contains."""
    if record.title is not None:
        entry.title = record.title
    if record.text is not None:
        entry.text, entry.html = record.text.encode(), b""
    if record.html is not None:
        entry.html = record.html.encode()
    if record.lang is not None:
        entry.language = record.lang
    if record.status is not None:
        entry.status, entry.redirect_to = record.status, ""
    if record.redirect_to is not None:
        entry.redirect_to = record.redirect_to
    if record.latency_s is not None:
        entry.latency_s = record.latency_s
    if record.is_forbidden is not None:
        entry.is_forbidden = record.is_forbidden


def _joined(links: PackedLinks, added: PackedLinks) -> PackedLinks:
    if not links.targets or not added.targets:
        return links if links.targets else added
    known = set(links.targets)
    new = [place for place, target in enumerate(added.targets) if target not in known]
    if not new:
        return links
    words = added.words.split("\0")
    kept = [word for place in new for word in words[4 * place : 4 * place + 4]]
    targets = links.targets + array("I", (added.targets[place] for place in new))
    return PackedLinks(targets, "\0".join([links.words, *kept]))
