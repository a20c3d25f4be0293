"""An agent cannot exceed the limits of the server with any arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from listener import Listener

from evocrawl.api.mcp.crawls import Crawls, Limits
from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, redirect

if TYPE_CHECKING:
    from mcp import Client

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="mcp is not installed")

MOST = 6
PUBLIC = "127.0.0.1"
"""Plays the Internet; the inner server's address is not allowed."""
INNER = "127.0.0.2"

WRONG: list[dict[str, Any]] = [
    *({"max_requests": each} for each in (-1, 0, MOST + 1, 10**30, "7", "six", "1e1", 6.5, [], {})),
    *({"seeds": each} for each in (
        "/etc/passwd", "http://a.test/", ["/etc/passwd"], ["file:/etc/passwd"], ["file:///etc/passwd"],
        ["FILE:/etc/passwd"], ["store:crawl.sqlite"], ["store:redis://127.0.0.1/0"], ["stdin:"],
        ["ddgs:auto"], ["http:/etc/passwd"], ["ftp://a.test/"], ["javascript:alert(1)"],
        ["data:text/html,x"], [" http://a.test/"], ["http://a.test/\nfile:/etc/passwd"],
        ["http://a.test/ file:/etc/passwd"], [""], [5], [None], [["http://a.test/"]], {"0": "x"},
        ["http://a.test/"] * 51, ["http://a.test/" + "x" * 10**6],
    )),
    *({"allowed_domains": each} for each in ("a.test", [5], ["a.test"] * 51, ["x" * 10**6])),
    *({"query": each} for each in ("coral " * 1000, 5, None, ["coral"])),
]  # fmt: skip


@pytest.fixture
def inner() -> Iterator[Listener]:
    server = Listener(INNER)
    yield server
    server.close()


def _public(port: int) -> LoopbackProxy:
    """A site with links and a redirect to private addresses, and with pages without end."""

    def answer(request: Request) -> Response:
        if request.path == "/robots.txt":
            return Response(404, b"")
        if request.path == "/inside":
            return redirect(f"http://{INNER}:{port}/redirected")
        number = int(request.path.strip("/") or 0)
        links = (f"/{2 * number + 1}", f"/{2 * number + 2}", "/inside", f"http://{INNER}:{port}/")
        anchors = "".join(f"<p><a href='{each}'>coral bleaching</a>" for each in links)
        html = f"<title>coral</title><p>coral bleaching {number} of many reefs{anchors}"
        return Response(200, html.encode(), {"Content-Type": "text/html"})

    return LoopbackProxy({PUBLIC: answer})


def test_no_argument_reaches_private_addresses_or_exceeds_the_limits(
    tmp_path: Path, inner: Listener
) -> None:
    folder = tmp_path / "crawls"
    with _public(inner.port) as public:
        asyncio.run(_try_all(folder, public, inner))
    assert inner.calls == 0
    assert 1 < len(public.log) <= MOST
    assert [each.name for each in tmp_path.iterdir()] == ["crawls"]
    assert {each.suffix for each in folder.iterdir()} <= {".sqlite", ".sqlite-lock"}


async def _try_all(folder: Path, public: LoopbackProxy, inner: Listener) -> None:
    from mcp import Client  # its import takes seconds

    from evocrawl.api.mcp.server import make_server

    settings = {
        "HTTPPROXY_ENABLED": False, "DOWNLOAD_DELAY": 0, "EVOCRAWL_ALLOW_NETWORKS": f"{PUBLIC}/32",
    }  # fmt: skip
    inside = [
        f"http://{host}:{inner.port}/"
        for host in (INNER, "2130706434", "0x7f.2", "127.2", f"[::ffff:{INNER}]", f"me@{INNER}",
                     "１２７.0.0.2", "0177.0.0.2")
    ]  # fmt: skip
    async with (
        Crawls(Limits(MOST, 1, settings=settings), folder) as crawls,
        Client(make_server(crawls)) as client,
    ):
        for wrong in WRONG:
            given = {"query": "coral", "seeds": [public.url], "max_requests": 5, **wrong}
            refused = await client.call_tool("start_crawl", given)
            assert refused.is_error, wrong
        assert crawls.names() == []
        asked = {"query": "coral bleaching", "seeds": [f"{public.url}/", *inside]}
        # Arguments that the tool does not have are refused.
        other = {"store": "../outside.sqlite", "settings": {"ROBOTSTXT_OBEY": False}, "browser": 1}
        began = await client.call_tool("start_crawl", {**asked, **other})
        if not began.is_error:
            await _follow(client, began.structured_content["crawl"])
        else:
            began = await client.call_tool("start_crawl", asked)
            await _follow(client, began.structured_content["crawl"])


async def _follow(client: Client, name: str) -> None:
    end = await client.call_tool("status", {"crawl": name, "wait_s": 1e308})
    assert end.structured_content["state"] == "finished"
    assert end.structured_content["requests"] <= end.structured_content["limit"] == MOST
    for tool, more in (
        ("results", {"count": 10**30, "start": 10**30}), ("results", {"count": -5, "start": -5}),
        ("status", {"wait_s": -1}), ("page", {"url": "file:///etc/passwd"}),
        ("page", {"url": f"http://{INNER}/", "start": -1, "max_chars": 10**30}),
        ("why", {"url": "\0"}), ("why", {"url": "x" * 10**6}),
        ("feedback", {"url": "", "relevant": 1}),
    ):  # fmt: skip
        answer = await client.call_tool(tool, {"crawl": name, **more})
        text = "".join(part.text for part in answer.content)
        assert "root:" not in text
        assert "Traceback" not in text
    for outside in (
        "../crawls/x",
        "/etc/passwd",
        "",
        ".",
        f"{name}.sqlite",
        f"{name}\0",
        "a" * 9999,
    ):
        for tool in ("results", "status", "stop"):
            wrong = await client.call_tool(tool, {"crawl": outside})
            assert wrong.is_error
