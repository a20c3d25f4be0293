"""The address guard lets connections see public addresses only."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.defer import fail
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.error import ConnectionRefusedError, DNSLookupError
from twisted.python.failure import Failure

from evocrawl.adapter.exceptions import AddressRefused
from evocrawl.adapter.network import guard
from evocrawl.adapter.network.guard import guard_pool
from evocrawl.adapter.network.resolver import Gatherer
from evocrawl.core.urls.networks import NetworkPolicy

MIXED = ("93.184.216.34", "127.0.0.1", "fe80::1", "2606:4700::1111")
KEY = (b"http", b"a.test", 80, None)


class Names:
    """A resolver that returns the same addresses for every name."""

    def resolveHostName(self, receiver: Any, name: str) -> None:  # noqa: ARG002, N802
        for address in MIXED:
            receiver.addressResolved(SimpleNamespace(host=address))
        receiver.resolutionComplete()


class Pool:
    """A pool that notes the addresses that it may connect to, or fails with `error`."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.seen: tuple[str, ...] = ()

    def getConnection(self, key: Any, endpoint: Any) -> Any:  # noqa: ARG002, N802
        guard.resolver().resolveHostName(Gatherer(self._see), "a.test")
        return fail(Failure(self.error or ConnectionRefusedError()))

    def _see(self, addresses: tuple[str, ...]) -> None:
        self.seen = addresses


@pytest.fixture(autouse=True)
def _resolver(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = guard._Resolver(Names())
    monkeypatch.setattr(guard, "resolver", lambda: checked)


def connected(pool: Pool, key: Any = KEY, endpoint: Any = None) -> Failure:
    """Ask the guarded pool for a connection; return the failure."""
    guard_pool(pool, NetworkPolicy())
    failures: list[Failure] = []
    pool.getConnection(key, endpoint).addErrback(failures.append)
    return failures[0]


def test_a_connection_sees_only_the_public_addresses_of_a_name() -> None:
    """R19: with any other addresses of the name.

    A later failure is the same one as without the guard.
    """
    pool = Pool()
    assert connected(pool).type is ConnectionRefusedError
    assert pool.seen == ("93.184.216.34", "2606:4700::1111")


def test_a_name_without_a_public_address_is_refused() -> None:
    """The failure names the address."""
    failure = connected(Pool(DNSLookupError()))
    assert failure.type is AddressRefused
    assert str(failure.value) == "a.test is at fe80::1 (link-local)"


@pytest.mark.parametrize(
    ("key", "endpoint"),
    [
        ((b"http-proxy", b"a.test", 80, None), None),
        (KEY, TCP4ClientEndpoint(None, "a.test", 80)),  # type: ignore[no-untyped-call]
    ],
    ids=["proxy", "tunnel"],
)
def test_the_proxy_of_the_user_is_not_checked(key: Any, endpoint: Any) -> None:
    """The proxy may be on this machine."""
    pool = Pool()
    connected(pool, key, endpoint)
    assert pool.seen == MIXED


def test_lookups_of_other_code_are_not_changed() -> None:
    """The resolver belongs to the whole process, the guard to one crawl."""
    guard_pool(Pool(), NetworkPolicy())
    seen: list[tuple[str, ...]] = []
    guard.resolver().resolveHostName(Gatherer(seen.append), "a.test")
    assert seen == [MIXED]
