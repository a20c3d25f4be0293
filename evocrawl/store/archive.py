"""Reads a stored crawl, while it runs or later."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar, cast

from evocrawl.core.errors import StateError
from evocrawl.core.fetch import RawResponse
from evocrawl.core.model import Fingerprint, VisitId
from evocrawl.core.urls.identity import fingerprint
from evocrawl.politeness.opt_out_files import OptOutFile
from evocrawl.store.journal import sqlite_file
from evocrawl.store.journal.codec import NoPayloads, OperationCodec, digest_of
from evocrawl.store.journal.compaction import COMPACT, first_entry
from evocrawl.store.journal.kept_opt_outs import has_opt_outs, read_opt_outs
from evocrawl.store.journal.operations import Op
from evocrawl.store.journal.operations.row import Row
from evocrawl.store.opened import Opened
from evocrawl.store.stored_page import StoredPage

T = TypeVar("T")

_COUNT = "SELECT count(*) FROM pages"
_PAGES, _LAST_PAGE = "SELECT rowid FROM pages ORDER BY visit", "SELECT max(rowid) FROM pages"
_PAGE = """
SELECT url, relevance, energy, visit, agent, depth, parent, anchor, status, fetched_at, seconds,
       version, visits, duplicate_of, truncated, published_at, changed_at, content, packed
