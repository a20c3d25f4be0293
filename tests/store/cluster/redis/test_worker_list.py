"""The reports of workers, their list, and how one of them is drained."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing

import pytest
from cluster_crowd import HOST, Crowd, run, taken
from hypothesis import given
from hypothesis import strategies as st
from redisserver import RedisServer

from evocrawl.cli import main
from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.changes import WorkerDrained, unpack_change
from evocrawl.store.cluster.redis.reports import WorkerReport, pack_report, unpack_report
from evocrawl.store.cluster.redis.worker_list import LiveWorker, WorkerList

REPORTS = st.builds(
    WorkerReport, st.text(max_size=40), st.floats(0, 1e6), st.integers(0, 10**9),
    st.integers(0, 99), st.integers(0, 99), st.just("5-1"),
    st.sampled_from(["running", "draining"]),
)  # fmt: skip


@given(REPORTS)
def test_a_report_is_read_as_it_was_written(report: WorkerReport) -> None:
    assert unpack_report(pack_report(report).encode()) == report


@pytest.mark.parametrize(
    "row",
    [
        b"", b"\xff", b"[]", b"7", b'{"more": 1}', b'{"pages": -1}', b'{"pages": true}',
        b'{"lease_s": NaN}', b'{"lease_s": "1"}', b'{"state": "gone"}', b'{"process": 7}',
        b'{"read_to": null}', b'{"pages": 1e300}', b" " * 5000 + b"{}", b"[" * 4000,
    ],
)  # fmt: skip
def test_a_row_that_is_no_report_is_refused(row: bytes) -> None:
    """Any client of Redis can write one."""
    with pytest.raises(ValueError, match=r"."):
        unpack_report(row)


def listed(server: RedisServer) -> list[LiveWorker]:
    with closing(SharedArchive(server.url)) as archive:
        return WorkerList(archive).workers()


def test_live_workers_are_listed_with_their_hosts(server: RedisServer, capsys) -> None:
    """Dead ones are not; if a report cannot be read, the rest of the row is shown."""
    report = WorkerReport("box:\x1b[2J7", 60.0, 5, 2, 1, state="draining")

    async def story(crowd: Crowd) -> None:
        first, *_ = await crowd.join()
        second, calls, connection = await crowd.join()
        dead, *_ = await crowd.join(lease_ms=1)
        await taken(first)
        await first.beat(1, 0, pack_report(report))
        await second.beat(0, 2, '{"pages": -1}')
        await dead.beat(0, 0, "{}")
        await connection.run_all([calls.news(first.session, "link", HOST)])
        found = await asyncio.to_thread(listed, crowd.server)
        assert [each.name for each in found] == [first.session, second.session]
        whole, broken = found
        assert (whole.state, whole.pages, whole.under_way, whole.unsent) == ("draining", 5, 2, 1)
        assert (whole.hosts, whole.open_hosts) == ((HOST,), 1)
        assert whole.lag_s > 0
        assert 0 <= whole.heartbeat_s < 60
        assert (broken.state, broken.pages, broken.hosts) == ("idle", 0, ())

        assert await asyncio.to_thread(main, ["workers", crowd.server.url]) == 0
        shown = capsys.readouterr().out
        assert shown.splitlines()[0].split()[:3] == ["worker", "process", "state"]
        assert "\x1b" not in shown
        assert await asyncio.to_thread(main, ["workers", crowd.server.url, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert [each["hosts"] for each in rows] == [[HOST], []]

    run(server, story)


def test_only_a_live_worker_can_be_drained(server: RedisServer, capsys) -> None:
    """By its number or its process; each change reaches the workers in the order of all others."""

    async def story(crowd: Crowd) -> None:
        state, *_ = await crowd.join()
        await state.beat(0, 0, pack_report(WorkerReport("box:7", 60.0)))
        for name in (state.session, "box:7"):
            command = ["workers", crowd.server.url, "--drain", name]
            assert await asyncio.to_thread(main, command) == 0
            assert f"worker {state.session} finishes" in capsys.readouterr().out
        changes = [unpack_change(row) for row in await state.changes(1, 10)]
        assert [type(each) for each in changes] == [WorkerDrained] * 2
        assert {each.session for each in changes} == {state.session}
        assert await asyncio.to_thread(main, ["workers", crowd.server.url, "--drain", "9"]) == 2
        assert f"allowed: {state.session}" in capsys.readouterr().err

    run(server, story)


def test_a_crawl_without_workers_has_none_to_list(server: RedisServer, capsys) -> None:
    """A Redis without the crawl is an error, and so is a file."""
    with pytest.raises(StateError, match="no such crawl"):
        listed(server)
    assert main(["workers", "coral.sqlite"]) == 2
    assert "redis://" in capsys.readouterr().err
