"""A change on one dashboard of a crawl reaches all of its workers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from redisserver import RedisServer
from served import TOKEN, Server, served, until_quiet
from workers import Fleet, ManyHosts

WEB = ManyHosts(pages=300, hosts=13, delay_s=0.1)
EXCLUDED = "h3.test"
MOST = 250
"""More than the crawl sends before a user stops it, and less than the web has."""
OPTIONS = {
    "seeds": WEB.url(0), "lease_s": 3, "dashboard": 0, "dashboard_token": TOKEN,
}  # fmt: skip


@pytest.fixture
def fleet(serve, tmp_path: Path) -> Iterator[Fleet]:
    with RedisServer(tmp_path) as server:
        fleet = Fleet(serve(WEB.sites()), server, tmp_path)
        yield fleet
        fleet.stop()


def dashboard_of(fleet: Fleet, number: int) -> Server:
    log, found = fleet.log_of(number), None
    while found is None:
        assert fleet.processes[number].poll() is None
        text = log.read_text() if log.exists() else ""
        found = re.search(r"dashboard: http://127\.0\.0\.1:(\d+)/$", text, re.M)
        time.sleep(0.05)
    return Server(int(found[1]))


def until(is_true: Callable[[], bool]) -> None:
    end_s = time.monotonic() + 300
    while not is_true():
        assert time.monotonic() < end_s
        time.sleep(0.2)


def asked_of(fleet: Fleet, host: str) -> int:
    return sum(each.host == host for each in list(fleet.proxy.log))


@pytest.mark.takes_s(20)
def test_every_worker_follows_what_a_user_does_on_one_dashboard(fleet: Fleet) -> None:
    """Also workers that join later; the next run continues with the changes."""
    fleet.start(2, {**OPTIONS, "max_requests": 5000}, CONCURRENT_REQUESTS=4)
    first, second = dashboard_of(fleet, 0), dashboard_of(fleet, 1)
    until(lambda: min(each.get("status")["pages"] for each in (first, second)) > 5)
    until(lambda: asked_of(fleet, EXCLUDED) > 1)

    assert first.post("pause")[0] == 200
    until(lambda: {each.get("status")["state"] for each in (first, second)} == {"paused"})
    until_quiet(fleet.proxy.log, first, second)
    before = asked_of(fleet, EXCLUDED)
    assert second.post("exclusions", {"pattern": EXCLUDED})[0] == 200
    assert first.post("parameters", {"max_requests": MOST, "upper_bound": 44})[0] == 200
    # A worker sends a change in the background: Redis could have the next one of another first.
    until(lambda: second.get("status")["parameters"]["upper_bound"] == 44)
    assert second.post("parameters", {"cost": 0.5, "upper_bound": 55})[0] == 200
    assert second.post("parameters", {"lower_bound": 99})[0] == 409
    page = first.get("results")["results"][0]
    assert first.post("feedback", {"visit": page["visit"], "relevant": False})[0] == 200
    until(lambda: fleet.log().count(f"{page['url']} is marked as not relevant") == 2)
    until(lambda: first.get("status")["feedback"] is not None)

    fleet.start(1, {**OPTIONS, "max_requests": 5000}, CONCURRENT_REQUESTS=4)
    third = dashboard_of(fleet, 2)
    with ExitStack() as stack:
        store = stack.enter_context(served(fleet.server.url))
        everyone = (first, second, third, store)
        until(lambda: {each.get("status")["state"] for each in everyone} == {"paused"})
        until(lambda: all(each.get("status")["exclusions"] == [EXCLUDED] for each in everyone))
        for each in everyone:
            parameters = each.get("status")["parameters"]
            assert (parameters["max_requests"], parameters["cost"]) == (MOST, 0.5)
            assert parameters["upper_bound"] == 55
        assert store.post("exclusions", {"agent": 1})[0] in (404, 409)
        assert store.post("resume")[0] == 200
        until(lambda: {each.get("status")["state"] for each in everyone} == {"running"})
        resumed_at = len(fleet.proxy.log)
        until(lambda: len(fleet.proxy.log) > resumed_at + 10)
        assert store.post("stop")[0] == 200
        assert fleet.wait() == [0, 0, 0]
        until(lambda: store.get("status")["state"] == "stopped")
        assert store.post("pause")[0] == 409
    reasons = {fleet.stats(number)["evocrawl/stop_reason"] for number in range(3)}
    assert reasons == {"stopped_by_user"}
    assert len(fleet.proxy.log) <= MOST
    assert asked_of(fleet, EXCLUDED) == before

    fleet.start(1, {**OPTIONS, "max_requests": 0}, CONCURRENT_REQUESTS=4)
    last = dashboard_of(fleet, 3)
    until(lambda: last.get("status")["exclusions"] == [EXCLUDED])
    parameters = last.get("status")["parameters"]
    assert (parameters["max_requests"], parameters["cost"]) == (0, 0.5)
    assert fleet.wait()[-1] == 0
    assert fleet.stats(3)["evocrawl/stop_reason"] == "exhausted"
    assert asked_of(fleet, EXCLUDED) == before
    recorded = fleet.recorded()
    numbers = {int(url.rpartition("/")[2]) for url in recorded}
    linked = {each for n in numbers for each in WEB.linked(n)}
    assert {each for each in linked if each % WEB.hosts != 3} <= numbers
    assert set(recorded.values()) == {1}
