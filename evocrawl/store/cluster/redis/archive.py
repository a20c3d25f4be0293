"""Reads the stored crawl of several workers from Redis, while it runs or later."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property, partial
from itertools import count
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.core.fetch import RawResponse
from evocrawl.core.model import Cost, Dead, Fetched, Fingerprint, Link, Outcome, Page, Refused
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.politeness.opt_out_files import FILES, OptOutFile
from evocrawl.store.archive import LeftOut
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.connection import Unreachable, explained
from evocrawl.store.cluster.redis.keys import SHARDS, KeyNames, RedisAddress
from evocrawl.store.journal.operations import Chosen, Op, Placed, VisitSettled
from evocrawl.store.opened import Opened
from evocrawl.store.stored_page import StoredPage

_AT_ONCE = 500
_HOSTS_KNOWN = 16


class SharedArchive(Opened):
    """As `evocrawl.store.archive.Archive`, for a crawl of several workers.

    `pages` yields the pages in the order in which they were fetched. Raises StateError if Redis has
    no such crawl, cannot be reached, or takes longer than `timeout_s` for an answer.
    """

    def __init__(self, store: str, timeout_s: float | None = None) -> None:
        self.path = RedisAddress.of(store)
        self._layout = KeyNames(self.path.name)
        self._rows = RowCodec(LeftOut())
        try:
            from evocrawl.store.cluster.redis.servers import connect_blocking
        except ImportError as error:
            raise StateError(f"{self.path}: pip install 'evocrawl[redis]' ({error})") from error
        self._connect = partial(connect_blocking, self.path, timeout_s)
        self._answered: OrderedDict[str, frozenset[bytes]] = OrderedDict()

    def close(self) -> None:
        """Close the connection."""
        if "_client" in vars(self):
            self._client.close()

    @cached_property
    def _client(self) -> Any:
        return self._connect()

    def ask(self, command: str, *arguments: Any) -> Any:
        """Send one command on one key, as redis-py names it. Raises StateError."""
        with self._stated():
            return getattr(self._client, command)(*arguments)

    def now_ms(self) -> int:
        """Return the time of the server that has the keys of the whole crawl. Raises StateError."""
        with self._stated():
            by_cluster = getattr(self._client, "get_node_from_key", None)
            whole = self._layout.whole("")
            where = {} if by_cluster is None else {"target_nodes": by_cluster(whole)}
            seconds, micros = self._client.time(**where)
        return 1000 * int(seconds) + int(micros) // 1000

    @contextmanager
    def _stated(self) -> Iterator[None]:
        try:
            with explained(self.path):
                yield
        except Unreachable as error:
            raise StateError(str(error)) from None

    def about(self) -> dict[str, Any]:
        """Return the identity of the crawl: its options, spider and version."""
        packed = self.ask("get", self._layout.whole("about"))
        if packed is None:
            raise StateError(f"{self.path}: there is no such crawl")
        return dict(json.loads(packed))

    def __len__(self) -> int:
        return len(self._fetched)

    def pages(self) -> Iterator[StoredPage]:
        """Read every page once."""
        for number, (page, record) in enumerate(self._pages(), 1):
            content = page.content
            yield StoredPage(
                page.url, content.title, content.text, content.language,
                int(record.get("status", 200)),
                str(record.get("fetched_at", "")), int(record.get("depth", 0)),
                str(record.get("parent", "")), str(record.get("anchor", "")), number,
                int(record.get("agent", 0)), page.relevance, page.energy, page.version.hex(),
                float(record.get("seconds", 0.0)), 1, str(record.get("duplicate_of", "")),
                tuple(str(record.get("truncated", "")).split()), content.formats,
                str(record.get("published_at", "")), str(record.get("changed_at", "")), page.links,
            )  # fmt: skip

    def answers(self) -> Iterator[tuple[str, str, RawResponse]]:
        """Read URL, date and HTTP response of each page whose response was kept."""
        for fetched_at, host, key in self._fetched:
            packed = self.ask("hget", self._layout.of(host, "bodies:")[0], key)
            if packed is None:
                continue
            try:
                url = str(json.loads(self._record(host, key))["url"])
                answer = _answer(packed)
            except (ValueError, KeyError, TypeError) as error:
                self.left_out(f"an answer of {host}", error)
            else:
                yield url, fetched_at, answer

    def page_at(self, fingerprint: Fingerprint) -> StoredPage | None:
        """Return the page of an address, None if the crawl has none. O(pages)."""
        return next((page for page in self.pages() if _address(page.url) == fingerprint), None)

    def answer_at(self, fingerprint: Fingerprint) -> RawResponse | None:
        """Return the HTTP response of a page, None if none was kept. O(pages)."""
        found = (answer for url, _, answer in self.answers() if _address(url) == fingerprint)
        return next(found, None)

    def dated_answer_of(self, url: str) -> tuple[str, RawResponse] | None:
        """Return date and HTTP response of a page, None if none was kept. O(1).

        Raises ValueError if `url` is no address.
        """
        host, key = host_of(url), fingerprint(url).hex()
        packed = self.ask("hget", self._layout.of(host, "bodies:")[0], key)
        if packed is None:
            return None
        try:
            fetched_at = str(json.loads(self._record(host, key))["fetched_at"])
            datetime.fromisoformat(fetched_at)
            return fetched_at, _answer(packed)
        except (ValueError, KeyError, TypeError) as error:
            self.left_out(f"an answer of {host}", error)
            return None

    def has_answers(self) -> bool:
        """Return whether the HTTP response of any page was kept. O(keys) if none was."""
        self.about()
        return next(self._hosts("bodies:"), None) is not None

    def has_answer_of(self, url: str) -> bool:
        """Return whether the HTTP response of a page was kept. O(1), O(pages of a host) at first.

        Redis is asked for the pages of a host at once: a sitemap names thousands. Raises ValueError
        if `url` is no address.
        """
        host, key = host_of(url), fingerprint(url)
        known = self._answered.get(host)
        if known is None:
            found = self.ask("hkeys", self._layout.of(host, "bodies:")[0])
            known = self._answered[host] = frozenset(found)
            if len(self._answered) > _HOSTS_KNOWN:
                self._answered.popitem(last=False)
        return key.hex().encode() in known

    def opt_out_files(self, authority: str) -> tuple[OptOutFile, ...]:
        """Return the opt-out files of a server that the crawl has asked for. O(1)."""
        key = self._layout.of(host_of(f"{authority}/"), "opt_outs:")[0]
        found = self.ask("hmget", key, [f"{authority}{path}" for path in FILES])
        rows = zip(FILES, found, strict=True)
        try:
            return tuple(OptOutFile.unpack(authority, path, row) for path, row in rows if row)
        except (ValueError, TypeError) as error:
            self.left_out(f"an opt-out file of {authority}", error)
            return ()

    def versions(self) -> Iterator[tuple[Fingerprint, str]]:
        """Read the fingerprints of address and content of each page; the latter as hex digits."""
        for page in self.pages():
            yield _address(page.url), page.content_fingerprint

    def ops(self) -> Iterator[Op]:
        """Yield the crawl as the operations of a single worker: pages first, then dead links."""
        numbers = count(1)
        for number, (page, record) in zip(numbers, self._pages(), strict=False):
            yield Placed((Link(page.url, page.fingerprint),))
            yield Chosen(0.0, (), number, page.fingerprint)
            yield VisitSettled(number, Fetched(page, Cost(float(record.get("seconds", 0.0)))))
        for number, (target, ended) in zip(numbers, self._unfetched(), strict=False):
            outcome: Outcome = Refused(Cost()) if ended == b"refused" else Dead("dead", Cost())
            yield Chosen(0.0, (), number, target)
            yield VisitSettled(number, outcome)

    @cached_property
    def _fetched(self) -> list[tuple[str, str, bytes]]:
        """Date, host and key of each fetched page, in order. O(pages)."""
        self.about()
        self._check_marks()
        found = []
        for host in sorted(set(self._hosts("pages:"))):
            for key, record in self.ask("hgetall", self._layout.of(host, "pages:")[0]).items():
                try:
                    found.append((str(json.loads(record)["fetched_at"]), host, key))
                except (ValueError, KeyError, TypeError) as error:
                    self.left_out(f"a record of {host}", error)
        return sorted(found)

    def _pages(self) -> Iterator[tuple[Page, dict[str, Any]]]:
        for _, host, key in self._fetched:
            content = self.ask("hget", self._layout.of(host, "contents:")[0], key) or b""
            try:
                record = self._record(host, key)
                page, fields = self._rows.unpack_page(host, key, record, content)
            except (ValueError, TypeError, KeyError) as error:
                self.left_out(f"the page {_url(record, host)}", error)
            else:
                yield page, fields

    def _check_marks(self) -> None:
        """Report each shard without the mark of this crawl: Redis has lost its rows."""
        epoch = self.ask("hget", self._layout.whole("mark"), "epoch")
        for shard in range(SHARDS):
            if self.ask("hget", self._layout.shard(shard, "mark"), "epoch") != epoch:
                self.left_out(f"shard {shard}", ValueError("Redis has lost it"))

    def _record(self, host: str, key: bytes | str) -> bytes:
        return bytes(self.ask("hget", self._layout.of(host, "pages:")[0], key) or b"")

    def _unfetched(self) -> Iterator[tuple[Fingerprint, bytes]]:
        for host in sorted(set(self._hosts("done:"))):
            for key, ended in self.ask("hgetall", self._layout.of(host, "done:")[0]).items():
                if ended in (b"dead", b"refused"):
                    yield bytes.fromhex(key.decode()), ended

    def _hosts(self, what: str) -> Iterator[str]:
        """Yield the hosts that have such a hash, in one scan of all keys of each server."""
        pattern = f"evocrawl:{{{self.path.name}:*}}:{what}*"
        with self._stated():
            for key in self._client.scan_iter(match=pattern, count=_AT_ONCE):
                yield key.decode(errors="replace").partition(f"}}:{what}")[2]


def _answer(packed: bytes) -> RawResponse:
    """Return a response as it is stored; raises ValueError or TypeError if it is damaged."""
    head, _, body = packed.partition(b"\n")
    status_line, headers = json.loads(head)
    pairs = tuple((str(name), str(value)) for name, value in headers)
    return RawResponse(str(status_line), pairs, body)


def _url(record: bytes, host: str) -> str:
    """Return the URL of a record, or a text that names the host if it cannot be read."""
    try:
        return str(json.loads(record)["url"])
    except (ValueError, KeyError, TypeError):
        return f"of {host} without a URL"


def _address(url: str) -> Fingerprint:
    """Return the fingerprint of a stored address, b"" if it is none."""
    try:
        return fingerprint(url)
    except ValueError:
        return b""
