"""Resolves host names; requests that wait for the same name share one look-up."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic
from typing import Any, cast

from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer

MAX_NAMES = 10_000
LIFETIME_S = 300.0
TIMEOUT_S = 5.0


class DnsCache:
    """Asks the reactor's resolver, and caches the answers for 300 s, 10 000 names at most.

    A name without an address, or one that takes longer than 5 s, is cached without an address.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[tuple[str, ...], float]] = OrderedDict()
        self._waiting: dict[str, list[Deferred[tuple[str, ...]]]] = {}

    async def addresses(self, name: str) -> tuple[str, ...]:
        """Return the addresses of `name`; none if it has none or takes too long."""
        known = self._known.get(name)
        if known is not None and known[1] > monotonic():
            return known[0]
        answer: Deferred[tuple[str, ...]] = Deferred()
        waiting = self._waiting.setdefault(name, [])
        waiting.append(answer)
        if len(waiting) == 1:
            self._ask(name)
        return await maybe_deferred_to_future(answer)

    def _ask(self, name: str) -> None:
        timer = call_later(TIMEOUT_S, self._learn, name, ())

        def found(addresses: tuple[str, ...]) -> None:
            timer.cancel()
            self._learn(name, addresses)

        try:
            resolver().resolveHostName(Gatherer(found), name)
        except (UnicodeError, ValueError):  # not a valid host name
            found(())

    def _learn(self, name: str, addresses: tuple[str, ...]) -> None:
        waiting = self._waiting.pop(name, None)
        if waiting is None:
            return
        self._known[name] = addresses, monotonic() + LIFETIME_S
        self._known.move_to_end(name)
        if len(self._known) > MAX_NAMES:
            self._known.popitem(last=False)
        for answer in waiting:
            answer.callback(addresses)


def resolver() -> Any:
    """Return the reactor's present name resolver."""
    from twisted.internet import reactor

    return cast("Any", reactor).nameResolver


@implementer(IResolutionReceiver)
class Gatherer:
    """Receives the addresses of a name, and passes them on when they are complete."""

    def __init__(self, on_complete: Callable[[tuple[str, ...]], None]) -> None:
        self._on_complete = on_complete
        self._addresses: list[str] = []

    def resolutionBegan(self, resolution: object) -> None:  # noqa: N802 - Twisted's interface
        """Do nothing: no address is known yet."""

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        """Note one more address."""
        self._addresses.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802
        """Pass the addresses on."""
        self._on_complete(tuple(self._addresses))
