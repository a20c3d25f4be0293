"""Sources of seeds survive hostile, wrong, endless and huge answers."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from answers import (
    ALL_SOURCES,
    INDEX,
    JSON_SOURCES,
    MAP,
    SEARX,
    WIKI,
    Web,
    json_of,
    results,
    sitemap,
)
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.urls.identity import identity
from evocrawl.relevance.tfidf import TfIdf
from evocrawl.seeding import sitemaps
from evocrawl.seeding.base import SeedError, Topic
from evocrawl.seeding.registry import source_of


def test_hostile_sitemaps_read_no_file_and_do_not_grow() -> None:
    """Entities that load, entities that multiply, and a bomb of gzip."""
    secret = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    loading = b"<?xml version='1.0'?>" + secret + sitemap(("http://a.test/&e;", ""))[21:]
    assert all("\n" not in each.url for each in Web({MAP: loading}).seeds(f"sitemap:{MAP}"))
    bomb = gzip.compress(b"<urlset>" + b" " * 200_000_000, 9)
    web = Web({MAP: bomb})
    assert web.seeds(f"sitemap:{MAP}") == []


@pytest.mark.parametrize("space", [b"\n", b" ", b"\t\n", b"\r\n", b"http://"])
def test_a_sitemap_of_blank_lines_is_read_in_one_pass(space: bytes) -> None:
    """Two megabytes of them would take hours if each line were searched to the end."""
    body = b"x" + space * (2_000_000 // len(space)) + b"y\nhttp://a.test/1 "
    assert [each.url for each in Web({MAP: body}).seeds(f"sitemap:{MAP}")] == ["http://a.test/1"]


@pytest.mark.parametrize("notation", ALL_SOURCES)
@pytest.mark.parametrize("status", [204, 301, 403, 404, 429, 500, 503])
def test_a_status_without_results_is_named(notation: str, status: int) -> None:
    """For every source that asks a server."""
    address = notation.partition(":")[2].partition("?")[0]
    with pytest.raises(SeedError, match=f"status {status}"):
        Web({address: status}).seeds(notation)


HOSTILE = [
    b"", b"\0\xff" * 100, b"<html><p>Too many requests</html>", b"null", b"[]", b"{}", b"7",
    b'{"results": 7, "query": []}', b'{"results": [1, null, {"url": 7}, {"url": "ftp://x/"}]}',
    b'{"query": {"pages": [{"fullurl": {}, "title": []}, 3]}}', b"[[1], 2]", b'[["url"], [{}]]',
    b"[" * 100_000, b'{"a":' * 50_000, b'{"results": [{"url": "http://\x00/"}]}',
    b'{"url": 5}\n{"url": "javascript:x"}', results("http://", "//a", "a" * 100_000),
]  # fmt: skip


@pytest.mark.parametrize("notation", ALL_SOURCES)
@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_answer_gives_nothing_or_is_named(notation: str, body: bytes) -> None:
    """No other exception leaves a source."""
    address = notation.partition(":")[2].partition("?")[0]
    try:
        assert Web({address: body}).seeds(notation) == []
    except SeedError as error:
        assert 0 < len(str(error)) < 200


@pytest.mark.parametrize("notation", ALL_SOURCES)
def test_a_huge_answer_is_not_read(notation: str) -> None:
    """The fetch is bounded by the source."""
    address = notation.partition(":")[2].partition("?")[0]
    with pytest.raises(SeedError, match="too large"):
        Web({address: b" " * 60_000_000}).seeds(notation)


_WORDS = st.one_of(st.none(), st.integers(), st.text(max_size=9), st.just("http://a.test/1"))
_TREES = st.recursive(
    _WORDS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["results", "query", "pages", "url", "title", "fullurl", "index", "error"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_TREES, st.sampled_from(JSON_SOURCES))
def test_any_json_gives_web_addresses_or_nothing(tree: object, notation: str) -> None:
    """All seeds are addresses on the web."""
    address = notation.partition(":")[2].partition("?")[0]
    try:
        seeds = Web({address: json_of(tree)}).seeds(notation)
    except SeedError:
        return
    for each in seeds:
        identity(each.url)
        assert 0 < each.score <= 1


_ODD = [
    "javascript:alert(1)", "mailto:a@a.test", "data:text/html,x", "file:///etc/passwd", "//a.test",
    "http://", "http://[::1", "http://a.test/\ud800", "http://a.test/" + "x" * 3000, "", 5, None,
    [], {}, True,
]  # fmt: skip
_GOOD = ["http://a.test/a b", "http://bücher.test/ü", "  http://sp.test/  "]


@pytest.mark.parametrize(
    "notation", [f"searxng:{SEARX}", f"mediawiki:{WIKI}", f"cdx:{INDEX}?url=*.a.test"]
)
def test_only_web_addresses_are_seeds(notation: str) -> None:
    """No page is a seed twice; an address that a browser would correct is kept unchanged."""
    urls = [*_ODD, *_GOOD, *_GOOD]
    web = Web(
        {
            SEARX: results(*urls),
            WIKI: json_of({"query": {"pages": [{"fullurl": each, "title": 5} for each in urls]}}),
            INDEX: b"\n".join(json_of({"url": each, "timestamp": []}) for each in urls),
        }
    )
    assert {each.url for each in web.seeds(notation)} == {each.strip() for each in _GOOD}


def test_the_beginning_of_a_giant_answer_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is not read; the event loop runs meanwhile."""
    turns: list[int] = []

    async def other() -> None:
        while True:
            turns.append(1)
            await asyncio.sleep(0.001)

    async def ask(notation: str, web: Web) -> list[str]:
        beside = asyncio.create_task(other())
        topic = Topic("coral", "en", TfIdf("coral", "en"), 100_000)
        found = await source_of("seeds", notation).source.seeds(topic, web.fetch)
        beside.cancel()
        return [each.url for each in found]

    monkeypatch.setattr(sitemaps, "_MOST_ENTRIES", 6_000)
    urls = [f"http://a.test/{n}" for n in range(8_000)]
    giant = Web({SEARX: results(*urls), MAP: sitemap(*((each, "") for each in urls))})
    assert len(asyncio.run(ask(f"searxng:{SEARX}", giant))) == 5_000
    turns.clear()
    assert len(asyncio.run(ask(f"sitemap:{MAP}", giant))) == 6_000
    assert len(turns) > 3
