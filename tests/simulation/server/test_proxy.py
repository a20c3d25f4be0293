"""The loopback proxy serves many hosts over real HTTP."""

from __future__ import annotations

import asyncio
import http.client
import socket
import urllib.request
from collections.abc import AsyncIterator

import pytest

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Reset, Response, redirect


def echo(request: Request) -> Response:
    text = f"{request.method} {request.host} {request.path} {request.body.decode()}"
    return Response(body=text.encode())


def fetch(
    proxy: LoopbackProxy, url: str, method: str = "GET", body: bytes = b""
) -> tuple[int, bytes]:
    """Return status and body; redirects are not followed."""
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=120)
    try:
        connection.request(method, url, body=body or None)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def raw(proxy: LoopbackProxy, data: bytes) -> bytes:
    """Return all bytes that the proxy sends after `data` until it closes."""
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=120) as sock:
        sock.sendall(data)
        chunks = []
        while chunk := sock.recv(65536):
            chunks.append(chunk)
    return b"".join(chunks)


def test_each_host_gets_its_own_site() -> None:
    """The host of the absolute target, not the address connected to, chooses the site."""
    with LoopbackProxy({"a.example": echo, "b.example": lambda _: Response(404)}) as proxy:
        assert fetch(proxy, "http://a.example/x?y=1") == (200, b"GET a.example /x?y=1 ")
        assert fetch(proxy, "http://B.example/")[0] == 404


def test_an_unknown_host_is_a_bad_gateway_or_answered_by_the_caller() -> None:
    """`elsewhere` replaces the 502 response for other hosts."""
    with LoopbackProxy({}) as proxy:
        assert fetch(proxy, "http://nowhere.example/")[0] == 502
    with LoopbackProxy({}, elsewhere=lambda _: Response(404)) as proxy:
        assert fetch(proxy, "http://nowhere.example/")[0] == 404


def test_a_standard_client_crawls_through_it_and_follows_a_redirect_to_another_host() -> None:
    """urllib with a proxy handler gets the redirect as on the real web."""
    sites = {"a.example": lambda _: redirect("http://b.example/there"), "b.example": echo}
    with LoopbackProxy(sites) as proxy:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy.url}))
        with opener.open("http://a.example/", timeout=120) as answer:
            assert answer.url == "http://b.example/there"
            assert answer.read() == b"GET b.example /there "
        assert [(r.host, r.path, r.order) for r in proxy.log] == [
            ("a.example", "/", 0),
            ("b.example", "/there", 1),
        ]


def test_the_log_keeps_the_order_and_times_of_requests() -> None:
    """Times never decrease, and `requested` returns the paths of one host."""
    with LoopbackProxy({"a.example": echo}) as proxy:
        for path in ("/3", "/1", "/2"):
            fetch(proxy, f"http://a.example{path}")
        assert proxy.requested("a.example") == ["/3", "/1", "/2"]
        times = [request.at_s for request in proxy.log]
        assert times == sorted(times)


def test_one_connection_carries_several_requests() -> None:
    """HTTP/1.1 keep-alive holds across hosts, as proxies do."""
    with LoopbackProxy({"a.example": echo, "b.example": echo}) as proxy:
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=120)
        connection.connect()
        first_socket = connection.sock
        for host in ("a.example", "b.example"):
            connection.request("GET", f"http://{host}/")
            assert connection.getresponse().read() == f"GET {host} / ".encode()
            assert connection.sock is first_socket
        connection.close()


def test_head_has_the_length_but_no_body() -> None:
    """The client gets the size without the bytes."""
    with LoopbackProxy({"a.example": lambda _: Response(body=b"12345")}) as proxy:
        answer = raw(proxy, b"HEAD http://a.example/ HTTP/1.1\r\nConnection: close\r\n\r\n")
        assert b"content-length: 5\r\n" in answer
        assert answer.endswith(b"\r\n\r\n")


def test_a_post_body_reaches_the_site() -> None:
    """Content-Length bytes after the head are the body."""
    with LoopbackProxy({"a.example": echo}) as proxy:
        assert fetch(proxy, "http://a.example/f", "POST", b"q=1")[1] == b"POST a.example /f q=1"


def test_a_request_in_origin_form_is_served_by_its_host_header() -> None:
    """The server also works for a client that resolves names to loopback."""
    with LoopbackProxy({"a.example": echo}) as proxy:
        answer = raw(proxy, b"GET /p HTTP/1.1\r\nHost: a.example:80\r\nConnection: close\r\n\r\n")
        assert answer.endswith(b"GET a.example /p ")


