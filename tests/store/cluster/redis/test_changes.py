"""The rows of what users change in a crawl of several workers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.store.cluster.redis.changes import (
    PARAMETERS,
    Change,
    PageMarked,
    ParametersGiven,
    PatternExcluded,
    RunBegan,
    StateChanged,
    WorkerDrained,
    pack_change,
    unpack_change,
)

KEY = "00" * 12
CHANGES = st.one_of(
    st.builds(RunBegan, st.integers(0, 10**9)),
    st.builds(StateChanged, st.sampled_from(["running", "paused", "stopping"])),
    st.builds(ParametersGiven, st.dictionaries(st.sampled_from(PARAMETERS), st.floats(0, 1e9))),
    st.builds(PatternExcluded, st.sampled_from(["a.test", "a.test/tag/*", "ü.test/é*"])),
    st.builds(PageMarked, st.just("http://a.test/ü?q=1"), st.just(KEY), st.booleans()),
    st.builds(WorkerDrained, st.sampled_from(["1", "12345"])),
)


@given(CHANGES)
def test_a_change_is_read_as_it_was_written(change: Change) -> None:
    assert unpack_change(pack_change(change).encode()) == change


@pytest.mark.parametrize(
    "row",
    [
        {"kind": "state", "state": "gone", "id": "1"},
        {"kind": "state", "state": "paused", "id": 7},
        {"kind": "state", "state": "paused", "id": "1", "more": 1},
        {"kind": "parameters", "values": {"seed": 1}, "id": "1"},
        {"kind": "parameters", "values": {"cost": "1"}, "id": "1"},
        {"kind": "parameters", "values": {"cost": -1}, "id": "1"},
        {"kind": "parameters", "values": [1], "id": "1"},
        {"kind": "exclude", "pattern": "*", "id": "1"},
        {"kind": "exclude", "pattern": 3, "id": "1"},
        {"kind": "mark", "url": "file:///etc/passwd", "key": KEY, "relevant": True, "id": "1"},
        {"kind": "mark", "url": "http://a.test/", "key": "xy", "relevant": True, "id": "1"},
        {"kind": "mark", "url": "http://a.test/", "key": KEY, "relevant": 1, "id": "1"},
        {"kind": "run", "max_requests": -1, "id": "1"},
        {"kind": "drain", "session": 3, "id": "1"},
        {"kind": "drain", "session": "x", "id": "1"},
        {"kind": "other", "id": "1"},
        ["state"],
        7,
        None,
    ],
)
def test_a_row_that_is_no_change_is_refused(row: object) -> None:
    """Any client of Redis can write one."""
    with pytest.raises(ValueError, match=r"."):
        unpack_change(json.dumps(row).encode())


@pytest.mark.parametrize("row", [b"", b"\xff", b'{"kind":', b"[" * 60_000, b" " * 70_000 + b"{}"])
def test_a_row_that_is_no_json_is_refused(row: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpack_change(row)
