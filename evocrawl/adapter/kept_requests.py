"""Keeps requests that are no links in the crawl's store, so that a later run sends them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from scrapy import Request

from evocrawl.core.errors import StateError
from evocrawl.core.fetch import Fetch
from evocrawl.core.urls.address import Address
from evocrawl.store.journal.journal import Journal
from evocrawl.store.journal.sqlite_journal import SqliteJournal

if TYPE_CHECKING:
    from evocrawl.adapter.request_codec import RequestCodec
    from evocrawl.adapter.requests import RequestIdentities
    from evocrawl.core.model import Fingerprint, Outcome

_PLAIN, _REST, _SEEN = "plain:", "rest:", "seen:"


@dataclass(frozen=True, slots=True)
class Rest:
    """The rest of the visit of a link: `request`, after the redirects `hops` from `origin`.

    `address` is the identity of `url`, where the redirects have led. `is_claimed`: the visit that
    was put off has claimed it.
    """

    request: Request
    url: str
    address: Fingerprint
    origin: str
    hops: list[tuple[str, str]] = field(default_factory=list)
    claimed: list[Fingerprint] = field(default_factory=list)
    is_claimed: bool = True


class KeptRequests:
    """Requests that wait outside the population, in the store of the crawl.

    - A request that is no visit (``meta["evocrawl"] = False``, or of another scheme than http and
      https) is kept from when it is accepted until the engine has ended it. Its key of the dupe
      filter is kept longer, as in Scrapy's ``requests.seen``. - The redirect or retry of a visit
      that was put off is kept until the link is visited.  A request that has no JSON is not kept;
      the codec warns. A crawl without a file keeps nothing.
    """

    def __init__(
        self,
        journal: Journal,
        codec: RequestCodec,
        names: RequestIdentities,
        flush_soon: Callable[[], None],
    ) -> None:
        self._journal = journal if isinstance(journal, SqliteJournal) else None
        self._codec = codec
        self._names = names
        self._flush_soon = flush_soon
        self._numbers = count(1)
        self._waiting: dict[Request, str] = {}
        self._sent: dict[Request, str] = {}
        self._rests: set[Fingerprint] = set()

    def accepted(self, request: Request) -> None:
        """Keep a request that is no visit."""
        if self._journal is None:
            return
        packed = self._packed(request)
        if packed is None:
            return
        key = f"{_PLAIN}{next(self._numbers):016d}"
        self._journal.kept.keep(key, packed)
        self._waiting[request] = key
        seen = (
            None
            if request.dont_filter
            else self._names.dupefilter.key_of(request, Address.of(request.url))
        )
        if seen is not None:
            self._journal.kept.keep(_SEEN + seen.hex(), None)
        self._flush_soon()

    def sent(self, request: Request) -> None:
        """Note that a request that is no visit goes to the engine."""
        key = self._waiting.pop(request, None)
        if key is not None:
            self._sent[request] = key

    def forget_ended(self, in_engine: Collection[Request]) -> None:
        """Forget requests that were sent and have ended. O(requests that are no visits)."""
        if not self._sent or self._journal is None:
            return
        for request in [each for each in self._sent if each not in in_engine]:
            self._journal.kept.forget(self._sent.pop(request))

    def put_off(self, target: Fingerprint, rest: Rest) -> None:
        """Keep the rest of the visit of a link that was put off."""
        if self._journal is None:
            return
        packed = self._packed(rest.request)
        if packed is None:
            return
        value = {
            "request": packed,
            "url": rest.url,
            "address": rest.address.hex(),
            "origin": rest.origin,
            "hops": rest.hops,
            "is_claimed": rest.is_claimed,
        }
        self._journal.kept.keep(_REST + target.hex(), value)
        self._rests.add(target)
        self._flush_soon()

    def settled(self, fetch: Fetch, _: Outcome) -> None:
        """Forget the rest of a visit that was made."""
        target = fetch.visit.lead.fingerprint
        if self._journal is not None and not fetch.is_put_off and target in self._rests:
            self._rests.discard(target)
            self._journal.kept.forget(_REST + target.hex())

    def restore(self) -> tuple[list[Request], dict[Fingerprint, Rest]]:
        """Return the requests that are no visits, and the rests by link, of earlier runs.

        Raises StateError if one of them is damaged.
        """
        plain: list[Request] = []
        rests: dict[Fingerprint, Rest] = {}
        if self._journal is None:
            return plain, rests
        for key, value in self._journal.kept_values().items():
            try:
                self._restore(key, value, plain, rests)
            except (KeyError, TypeError, ValueError) as error:
                raise StateError(
                    f"{self._journal.path}: the request {key!r} cannot be read: {error}"
                ) from error
        return plain, rests

    def _restore(
        self, key: str, value: Any, plain: list[Request], rests: dict[Fingerprint, Rest]
    ) -> None:
        if key.startswith(_SEEN):
            self._names.dupefilter.note_seen(bytes.fromhex(key.removeprefix(_SEEN)))
            return
        is_plain = key.startswith(_PLAIN)
        request = self._codec.unpack(value if is_plain else value["request"])
        if is_plain:
            self._numbers = count(int(key.removeprefix(_PLAIN)) + 1)
        if not isinstance(request, Request):
            return
        if is_plain:
            self._waiting[request] = key
            plain.append(request)
            return
        target = bytes.fromhex(key.removeprefix(_REST))
        self._rests.add(target)
        rests[target] = Rest(
            request,
            value["url"],
            bytes.fromhex(value["address"]),
            value["origin"],
            [(was, became) for was, became in value["hops"]],
            [],
            value["is_claimed"],
        )

    def _packed(self, request: Request) -> Any:
        """Return the JSON of `request`, None if it has none."""
        packed = self._codec.pack(request)
        return None if self._codec.is_lost(packed) else packed
