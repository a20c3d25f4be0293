"""One crawl of hosts with a different fault each, checked by the requests that they got."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

import pytest
from livecrawl import QUERY, Crawled, page, site
from running import start

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Reset, Response, Site, redirect

pytestmark = pytest.mark.takes_s(60)

MOST_BYTES = 100_000
ODD = "/s?q=a||1|60&c=EMPLACEMENT PARTENAIRE"


class Visited(NamedTuple):
    """The hosts, the requests that they got, and the results of the crawl."""

    lab: Lab
    proxy: LoopbackProxy
    crawled: Crawled


class Lab:
    """The hosts, and the responses that they have sent."""

    def __init__(self) -> None:
        self.sent_bytes = 0
        self.dripped_s = 0.0

    def sites(self) -> dict[str, Site]:
        well = page(text=QUERY)
        return {
            "one.test": site(
                {"/": page("/a coral", text=QUERY), "/a": redirect("http://two.test/b")}
            ),
            "two.test": site(
                {"/": page("/b coral", text=QUERY), "/b": redirect("http://one.test/a")}
            ),
            "odd.test": self._odd,
            "big.test": site(
                {"/": page("/big coral", "/ok coral", text=QUERY), "/big": self._big, "/ok": well}
            ),
            "drip.test": site(
                {
                    "/": page("/drip coral", "/ok coral", text=QUERY),
                    "/drip": self._drip,
                    "/ok": well,
                }
            ),
            "files.test": site(_files()),
            "cut.test": site(
                {
                    "/": page("/cut coral", "/never-began coral", text=QUERY),
                    "/cut": Response(200, self._cut(b"<p>coral bleaching"), CUT),
                    "/never-began": Response(200, self._cut(b""), CUT),
                }
            ),
            "stuck.test": site(
                {
                    "/": page("/never coral", "/navigating coral", "/ok coral", text=QUERY),
                    "/never": well,
                    "/ok": well,
                }
            ),
        }

    @staticmethod
    def _odd(request: Request) -> Response:
        if request.path == "/":
            return page(f"{ODD.replace(' ', '&#32;')} coral", text=QUERY)
        return page(text=QUERY) if request.path.startswith("/s?") else Response(404)

    async def _big(self, _: Request) -> Response:
        return Response(200, self._megabytes())

    async def _megabytes(self) -> AsyncIterator[bytes]:
        while True:
            self.sent_bytes += 10_000
            yield b"coral " * 1_667
            await asyncio.sleep(0.001)

    @staticmethod
    async def _cut(body: bytes) -> AsyncIterator[bytes]:
        yield body
        await asyncio.sleep(0.1)
        raise Reset

    async def _drip(self, _: Request) -> Response:
        return Response(200, self._drops())

    async def _drops(self) -> AsyncIterator[bytes]:
        began_s = time.monotonic()
        while True:
            yield b"x"
            self.dripped_s = time.monotonic() - began_s
            await asyncio.sleep(0.2)


CUT = {"content-length": "4000", "content-type": "text/html"}
FILES = {
    "json": Response(200, b'{"a": 1}'),
    "pdf": Response(200, b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj <<>> endobj"),
    "nothing": Response(200, b""),
    "no-content": Response(204, b""),
    "cut-gzip": Response(200, b"\x1f\x8b\x08\x00\x00\x00\x00\x00", {"content-encoding": "gzip"}),
    "no-such-coding": Response(200, b"<p>coral", {"content-encoding": "rot13"}),
    "no-location": Response(302, b"<p>coral"),
    "strange-location": Response(302, b"", {"location": "http://[oops"}),
    "longer-than-sent": Response(200, b"<p>coral", {"content-length": "4000"}),
    "many-choices": Response(300, b"<p>coral"),
    "surrogate": Response(200, b"<a href='/\xed\xa0\x80'>coral</a><p>\x00\x01"),
    "late-json": redirect("/json"),
}


def _files() -> dict[str, Response | Callable[[Request], Response]]:
    links = [f"/{name} coral" for name in FILES]
    named = {f"/{name}": answer for name, answer in FILES.items()}
    return {"/": page(*links, "/ok coral", text=QUERY), "/ok": page(text=QUERY), **named}


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Visited:
    """Return the crawl that all tests check."""
    lab = Lab()
    sites = lab.sites()
    with LoopbackProxy(sites) as proxy:
        crawled = start(
            proxy,
            tmp_path_factory.mktemp("lab"),
            arguments={
                "query": QUERY,
                "seeds": " ".join(f"http://{host}/" for host in sites),
                "species": "breadth_first",
                "max_requests": 0,
                "allow_networks": "0.0.0.0/0 ::/0",
            },
            settings={
                "DOWNLOAD_MAXSIZE": MOST_BYTES,
                "DOWNLOADER_MIDDLEWARES": {"stuck.Impatient": 900},
                "DOWNLOAD_HANDLERS": {"http": "stuck.Stuck"},
                "RETRY_TIMES": 0,
            },
        ).end()
    return Visited(lab, proxy, crawled)


def test_the_crawl_ends_and_each_visit_is_settled(visited: Visited) -> None:
    """R8, R16, B064: also with connections that no server closes."""
    _, _, crawled = visited
    assert crawled.code == 0
    assert crawled.stat("stop_reason") == "exhausted"
    assert crawled.stat("visits/opened") == crawled.stat("visits/settled")
    assert crawled.stat("visits/unsettled") == crawled.stat("visits/settled_twice") == 0


def test_two_hosts_that_redirect_to_each_other(visited: Visited) -> None:
    """B098: neither gets requests without end."""
    _, proxy, _ = visited
    assert 1 <= proxy.requested("one.test").count("/a") <= 2
    assert 1 <= proxy.requested("two.test").count("/b") <= 2


def test_characters_that_a_query_may_not_have(visited: Visited) -> None:
    """B102: they are sent once, in a form that a server understands."""
    _, proxy, crawled = visited
    [asked] = [path for path in proxy.requested("odd.test") if path.startswith("/s")]
    assert " " not in asked
    assert any(each["url"].startswith("http://odd.test/s?") for each in crawled.pages)


def test_a_body_without_end_is_cut_off(visited: Visited) -> None:
    """R14, B065: it is cut near the limit, and the host's other page is read."""
    lab, proxy, _ = visited
    assert 0 < lab.sent_bytes < 100 * MOST_BYTES
    assert "/ok" in proxy.requested("big.test")


