"""Ways to a Redis: TLS with checked certificates, sockets, passwords that no message has."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import Certificate, self_signed
from redisserver import PASSWORD, RedisServer

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.connection import Connection, Unreachable
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.redis.state import ClusterState

ABOUT = {"query": "coral"}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """Return the certificate of the server."""
    return self_signed(tmp_path_factory.mktemp("own"), "own")


@pytest.fixture(scope="module")
def tls(
    tmp_path_factory: pytest.TempPathFactory, certificate: Certificate
) -> Iterator[RedisServer]:
    """Return a server that accepts only TLS."""
    with RedisServer(tmp_path_factory.mktemp("r"), certificate=certificate) as server:
        yield server


def join(url: str) -> str:
    """Join a crawl, and read its description by the other client; return the worker's number."""

    async def reported() -> str:
        connection = Connection(RedisAddress.of(url))
        state = ClusterState(connection, 1000)
        try:
            await state.join(ABOUT)
        finally:
            await connection.close()
        return state.session

    session = asyncio.run(reported())
    with SharedArchive(url) as archive:
        assert archive.about()["query"] == "coral"
    return session


def refusal(url: str) -> str:
    """Return the errors of both clients for an address that they refuse."""
    with pytest.raises((StateError, Unreachable)) as joining:
        join(url)
    with pytest.raises(StateError) as reading, SharedArchive(url) as archive:
        archive.about()
    return f"{joining.value!r} {reading.value!r}"


def test_a_trusted_certificate_is_accepted(tls: RedisServer) -> None:
    """The address names it; both clients connect with the password."""
    assert join(tls.url).isdecimal()


def test_an_untrusted_certificate_is_refused(tls: RedisServer, tmp_path: Path) -> None:
    """R22: by default none is trusted, and another one is refused; the error gives advice."""
    other = self_signed(tmp_path, "other")
    bare = tls.url.partition("?")[0]
    for url in (bare, f"{bare}?ssl_ca_certs={other.chain}"):
        reported = refusal(url)
        assert reported.count("its certificate is not trusted (self-signed certificate)") == 2
        assert "ssl_ca_certs=FILE" in reported
        assert PASSWORD not in reported


def test_a_certificate_for_another_address_is_refused(tmp_path: Path) -> None:
    """R22: also if its issuer is trusted."""
    certificate = self_signed(tmp_path, "own", "127.0.0.2")
    server = RedisServer(tmp_path, certificate=certificate)
    server.start(wait=False)
    try:
        reported = server.wait_for(lambda: _unless_closed(refusal(server.url)))
    finally:
        server.stop()
    assert reported.count("IP address mismatch, certificate is not valid for '127.0.0.1'") == 2
    assert PASSWORD not in reported


def _unless_closed(reported: str) -> str | None:
    return None if "Connect call failed" in reported else reported


def test_clients_may_show_a_certificate_too(tmp_path: Path, certificate: Certificate) -> None:
    """If the server requires one, a client without it is refused."""
    with RedisServer(tmp_path, certificate=certificate, asks_clients=True) as server:
        assert join(server.url).isdecimal()
        assert PASSWORD not in refusal(server.url.partition("&")[0])


def test_missing_files_are_reported(tls: RedisServer) -> None:
    """With their reason, and without the password."""
    reported = refusal(tls.url.replace("own.pem", "none.pem"))
    assert "No such file" in reported
    assert PASSWORD not in reported


def test_a_socket_can_be_used(tmp_path: Path) -> None:
    """Only with the right password."""
    with RedisServer(tmp_path, by_socket=True) as server:
        assert join(server.url).isdecimal()
        assert "wr0ng" not in refusal(server.url.replace(PASSWORD, "wr0ng"))
        assert "auth" in refusal(server.url.replace(f":{PASSWORD}@", ""))
    assert PASSWORD not in refusal(server.url)
