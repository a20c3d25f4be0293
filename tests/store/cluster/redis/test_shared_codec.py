"""Values from Redis are the same as those sent there, or are refused."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evocrawl.core.errors import StateError
from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Content, Cost, Fetched, Lead, Link, Page
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.population.exchange import PageDigest
from evocrawl.store.cluster.redis.codec import RowCodec, Source, TravellingAgent
from evocrawl.store.cluster.redis.keys import SHARDS, KeyNames, RedisAddress, is_shared, shard_of
from evocrawl.store.journal.codec import NoPayloads

ROWS = RowCodec(NoPayloads())
TEXT = st.text(max_size=50)
URLS = st.sampled_from(["http://a.test/", "https://a.test/x?y=1", "http://a.test:8080/ü"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
)
FIELDS = st.sampled_from(["url", "anchor", "rel", "position", "tags", "source", "payload"])


def key_of(link: Link) -> bytes:
    return link.fingerprint.hex().encode()


def sized(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


@given(URLS, TEXT, TEXT, st.floats(0, 1), st.integers(0, 99))
def test_a_link_is_read_with_its_source(
    url: str, anchor: str, context: str, relevance: float, depth: int
) -> None:
    """With the words around it, of any characters."""
    link = Link(url, fingerprint(url), anchor, context, ("nofollow",), 3, "html/body/p")
    source = Source("http://b.test/", fingerprint("http://b.test/"), relevance, depth, anchor)
    packed = ROWS.pack_link(link, source).encode(errors="surrogatepass")
    assert ROWS.unpack_link("a.test", key_of(link), packed) == (link, source)
    seed = ROWS.pack_link(link, None).encode(errors="surrogatepass")
    assert ROWS.unpack_link("a.test", key_of(link), seed) == (link, None)


@given(URLS, TEXT, st.text(max_size=9000))
def test_links_that_another_worker_has_found_are_read_with_their_page(
    url: str, anchor: str, text: str
) -> None:
    """With the beginning of its text, and what species have made of it."""
    link = Link(url, fingerprint(url), anchor)
    source = Source("http://b.test/", fingerprint("http://b.test/"), 0.5, 2, anchor)
    row = (link.fingerprint.hex(), ROWS.pack_link(link, source))
    rows = [("a.test", *row), ("c.test", *row), ("a.test", *row)]
    packed = ROWS.pack_found(ROWS.pack_digest(PageDigest(text, {"evo": text.encode()})), rows)
    digest, links = ROWS.unpack_found(packed, {"a.test"})
    assert digest == PageDigest(text[:4000], {"evo": text.encode()})
    assert links == [("a.test", link, source)] * 2
    with pytest.raises(ValueError, match="another host"):
        ROWS.unpack_found(packed, {"c.test"})


@given(st.binary(max_size=60) | JSON.map(lambda value: repr(value).encode(errors="replace")))
def test_a_row_that_is_no_list_of_links_is_refused(row: bytes) -> None:
    assume(row.strip() != b"[]")
    digest = ROWS.pack_digest(PageDigest())
    bodies = [row, zlib.compress(row), zlib.compress(b" " * (1 << 21))]
    after_digest = [sized(digest) + each for each in bodies]
    as_digest = [sized(each) + b"[]" for each in bodies]
    as_head = [sized(sized(each)) + b"[]" for each in bodies]
    for packed in (*bodies, *after_digest, *as_digest, *as_head):
        with pytest.raises(ValueError):  # noqa: PT011 - any message will do
            ROWS.unpack_found(packed, {"a.test"})


@given(st.binary(max_size=60) | JSON.map(lambda value: repr(value).encode(errors="replace")))
def test_invalid_rows_are_refused(row: bytes) -> None:
    """With a ValueError."""
    with pytest.raises(ValueError):  # noqa: PT011 - any message will do
        ROWS.unpack_link("a.test", b"00" * 12, row)
    with pytest.raises(ValueError):  # noqa: PT011
        ROWS.unpack_guest(row)


@given(FIELDS, JSON)
def test_a_link_with_one_changed_field_is_valid_or_refused(name: str, value: Any) -> None:
    """It is never an invalid link."""
    row = json.loads(ROWS.pack_link(Link("http://a.test/", fingerprint("http://a.test/")), None))
    row[name] = value
    packed = json.dumps(row).encode()
    try:
        link, source = ROWS.unpack_link("a.test", b"00" * 12, packed)
    except (ValueError, StateError):
        return
    assert host_of(link.url) == "a.test"
    assert isinstance(link.anchor, str)
    assert source is None or 0 <= source.relevance <= 1


@pytest.mark.parametrize(
    "row",
    [
        '{"url":"file:///etc/passwd"}', '{"url":"http://b.test/"}', '{"url":"javascript:1"}',
        '{"url":"http://a.test/","position":-1}', '{"url":"http://a.test/","position":true}',
        '{"url":"http://a.test/' + "x" * 9000 + '"}', "[" * 100_000,
        '{"url":"http://a.test/","source":["http://b.test/","00",2,0,""]}',
        '{"url":"http://a.test/","source":["http://b.test/","00",NaN,0,""]}',
    ],
)  # fmt: skip
def test_a_forbidden_link_is_refused(row: str) -> None:
    """R17, R18: other schemes, other hosts, invalid numbers, too deep nesting."""
    with pytest.raises(ValueError):  # noqa: PT011
        ROWS.unpack_link("a.test", b"00" * 12, row.encode())


def page() -> Page:
    url = "http://a.test/"
    links = (Link("http://b.test/", fingerprint("http://b.test/"), "coral"),)
    content = Content("title", "text", "en", ("json-ld",), 3.0)
    return Page(url, fingerprint(url), 0.5, -2.0, links, b"v", content)


def test_a_page_is_read_with_its_record() -> None:
    """Its links have their payloads."""
    lead = Lead("http://a.test/", b"l", "a.test", b"", 4, 0.0, "anchor")
    reported = FetchDetails(7, lead, 203, "2026-01-01T00:00:00+00:00", "http://p.test/")
    record = ROWS.pack_record(page(), lead, reported, 1.5, "3").encode()
    content = ROWS.pack_content(page())
    key = page().fingerprint.hex().encode()
    again, row = ROWS.unpack_page("a.test", key, record, content)
    assert again == page()
    assert (row["status"], row["depth"], row["seconds"], row["worker"]) == (203, 4, 1.5, "3")
    with pytest.raises(ValueError, match="another host"):
        ROWS.unpack_page("b.test", key, record, content)
    assert Fetched(again, Cost()).page.relevance == 0.5


def test_a_content_that_expands_too_much_is_refused() -> None:
    """R14: a small row in Redis may be huge in memory."""
    bomb = zlib.compress(b"[" + b" " * (65 << 20) + b"]")
    with pytest.raises(ValueError, match="more than"):
        ROWS.unpack_page(
            "a.test", b"00" * 12, b'{"url":"http://a.test/","relevance":0,"energy":0}', bomb
        )


def test_an_agent_is_read_as_it_was_written() -> None:
    """With its energy, species and mind; too much energy is refused."""
    guest = TravellingAgent("evo", 1.25, b"page", (0.5, -1.0))
    assert ROWS.unpack_guest(ROWS.pack_guest(guest).encode()) == guest
    for energy in ("1e9", "NaN", '"1"'):
        with pytest.raises(ValueError):  # noqa: PT011
            ROWS.unpack_guest(f'["evo",{energy},"00",[]]'.encode())


def test_keys_of_a_host_share_a_slot() -> None:
    """So do those of its shard: a script uses one slot of a Redis Cluster."""
    keys = KeyNames("x").of("a.test", "open:", "done:", "todo", "owner", "version", "alive")
    tags = {key[key.index("{") : key.index("}") + 1] for key in keys}
    assert tags == {f"{{x:{shard_of('a.test')}}}"}
    assert len(set(keys)) == len(keys)
    assert {shard_of(f"host{number}") for number in range(2000)} == set(range(SHARDS))


def test_a_shown_address_has_no_password() -> None:
    """R22: neither user nor password, nor its options."""
    place = RedisAddress.of("rediss://me:s3cret@db.test:7000/1?crawl=coral&ssl_cert_reqs=none")
    assert str(place) == "rediss://db.test:7000/1?crawl=coral"
    assert place.url == "rediss://me:s3cret@db.test:7000/1?ssl_cert_reqs=none"
    assert place.name == "coral"
    assert is_shared("redis://x")
    assert not is_shared("crawl.sqlite")
    with pytest.raises(StateError, match="a crawl's name"):
        RedisAddress.of("redis://db.test?crawl={x}")