def test_a_body_that_drips_is_given_up(visited: Visited) -> None:
    """B066: its time-out ends it, and the host's other page is read."""
    lab, proxy, _ = visited
    assert lab.dripped_s < 60
    assert "/ok" in proxy.requested("drip.test")


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_page_does_not_affect_other_pages(visited: Visited, name: str) -> None:
    """R16, B017: it is requested, and causes no traceback."""
    _, proxy, crawled = visited
    assert f"/{name}" in proxy.requested("files.test")
    assert "/ok" in proxy.requested("files.test")
    assert "Spider error processing" not in crawled.log


def test_the_received_part_of_a_page_is_read(visited: Visited) -> None:
    """B066: the part before the connection broke is read, and is marked as cut off."""
    _, _, crawled = visited
    [item] = [each for each in crawled.pages if each["url"].startswith("http://cut.test/c")]
    assert (item["text"], item["truncated"]) == ("coral bleaching", ["cut_off"])


def test_responses_without_a_page_do_not_count_as_pages(visited: Visited) -> None:
    """B017: not 204, 300 or a redirect without a target; each counted page is exported."""
    _, proxy, crawled = visited
    assert {each["status"] for each in crawled.pages} == {200}
    assert len(crawled.pages) == crawled.stat("pages")
    assert "/never-began" in proxy.requested("cut.test")
    assert "http://cut.test/never-began" not in {each["url"] for each in crawled.pages}


def test_a_handler_that_never_answers(visited: Visited) -> None:
    """B067, B116: its request is named and given up; its own exceptions are failed downloads."""
    _, proxy, crawled = visited
    never = "a request was given up, since its download handler does not answer: http://stuck.test/never"
    assert never in crawled.log
    assert "/ok" in proxy.requested("stuck.test")