@pytest.mark.parametrize(
    "head",
    [
        b"nonsense\r\n\r\n",
        b"GET ftp://a.example/ HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST http://a.example/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET http://a.example/ HTTP/1.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
    ],
)
def test_a_malformed_request_gets_400(head: bytes) -> None:
    """A malformed or oversized request is refused and not logged."""
    with LoopbackProxy({"a.example": echo}) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=120) as sock:
            sock.sendall(head)
            assert sock.recv(12) == b"HTTP/1.1 400"
        assert proxy.log == []


def test_tunnels_are_refused() -> None:
    """CONNECT to a served host is 501, to another one 502."""
    with LoopbackProxy({"a.example": echo}) as proxy:
        assert raw(proxy, b"CONNECT a.example:443 HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 501")
        assert raw(proxy, b"CONNECT b.example:443 HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 502")
        assert [request.method for request in proxy.log] == ["CONNECT", "CONNECT"]


def test_a_site_can_break_the_connection() -> None:
    """The client gets a broken connection, before and during a body."""

    async def half() -> AsyncIterator[bytes]:
        yield b"some"
        raise Reset

    def reset(request: Request) -> Response:
        if request.path == "/half":
            return Response(body=half())
        raise Reset

    with LoopbackProxy({"a.example": reset}) as proxy:
        for path in ("/", "/half"):
            with pytest.raises(ConnectionResetError):
                fetch(proxy, f"http://a.example{path}")


def test_a_slow_host_does_not_delay_another_one() -> None:
    """While one site waits for ever, the other one answers."""

    async def never(_: Request) -> Response:
        await asyncio.Event().wait()
        raise AssertionError

    with (
        LoopbackProxy({"slow.example": never, "quick.example": echo}) as proxy,
        socket.create_connection(("127.0.0.1", proxy.port), timeout=120) as waiting,
    ):
        waiting.sendall(b"GET http://slow.example/robots.txt HTTP/1.1\r\n\r\n")
        assert fetch(proxy, "http://quick.example/")[0] == 200


def test_a_host_delay_comes_before_the_answer() -> None:
    """`delays` is a lower bound of the time until the answer; other hosts have none."""
    with LoopbackProxy({"a.example": echo}, delays={"a.example": 3600.0}) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=0.05) as sock:
            sock.sendall(b"GET http://a.example/ HTTP/1.1\r\n\r\n")
            with pytest.raises(TimeoutError):
                sock.recv(1)
        assert fetch(proxy, "http://b.example/")[0] == 502


def test_a_body_without_length_ends_with_the_connection() -> None:
    """An iterator is streamed chunk by chunk."""

    async def drip() -> AsyncIterator[bytes]:
        for chunk in (b"a", b"b", b"c"):
            yield chunk

    with LoopbackProxy({"a.example": lambda _: Response(body=drip())}) as proxy:
        answer = raw(proxy, b"GET http://a.example/ HTTP/1.1\r\n\r\n")
        assert answer.endswith(b"\r\n\r\nabc")
        assert b"content-length" not in answer


def test_headers_of_the_site_take_precedence() -> None:
    """A site can send its own type and even a wrong length."""
    site = Response(body=b"abc", headers={"content-type": "text/plain", "content-length": "99"})
    with LoopbackProxy({"a.example": lambda _: site}) as proxy:
        data = b"GET http://a.example/ HTTP/1.1\r\nConnection: close\r\n\r\n"
        answer = raw(proxy, data)
    assert b"content-type: text/plain\r\n" in answer
    assert b"content-length: 99\r\n" in answer
    assert answer.endswith(b"\r\n\r\nabc")


def test_a_mistake_in_a_site_is_500_and_raised_at_the_end() -> None:
    """The exception of a test's site fails the test."""

    def broken(_: Request) -> Response:
        raise KeyError("mistake")

    proxy = LoopbackProxy({"a.example": broken})
    with pytest.raises(KeyError, match="mistake"), proxy:
        assert fetch(proxy, "http://a.example/")[0] == 500


def test_the_port_is_free_afterwards() -> None:
    """The with block ends thread and port; a port in use is an OSError."""
    with LoopbackProxy({}) as proxy:
        with pytest.raises(OSError, match="in use"), LoopbackProxy({}, port=proxy.port):
            pass
        port = proxy.port
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=120)
    with LoopbackProxy({}, port=port) as again:
        assert again.port == port
