"""The back-off of hosts that fail, and when they are given up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.politeness.backoff import GIVEN_UP_S, MAX_HOSTS, PROBES, HostBackoff

HOST = "a.test"
FIRST_S, CAP_S, ASKED_CAP_S, BREAKER = 1.0, 60.0, 600.0, 5


def troubles(seed: int = 0) -> HostBackoff:
    return HostBackoff(
        np.random.default_rng(seed),
        first_s=FIRST_S,
        cap_s=CAP_S,
        asked_cap_s=ASKED_CAP_S,
        breaker=BREAKER,
    )


def fail(there: HostBackoff, times: int, now_s: float = 0.0) -> list[float]:
    """Fail so often in a row, each try when it is allowed; return the seconds to wait."""
    waits = []
    for _ in range(times):
        until_s = there.failed(HOST, now_s, now_s)
        waits.append(until_s - now_s)
        now_s = until_s
    return waits


def test_the_wait_doubles_up_to_the_cap() -> None:
    """R12: half of it is random; after the failures of `breaker` it is the whole cap."""
    waits = fail(troubles(), BREAKER + PROBES - 1)
    for number, wait in enumerate(waits):
        whole = CAP_S if number + 1 >= BREAKER else FIRST_S * 2**number
        assert whole / 2 <= wait <= whole + 1e-9
        assert wait == pytest.approx(CAP_S) or number + 1 < BREAKER


def test_waits_depend_on_the_seed_of_the_crawl() -> None:
    """R12: jitter comes from the seeded generator."""
    assert fail(troubles(1), 4) == fail(troubles(1), 4) != fail(troubles(2), 4)


def test_a_host_that_does_not_recover_is_given_up_for_an_hour() -> None:
    """R12: after the probes of an open circuit; then one more failure gives it up again."""
    there = troubles()
    waits = fail(there, BREAKER + PROBES)
    now_s = sum(waits)
    assert waits[-1] == 0.0
    assert there.is_given_up(HOST, now_s)
    assert there.is_given_up(HOST, now_s + GIVEN_UP_S - 1)
    later_s = now_s + GIVEN_UP_S
    assert not there.is_given_up(HOST, later_s)
    there.failed(HOST, later_s, later_s)
    assert there.is_given_up(HOST, later_s + 1)


def test_one_response_ends_the_back_off() -> None:
    """But not a response to a request that was under way when the back-off began."""
    there = troubles()
    until_s = there.failed(HOST, 0.0, 5.0)
    there.succeeded(HOST, 4.0)
    assert there.is_troubled(HOST)
    assert there.until(HOST) == until_s
    there.succeeded(HOST, until_s)
    assert not there.is_troubled(HOST)
    assert there.until(HOST) == 0.0


def test_requests_that_fail_together_are_one_failure() -> None:
    """Eight at once do not reach the limit of failures."""
    there = troubles()
    waits = [there.failed(HOST, 0.0, 1.0) for _ in range(20)]
    assert len(set(waits)) == 1


@pytest.mark.parametrize("asked_s", [5.0, 600.0])
def test_the_wait_that_a_host_asks_for_is_kept(asked_s: float) -> None:
    """R11: also after failures at the same time; a shorter wait does not replace a longer one."""
    there = troubles()
    assert there.failed(HOST, 0.0, 1.0, asked_s) == 1.0 + asked_s
    assert there.failed(HOST, 0.0, 2.0, 1.0) == 1.0 + asked_s


def test_a_host_that_asks_for_a_too_long_wait_is_given_up_for_that_time() -> None:
    """R11: no visit waits for the host or starts before; the longest back-off is a day."""
    there = troubles()
    assert there.failed(HOST, 0.0, 1.0, 3600.0) == 1.0
    assert there.is_given_up(HOST, 3600.0)
    assert not there.is_given_up(HOST, 3601.0)
    there.failed(HOST, 4000.0, 4000.0, 1e12)
    assert not there.is_given_up(HOST, 4000.0 + 24 * 3600)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 50), st.floats(0, 5000))))
def test_times_are_finite_after_any_events(steps: list[tuple[bool, float, float]]) -> None:
    """R17: waits end within the larger of both caps."""
    there, now_s = troubles(), 0.0
    for is_failure, passed_s, asked_s in steps:
        sent_s, now_s = now_s, now_s + passed_s
        if is_failure:
            until_s = there.failed(HOST, sent_s, now_s, asked_s)
            assert until_s <= now_s + max(CAP_S, ASKED_CAP_S)
            assert there.until(HOST) == until_s
        else:
            there.succeeded(HOST, sent_s)


def test_memory_is_bounded() -> None:
    """The hosts with the longest back-off are forgotten."""
    there = troubles()
    for number in range(MAX_HOSTS + 5):
        there.failed(f"{number}.test", 0.0, 0.0)
    assert not there.is_troubled("4.test")
    assert there.is_troubled("5.test")