FROM pages LEFT JOIN contents ON contents.digest = pages.content WHERE pages.rowid = ?
"""
_KINDS = (
    str, float, float, int, int, int, str, str, int, str, float,
    bytes, int, str, str, str, str, bytes, bytes,
)  # fmt: skip
"""The type of each column of a page in an undamaged file."""
_OPS_AFTER = "SELECT seq FROM ops WHERE seq > ? ORDER BY seq LIMIT ?"
_SHORT = """
SELECT visit, url, relevance, energy, agent, depth, parent, anchor, seconds
FROM pages ORDER BY visit
"""
_ROW_OF = "SELECT rowid FROM pages WHERE fingerprint = ?"
_VISITS = "SELECT visit FROM ops WHERE kind = 'choose' AND key = ? ORDER BY seq"
_TARGET = "SELECT key FROM ops WHERE kind = 'choose' AND visit = ? AND key IS NOT NULL"
_NAME = "SELECT CAST(url AS BLOB) FROM pages WHERE rowid = ?"
_ANSWERS = """
SELECT bodies.rowid FROM bodies JOIN pages ON pages.fingerprint = bodies.fingerprint ORDER BY visit
"""
_LAST_ANSWER = "SELECT max(rowid) FROM bodies"
_ANSWER = """
SELECT url, fetched_at, status_line, headers, body
FROM bodies JOIN pages ON pages.fingerprint = bodies.fingerprint WHERE bodies.rowid = ?
"""
_ANSWER_OF = "SELECT rowid FROM bodies WHERE fingerprint = ?"
_ANY_ANSWER = "SELECT 1 FROM bodies LIMIT 1"
_URL_OF_VISIT = "SELECT url FROM pages WHERE visit = ?"
_VERSIONS = "SELECT fingerprint, version FROM pages"
_OPS, _LAST_OP = "SELECT seq FROM ops ORDER BY seq", "SELECT max(seq) FROM ops"
_OP = """
SELECT kind, at, visit, key, ops.content, data, packed
FROM ops LEFT JOIN contents ON contents.digest = ops.content WHERE seq = ?
"""
_UNREADABLE = (sqlite3.Error, ValueError, TypeError, KeyError, StopIteration, zlib.error)


class Archive(Opened):
    """The state file of a crawl, opened for reading. Raises StateError if it is invalid."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._database = sqlite_file.connect_to_read(self.path)
        self._packer = OperationCodec(LeftOut())

    def close(self) -> None:
        """Close the file."""
        sqlite_file.close(self._database)

    def about(self) -> dict[str, Any]:
        """Return the identity of the crawl: its options, spider and version."""
        return {name: json.loads(value) for name, value in self._rows("SELECT * FROM about")}

    def __len__(self) -> int:
        return int(next(self._rows(_COUNT))[0])

    @property
    def is_compact(self) -> bool:
        """True if a snapshot has taken the place of earlier entries of the journal. O(1)."""
        return self.first_entry() > 1

    def first_entry(self) -> int:
        """Return the number of the first entry of the journal, 1 for an empty one. O(1)."""
        with sqlite_file.explained(self.path):
            return first_entry(self._database)

    def pages(self) -> Iterator[StoredPage]:
        """Read every page once, in the order of their first visits."""
        for number in self._numbers(_PAGES, _LAST_PAGE):
            page = self._try(self._page, number, self._name_of)
            if page is not None:
                yield page

    def page_at(self, fingerprint: Fingerprint) -> StoredPage | None:
        """Return the page of an address, None if the crawl has none. O(log n)."""
        for (number,) in self._rows(_ROW_OF, (fingerprint,)):
            return self._try(self._page, number, self._name_of)
        return None

    def visits_to(self, target: Fingerprint) -> list[int]:
        """Return the visits that followed a link to `target`, in order. O(journal)."""
        return [int(number) for (number,) in self._rows(_VISITS, (target,))]

    def target_of(self, visit: VisitId) -> Fingerprint | None:
        """Return the target of a visit's link, None for an unknown visit. O(journal)."""
        return next((bytes(key) for (key,) in self._rows(_TARGET, (visit,))), None)

    def _page(self, number: int) -> StoredPage | None:
        for row in self._database.execute(_PAGE, (number,)):
            _check_kinds(row)
            url, relevance, energy, visit, agent, depth, parent, anchor = row[:8]
            status, fetched_at, seconds, version, visits = row[8:13]
            duplicate_of, truncated, published_at, changed_at, digest, packed = row[13:]
            if digest_of(packed) != digest:
                raise ValueError("its content does not match its digest")
            content, links = self._packer.unpack_content(packed)
            return StoredPage(
                url, content.title, content.text, content.language,
                status, fetched_at, depth, parent,
                anchor, visit, agent, relevance, energy, version.hex(), seconds, visits,
                duplicate_of, tuple(truncated.split()), content.formats, published_at, changed_at,
                links,
            )  # fmt: skip
        return None

    def answers(self) -> Iterator[tuple[str, str, RawResponse]]:
        """Read URL, date and HTTP response of each page whose response was kept."""
        for number in self._numbers(_ANSWERS, _LAST_ANSWER):
            answer = self._try(self._answer, number, lambda number: f"answer {number}")
            if answer is not None:
                yield answer

    def answer_at(self, fingerprint: Fingerprint) -> RawResponse | None:
        """Return the HTTP response of a page, None if none was kept. O(log n)."""
        dated = self.dated_answer_at(fingerprint)
        return None if dated is None else dated[1]

    def dated_answer_at(self, fingerprint: Fingerprint) -> tuple[str, RawResponse] | None:
        """Return date and HTTP response of a page, None if none was kept. O(log n)."""
        for (number,) in self._rows(_ANSWER_OF, (fingerprint,)):
            answer = self._try(self._answer, number, lambda number: f"answer {number}")
            return None if answer is None else answer[1:]
        return None

    def dated_answer_of(self, url: str) -> tuple[str, RawResponse] | None:
        """As `dated_answer_at`, by the address; raises ValueError if it is none."""
        return self.dated_answer_at(fingerprint(url))

    def has_answers(self) -> bool:
        """Return whether the HTTP response of any page was kept. O(1)."""
        return any(self._rows(_ANY_ANSWER))

    def has_answer_of(self, url: str) -> bool:
        """Return whether the HTTP response of a page was kept. O(log n).

        Raises ValueError if `url` is no address.
        """
        return any(self._rows(_ANSWER_OF, (fingerprint(url),)))

    def opt_out_files(self, authority: str) -> tuple[OptOutFile, ...]:
        """Return the opt-out files of a server that the crawl has asked for. O(log n)."""
        with sqlite_file.explained(self.path):
            try:
                has = has_opt_outs(self._database)
                return tuple(read_opt_outs(self._database, authority)) if has else ()
            except ValueError as error:
                self.left_out(f"an opt-out file of {authority}", error)
                return ()

    def url_of_visit(self, visit: VisitId) -> str | None:
        """Return the address of the page that a visit was the first to find, None for none."""
        return next((str(url) for (url,) in [*self._rows(_URL_OF_VISIT, (visit,))]), None)

    def versions(self) -> Iterator[tuple[Fingerprint, str]]:
        """Read the fingerprints of address and content of each page; the latter as hex digits."""
        for target, version in self._rows(_VERSIONS):
            if isinstance(target, bytes) and isinstance(version, bytes):
                yield target, version.hex()
            else:
                self.left_out("the version of a page", ValueError("it has a wrong type"))

    def ops_after(self, last: int, most: int) -> list[tuple[int, Op]]:
        """Return `most` entries of the journal after entry `last`, with their numbers.

        A damaged entry is left out. O(most).
        """
        found = []
        for (number,) in [*self._rows(_OPS_AFTER, (last, most))]:
            op = self._try(self._op, number, lambda number: f"entry {number} of the journal")
            if op is not None:
                found.append((int(number), cast("Op", op)))
        return found

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Read visit, url, relevance, energy, agent, depth, parent, anchor and seconds of pages.

        Many times faster than `pages`, which reads the contents too.
        """
        yield from self._rows(_SHORT)

    def ops(self) -> Iterator[Op]:
        """Read the whole journal in order, without the payloads of links.

        Raises StateError if it is compact.
        """
        if self.is_compact:
            raise StateError(f"{self.path}: this needs the whole journal: {COMPACT}")
        for number in self._numbers(_OPS, _LAST_OP):
            op = self._try(self._op, number, lambda number: f"entry {number} of the journal")
            if op is not None:
                yield cast("Op", op)

    def _answer(self, number: int) -> tuple[str, str, RawResponse] | None:
        for url, fetched_at, status_line, headers, body in self._database.execute(
            _ANSWER, (number,)
        ):
            pairs = tuple((str(name), str(value)) for name, value in json.loads(headers))
            datetime.fromisoformat(fetched_at)
            return url, fetched_at, RawResponse(status_line, pairs, bytes(body))
        return None

    def _op(self, number: int) -> Op | None:
        for *columns, packed in self._database.execute(_OP, (number,)):
            return self._packer.unpack(Row(*columns), packed)
        return None

    def _try(
        self, read: Callable[[int], T | None], number: int, name: Callable[[int], str]
    ) -> T | None:
        """Return the result of `read` for a row; None if the row is missing or damaged."""
        try:
            return read(number)
        except (*_UNREADABLE, StateError) as error:
            self.left_out(name(number), error)
            return None

    def _name_of(self, number: int) -> str:
        try:
            url = self._database.execute(_NAME, (number,)).fetchone()[0]
            return f"the page {bytes(url).decode(errors='replace')}"
        except _UNREADABLE:
            return f"page {number}"

    def _numbers(self, query: str, last: str) -> Sequence[int]:
        """Return the row numbers in order; all up to the last if the index is damaged."""
        try:
            return [number for (number,) in self._database.execute(query)]
        except sqlite3.Error as error:
            self.left_out("the order of the rows", error)
            return range(1, (next(self._rows(last))[0] or 0) + 1)

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        with sqlite_file.explained(self.path):
            yield from self._database.execute(query, values)


def _check_kinds(row: Sequence[Any]) -> None:
    """Raise ValueError if a column of the row has the wrong type."""
    for value, kind in zip(row, _KINDS, strict=True):
        if not isinstance(value, kind) or (isinstance(value, float) and not isfinite(value)):
            raise ValueError(f"expected {kind.__name__}, found {type(value).__name__}")


class LeftOut(NoPayloads):
    """A codec that drops the payloads of links, which only a running crawl needs."""

    def unpack(self, packed: Any) -> Any:  # noqa: ARG002 - the interface's form
        """Return None."""
        return None
