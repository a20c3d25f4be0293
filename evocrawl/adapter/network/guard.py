"""The address guard at the connection, where no request can bypass it.

Every new connection of a guarded pool resolves its host, a name or an address, through the
reactor's resolver. The guard removes forbidden addresses from the resolver's answer, so the
connection goes to an address that was checked: a name that resolves to another address later (DNS
rebinding) has no effect, and nothing is sent to a refused address.

The guard does not check connections of other parts of the process, nor connections to a proxy,
whose address the user has chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.error import DNSLookupError
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from twisted.python import context
from zope.interface import implementer

from evocrawl.adapter.exceptions import AddressRefused
from evocrawl.adapter.network.resolver import resolver

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

    from evocrawl.core.urls.networks import NetworkPolicy

_context = cast("Any", context)


def guard_pool(pool: Any, networks: NetworkPolicy) -> None:
    """Let `pool` make no connection to an address that `networks` refuses.

    A refused connection fails with AddressRefused. A pool without Twisted's `getConnection` stays
    as it is.
    """
    if not hasattr(pool, "getConnection"):
        return
    get = pool.getConnection

    def get_checked(key: Any, endpoint: Any) -> Deferred[Any]:
        if key[0] == b"http-proxy" or isinstance(endpoint, TCP4ClientEndpoint):
            return cast("Deferred[Any]", get(key, endpoint))
        check = _Check(key[1].decode("latin-1"), networks)
        _put_resolver_in_place()
        connection = _context.call({_Check: check}, get, key, endpoint)
        return cast("Deferred[Any]", connection.addErrback(check.explain))

    pool.getConnection = get_checked


class _Check:
    """The allowed and refused addresses of one connection."""

    def __init__(self, host: str, networks: NetworkPolicy) -> None:
        self._host = host
        self._networks = networks
        self._refused: tuple[str, str] | None = None

    def allows(self, address: str) -> bool:
        kind = self._networks.refuses(address)
        if kind:
            self._refused = address, kind
        return not kind

    def explain(self, failure: Failure) -> Failure:
        if self._refused is not None and isinstance(failure.value, DNSLookupError):
            raise AddressRefused.at(self._host, *self._refused)
        return failure


def _put_resolver_in_place() -> None:
    """Install the resolver after the crawl's start: Scrapy sets its own resolver late."""
    from twisted.internet import reactor

    if not isinstance(resolver(), _Resolver):
        cast("Any", reactor).installNameResolver(_Resolver(resolver()))


@implementer(IHostnameResolver)
class _Resolver:
    """The reactor's resolver; checked connections get no refused addresses from it."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def resolveHostName(  # noqa: N802 - Twisted's interface
        self, receiver: Any, name: str, *args: Any, **kwargs: Any
    ) -> Any:
        check = _context.get(_Check)
        if check is not None:
            receiver = _Sieve(receiver, check)
        return self._inner.resolveHostName(receiver, name, *args, **kwargs)


@implementer(IResolutionReceiver)
class _Sieve:
    """Passes on the addresses that a check allows."""

    def __init__(self, receiver: Any, check: _Check) -> None:
        self._receiver = receiver
        self._check = check

    def resolutionBegan(self, resolution: object) -> None:  # noqa: N802 - Twisted's interface
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        if self._check.allows(address.host):
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        self._receiver.resolutionComplete()
