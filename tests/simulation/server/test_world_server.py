"""A world that is served over HTTP is read as the same world."""

from __future__ import annotations

import http.client
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world_files import ROWS, A, B, write_rows

from evocrawl.core.model import Link
from evocrawl.core.urls.identity import fingerprint
from evocrawl.extraction import parse_html
from evocrawl.simulation.server.world_server import AsServed, render, serve
from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.base import Arrived, Document
from evocrawl.simulation.worlds.registry import open_world

WORDS = "some words that make a context of its own, so long that no neighbour is needed for it, as"


@pytest.fixture
def world(tmp_path: Path) -> AnsweringWorld:
    return open_world(write_rows(tmp_path / "w.jsonl", ROWS))


def get(port: int, url: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request("GET", url)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def test_every_kind_of_answer_goes_over_http(world: AnsweringWorld) -> None:
    """Pages, errors, redirects, robots.txt, and hosts outside the world."""
    with serve(world) as proxy:
        status, headers, body = get(proxy.port, A)
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert b"Albatrosses" in body
        assert get(proxy.port, "http://a.test/gone")[0] == 410
        assert get(proxy.port, "http://a.test/none")[0] == 404
        status, headers, _ = get(proxy.port, "http://a.test/moved")
        assert (status, headers["location"]) == (301, "/two")
        assert get(proxy.port, "http://a.test/robots.txt")[2].endswith(b"Disallow: /closed$\n")
        assert get(proxy.port, "http://b.test/robots.txt")[0] == 404
        assert get(proxy.port, "http://elsewhere.test/")[0] == 502
        assert proxy.requested("a.test")[0] == "/one"


def test_a_file_that_is_no_html_is_served_as_such() -> None:
    """With an invalid type and body."""
    world = open_world("sites:sites=5,dead=1,forbidden=0,seed=1")
    urls = [link.url for document in world.documents() for link in document.links]
    file = next(url for url in urls if url.endswith(".pdf"))
    with serve(world) as proxy:
        status, headers, body = get(proxy.port, file)
    assert (status, headers["content-type"], body[:4]) == (200, "application/pdf", b"%PDF")


@pytest.mark.parametrize("spec", ["sites:sites=10,moved=0.1", "news:pages=60,hosts=2"])
def test_a_served_page_is_read_as_the_same_page(spec: str) -> None:
    """Title, text, and every link with its anchor and context, in order."""
    world = open_world(spec)
    with serve(world) as proxy:
        for document in list(world.documents())[:40]:
            reading = parse_html(get(proxy.port, document.url)[2], document.url)
            assert (reading.title, reading.text) == (document.title, document.text)
            assert [link.url for link in reading.links] == [link.url for link in document.links]
            for read, link in zip(reading.links, document.links, strict=True):
                assert (read.anchor, read.context) == (link.anchor, link.context)


# The reader removes pilcrows as permalinks.
text = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="¶"), min_size=1, max_size=12
)


@given(
    title=text,
    links=st.lists(st.tuples(st.integers(0, 9), text, st.booleans()), max_size=6),
)
def test_links_with_any_words_are_read_in_their_order(
    title: str, links: list[tuple[int, str, bool]]
) -> None:
    """Also words that look like markup; the reader takes one of several anchors of a link."""
    urls = [f"http://b.test/{number}?a=1&b=%3C" for number, _, _ in links]
    made = tuple(
        Link(url, fingerprint(url), anchor, f"{WORDS} {anchor} {WORDS}" if around else "")
        for url, (_, anchor, around) in zip(urls, links, strict=True)
    )
    page = Document(A, fingerprint(A), title, "The text.", "en", made)
    reading = parse_html(render(page), A, encoding="utf-8")
    assert reading.title == title
    assert [link.url for link in reading.links] == list(dict.fromkeys(urls))
    for link in reading.links:
        assert link.anchor in [each.anchor for each in made if each.url == link.url]


def test_text_cannot_break_out_of_the_page() -> None:
    """Title, text, anchor, address and language may be hostile."""
    evil = '"><script>alert(1)</script></title></nav>'
    link = Link(f"http://b.test/{evil}", b"", evil, evil, (evil,))
    page = Document(A, b"", evil, evil, evil, (link,))
    assert b"<script" not in render(page)


def test_a_served_world_is_simulated_as_it_is_read(world: AnsweringWorld) -> None:
    """`AsServed` has the pages that a reader gets from the proxy after redirects."""
    served = AsServed(world)
    with serve(world) as proxy:
        for document in served.documents():
            reading = parse_html(get(proxy.port, document.url)[2], document.url)
            assert (reading.title, reading.text) == (document.title, document.text)
            assert reading.links == document.links
    moved = served.fetch("http://a.test/moved", 0.0)
    assert isinstance(moved, Arrived)
    assert (moved.document.url, moved.cost.requests) == (B, 2)


def test_a_world_of_https_is_served_over_http(tmp_path: Path) -> None:
    """Links, redirects and labels are changed, too."""
    rows = [
        {"url": "https://a.test/", "topics": ["T"], "links": [{"url": "https://a.test/b"}]},
        {"url": "https://a.test/b", "redirect_to": "https://a.test/c"},
        {"url": "https://a.test/c"},
    ]
    world = open_world(write_rows(tmp_path / "w.jsonl", rows))
    served = AsServed(world)
    assert served.about("T") == {fingerprint("http://a.test/")}
    with serve(world) as proxy:
        assert b'href="http://a.test/b"' in get(proxy.port, "http://a.test/")[2]
        assert get(proxy.port, "http://a.test/b")[1]["location"] == "http://a.test/c"
    arrived = served.fetch("http://a.test/b", 0.0)
    assert isinstance(arrived, Arrived)
    assert arrived.document.url == "http://a.test/c"


def test_the_clock_decides_which_page_is_served(tmp_path: Path) -> None:
    """A changing world changes during the crawl."""
    write_rows(tmp_path / "start.jsonl", ROWS)
    write_rows(tmp_path / "changes.jsonl", [{"at_s": 10, "url": A, "text": "Later."}])
    now_s = [0.0]
    with serve(open_world(tmp_path), clock=lambda: now_s[0]) as proxy:
        assert b"Albatrosses" in get(proxy.port, A)[2]
        now_s[0] = 10.0
        assert b"Later." in get(proxy.port, A)[2]


def test_responses_take_their_recorded_time_if_wanted(tmp_path: Path) -> None:
    """A client that does not wait gets no response."""
    rows = [{"url": A, "latency_s": 20}]
    world = open_world(write_rows(tmp_path / "w.jsonl", rows))
    with serve(world, waits=True) as proxy:
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=0.2)
        connection.request("GET", A)
        with pytest.raises(TimeoutError):
            connection.getresponse()
        connection.close()


def test_machine_readable_content_is_served_with_its_page() -> None:
    """So that a crawl finds it in a served world."""
    document = Document("http://a.test/", fingerprint("http://a.test/"), "", "text", "en", ())
    for formats in ((), ("json-ld",), ("json-ld", "microdata", "rdfa")):
        page = render(replace(document, formats=formats))
        assert parse_html(page, document.url).formats == formats
