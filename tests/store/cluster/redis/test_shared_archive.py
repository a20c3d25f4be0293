"""`evocrawl export` of a crawl in Redis: the pages of all workers, each once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from redisserver import PASSWORD, RedisServer

from evocrawl.adapter.earlier_pages import EarlierPages
from evocrawl.cli import main
from evocrawl.core.errors import SettingError
from evocrawl.core.fetch import FetchDetails, RawResponse
from evocrawl.core.model import Content, Cost, Fetched, Lead, Link, Page
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.politeness.opt_out_files import AI_TXT, TDMREP, OptOutFile
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Connection
from evocrawl.store.cluster.redis.keys import KeyNames, RedisAddress, shard_of
from evocrawl.store.cluster.redis.opt_outs import SharedOptOuts
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.journal.codec import NoPayloads

ABOUT = {
    "query": "coral", "species": "evo", "seed": 3, "seeds": ["http://a.test/"],
    "evocrawl": "0.1.0", "DOWNLOAD_TIMEOUT": 9.0,
}  # fmt: skip
A, B, DEAD = "http://a.test/", "http://b.test/", "http://c.test/"


def key_of(what: str) -> str:
    """Return a key in the shard of the host a.test."""
    return KeyNames("mine").shard(shard_of("a.test"), what)


def fill(server: RedisServer) -> None:
    """Store two pages, fetched in this order, a dead link, and a page of another crawl."""

    async def work() -> None:
        for name, urls in (("mine", (A, B)), ("other", ("http://x.test/",))):
            place = RedisAddress.of(f"{server.url}?crawl={name}")
            connection = Connection(place)
            state = ClusterState(connection, 60_000)
            await state.join(ABOUT)
            calls = RedisCommands(RowCodec(NoPayloads()), KeyNames(name), state.session)
            for number, url in enumerate(urls):
                host = host_of(url)
                _, lease, _ = await state.take(host)
                links = tuple(Link(each, fingerprint(each), "=x") for each in (B, DEAD))
                page = Page(url, fingerprint(url), 0.5, 1.0, links, b"v", Content("t", "coral"))
                lead = Lead(url, fingerprint(url), host, b"", number, 0.0, "=anchor")
                answer = RawResponse("HTTP/1.1 200 OK", (("X", "y"),), b"<p>\n")
                at = f"2026-01-01T00:00:0{number}+00:00"
                reported = FetchDetails(
                    7, lead, 200, at, "", answer, "=twin", ("links", "depth"), at
                )
                record = calls.record(host, lease, Fetched(page, Cost(1.0)), lead, reported)
                await connection.run_all([record])
            _, lease, _ = await state.take("c.test")
            settle = calls.settle("c.test", lease, fingerprint(DEAD), "dead")
            await connection.run_all([settle])
            await connection.close()

    asyncio.run(work())


def test_pages_of_all_workers_are_written_once(
    server: RedisServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As JSON lines, CSV, WARC and a world file; those of another crawl are left out."""
    fill(server)
    store, out = f"{server.url}?crawl=mine", tmp_path / "o"
    for format_ in ("jsonl", "csv", "warc", "world"):
        path = out.with_name("o.jsonl.gz") if format_ == "world" else out.with_suffix(f".{format_}")
        assert main(["export", store, "--format", format_, "--out", str(path)]) == 0
        assert capsys.readouterr().err == f"2 pages in {path}\n"
    rows = [json.loads(line) for line in out.with_suffix(".jsonl").read_text().splitlines()]
    assert [(row["url"], row["depth"], row["text"]) for row in rows] == [
        (A, 0, "coral"), (B, 1, "coral"),
    ]  # fmt: skip
    assert [(row["duplicate_of"], row["truncated"], row["published_at"][:10]) for row in rows] == [
        ("=twin", ["links", "depth"], "2026-01-01")
    ] * 2
    assert "'=anchor" in out.with_suffix(".csv").read_text()
    world = open_world(str(tmp_path / "o.jsonl.gz"))
    assert len(world) == 2


def test_an_impossible_export_is_reported(
    server: RedisServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No such crawl, no such server: an error, without the password."""
    out = str(tmp_path / "o")
    assert main(["export", f"{server.url}?crawl=none", "--out", out]) != 0
    assert "there is no such crawl" in (reported := capsys.readouterr().err)
    assert main(["export", f"redis://:{PASSWORD}@127.0.0.1:1/0", "--out", out]) != 0
    assert PASSWORD not in reported + capsys.readouterr().err
    assert not Path(out).exists()


def test_a_server_is_asked_for_its_opt_out_files_by_one_worker(
    server: RedisServer, tmp_path: Path
) -> None:
    """Its answer is in the export; a damaged row is reported and left out."""
    fill(server)
    store, place = f"{server.url}?crawl=mine", "http://a.test"
    rule = OptOutFile(place, AI_TXT, "found", "bot", b"User-agent: *\nDisallow: /\n")

    async def work() -> None:
        connection = Connection(RedisAddress.of(store))
        first = SharedOptOuts(connection, KeyNames("mine"), "1")
        second = SharedOptOuts(connection, KeyNames("mine"), "2")
        assert [*await first.missing(place)] == [AI_TXT, TDMREP]
        assert [*await second.missing(place)] == []
        await first.keep(rule)
        with server.client() as client:
            client.delete(key_of(f"asking:{place}"))
        assert [*await second.missing(place)] == [TDMREP]
        await second.keep(OptOutFile(place, TDMREP, "none"))
        assert [*await first.missing(place)] == []
        await connection.close()

    asyncio.run(work())
    out = tmp_path / "sheet.json"
    command = ["export", store, "--format", "croissant", "--out", str(out), "--force"]
    assert main(command) == 0
    sheet = json.loads(out.read_text())
    assert sheet["evocrawl:optOuts"] == {"ai.txt": 1}
    assert sheet["evocrawl:optOutFiles"]["ai.txt"] == {"found": 1, "not asked": 1}
    with server.client() as client:
        client.hset(key_of("opt_outs:a.test"), f"{place}{AI_TXT}", b"\xff")
    assert main(command) == 1
    assert json.loads(out.read_text())["evocrawl:optOuts"] == {}


def test_a_crawl_in_redis_has_the_pages_that_have_not_changed(server: RedisServer) -> None:
    """For the option `since`; missing pages and a lost Redis cause no error."""
    fill(server)
    earlier = EarlierPages(f"{server.url}?crawl=mine")
    for url in (A, DEAD, "http://none.test/", "mailto:a"):
        earlier.note(url, 0.0)
    answer = earlier.unchanged(A, 2e9)
    assert answer is not None
    assert answer.body == b"<p>\n"
    assert dict(answer.headers)["Date"] == "Thu, 01 Jan 2026 00:00:00 GMT"
    assert [earlier.unchanged(url, 2e9) for url in (B, DEAD, "mailto:a")] == [None] * 3
    with server.client() as client:
        client.delete(key_of("bodies:a.test"))
    assert earlier.unchanged(A, 2e9) is None
    earlier.close()
    for name, problem in (("none", "there is no such crawl"), ("bare", "has no responses")):
        if name == "bare":
            with server.client() as client:
                client.set("evocrawl:{bare}:about", "{}")
        with pytest.raises(SettingError, match=problem):
            EarlierPages(f"{server.url}?crawl={name}")
