"""Several workers on one Redis: no page is lost or recorded twice, and hosts are not crowded."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from livecrawl import QUERY, page, site
from redisserver import PASSWORD, RedisServer
from warcs import check_warcs, warc_urls
from workers import Fleet, ManyHosts, Start, check_whole, options, repeats

from evocrawl.cli import main
from evocrawl.simulation.server.proxy import redirect
from evocrawl.store.export.warc_mending import mend

IN_FLIGHT = 8
COMMON = {"CONCURRENT_REQUESTS": IN_FLIGHT}


def test_workers_share_a_crawl(fleet_for: Start) -> None:
    """B079: each host belongs to one worker at a time; all end when no link is left."""
    web = ManyHosts(pages=200, hosts=40)
    fleet = fleet_for(web)
    web.is_open = lambda: fleet.joined() == 3
    fleet.start(3, options(web), **COMMON)
    assert fleet.wait() == [0, 0, 0]
    check_whole(fleet, web)
    assert repeats(fleet.asked().values()) == 0
    stats = [fleet.stats(number) for number in range(3)]
    assert all(each["evocrawl/stop_reason"] == "exhausted" for each in stats)
    assert sum(each["evocrawl/pages"] for each in stats) == web.pages
    assert min(each["evocrawl/pages"] for each in stats) > 0
    assert all(each["evocrawl/visits/unsettled"] == 0 for each in stats)
    assert PASSWORD not in fleet.log()
    fleet.start(1, options(web), **COMMON)
    assert fleet.wait()[-1] == 0
    assert "has ended (exhausted); raise max_requests to continue it" in fleet.log_of(3).read_text()
    assert fleet.asked().total() == web.pages


@pytest.mark.parametrize("species", ["evo", "energy"])
def test_a_killed_worker_and_a_paused_one_lose_nothing(
    fleet_for: Start, species: str, tmp_path: Path, capsys
) -> None:
    """R1, R3, B075: others take over their hosts; a worker paused beyond its lease rejoins.

    At most the requests under way are repeated, and as many that were settled but not reported.
    The WARC files that they write to one folder have all pages.
    """
    warcs = tmp_path / "warcs"
    web = ManyHosts(pages=170, hosts=30, delay_s=0.05)
    fleet = fleet_for(web)
    kept = {"warc": warcs, "warc_bytes": 20_000}
    web.is_open = lambda: fleet.joined() == 3
    fleet.start(3, options(web, species=species, lease_s=4, **kept), **COMMON)
    fleet.wait_for_requests(40)
    fleet.server.wait_for(lambda: all(each["hosts"] for each in listed(fleet, capsys)) or None)
    killed, paused, _ = fleet.processes
    killed.kill()
    paused.send_signal(signal.SIGSTOP)
    with fleet.server.client() as client:
        fleet.server.wait_for(lambda: _is_over_with_others(client) or None)
    paused.send_signal(signal.SIGCONT)
    assert fleet.wait() == [-signal.SIGKILL, 0, 0]
    # The paused one may be the first to find hosts of the killed one, or its own ones again.
    assert sum(fleet.stats(number)["evocrawl/workers/taken_over"] for number in (1, 2)) > 0
    check_whole(fleet, web)
    assert repeats(fleet.asked().values()) <= 2 * 2 * IN_FLIGHT
    for path in warcs.iterdir():
        mend(path)
    check_warcs(warcs.iterdir())
    assert {web.url(n) for n in range(web.pages)} <= set(warc_urls(warcs.iterdir()))


def listed(fleet: Fleet, capsys) -> list[dict[str, Any]]:
    """Return the workers as `evocrawl workers` lists them."""
    capsys.readouterr()
    assert main(["workers", fleet.server.url, "--json"]) == 0
    return list(json.loads(capsys.readouterr().out))


def _is_over_with_others(client) -> bool:
    """Return whether only the last of the three workers counts as alive."""
    seconds, micros = client.time()
    at_ms = seconds * 1000 + micros // 1000
    deadlines = client.hvals("evocrawl:{evocrawl}:workers")
    return sum(int(each.split()[0]) > at_ms for each in deadlines) <= 1


def test_a_worker_that_is_drained_leaves_its_hosts_to_the_others(fleet_for: Start, capsys) -> None:
    """Its visits end; none is repeated, and its hosts have another owner at once."""
    web = ManyHosts(pages=200, hosts=30, delay_s=0.1)
    fleet = fleet_for(web)
    fleet.start(2, options(web, lease_s=60), **COMMON)
    fleet.wait_for_requests(40)

    def with_hosts() -> list[dict[str, Any]] | None:
        workers = listed(fleet, capsys)
        return workers if all(each["hosts"] for each in workers) else None

    both = fleet.server.wait_for(with_hosts)
    assert {int(each["process"].rpartition(":")[2]) for each in both} == {
        each.pid for each in fleet.processes
    }
    (leaves,) = (e for e in both if e["process"].endswith(f":{fleet.processes[0].pid}"))
    assert main(["workers", fleet.server.url, "--drain", leaves["name"]]) == 0
    assert fleet.processes[0].wait(timeout=300) == 0
    (stays,) = listed(fleet, capsys)
    assert stays["name"] != leaves["name"]
    assert fleet.wait() == [0, 0]
    assert [fleet.stats(number)["evocrawl/stop_reason"] for number in range(2)] == [
        "drained", "exhausted",
    ]  # fmt: skip
    check_whole(fleet, web)
    assert repeats(fleet.asked().values()) == 0
    assert fleet.stats(0)["evocrawl/visits/unsettled"] == 0


def test_redis_may_be_killed_and_restarted(fleet_for: Start) -> None:
    """B073: visits that settled meanwhile are reported when Redis is back."""
    web = ManyHosts(pages=160, hosts=30, delay_s=0.03)
    fleet = fleet_for(web)
    web.is_open = lambda: fleet.joined() == 2
    fleet.start(2, options(web, lease_s=6), **COMMON)
    fleet.wait_for_requests(40)
    fleet.server.stop(signal.SIGKILL)
    fleet.server.wait_for(lambda: "is not responding; pausing new requests" in fleet.log() or None)
    fleet.server.start()
    assert fleet.wait() == [0, 0]
    check_whole(fleet, web)
    assert repeats(fleet.asked().values()) <= 2 * 2 * IN_FLIGHT


def test_the_loss_of_redis_ends_the_crawl(fleet_for: Start) -> None:
    """R7, R8: with an error and exit code 1, not with a hang."""
    web = ManyHosts(pages=400, hosts=40, delay_s=0.05)
    fleet = fleet_for(web)
    fleet.start(1, options(web, redis_timeout_s=2), **COMMON)
    fleet.wait_for_requests(20)
    fleet.server.stop(signal.SIGKILL)
    assert fleet.wait() == [1]
    assert "no response for 2 seconds" in fleet.log()
    assert fleet.stats(0)["evocrawl/stop_reason"] == "state_failed"
    assert PASSWORD not in fleet.log()


def test_a_redis_that_is_not_there_is_named_in_one_line(fleet_for: Start) -> None:
    """R8: after the allowed time, with exit code 2 and no traceback."""
    web = ManyHosts(pages=2, hosts=1)
    fleet = fleet_for(web)
    fleet.start(1, options(web, store="redis://127.0.0.1:1/0", redis_timeout_s=1), **COMMON)
    assert fleet.wait() == [2]
    assert "redis://127.0.0.1:1/0?crawl=evocrawl: no response for 1 seconds" in fleet.log()
    assert "could not join the crawl; trying again for up to 1 s" in fleet.log()
    assert "Traceback" not in fleet.log()


def test_the_budget_is_one_for_all(fleet_for: Start) -> None:
    """B076: it is used up, never exceeded, and reported; with more of it the crawl continues."""
    web = ManyHosts(pages=120, hosts=20)
    fleet = fleet_for(web)
    fleet.start(2, options(web, max_requests=60), **COMMON)
    assert fleet.wait() == [0, 0]
    assert 50 <= len(fleet.proxy.log) <= 60
    spent = len(fleet.proxy.log)
    fleet.start(1, options(web, max_requests=spent), **COMMON)
    assert fleet.wait()[-1] == 0
    assert "has ended (budget); raise max_requests to continue it" in fleet.log_of(2).read_text()
    assert len(fleet.proxy.log) == spent
    fleet.start(2, options(web), **COMMON)
    assert fleet.wait()[-2:] == [0, 0]
    check_whole(fleet, web)
    assert repeats(fleet.asked().values()) == 0


def test_a_redirect_to_another_host_is_left_to_its_owner(serve, tmp_path: Path) -> None:
    """The worker that has the other host fetches the target; the visit counts as dropped."""
    landing = "http://b.test/1"
    sites = {
        "a.test": site({"/": redirect(landing), "/2": page(text="never linked")}),
        "b.test": site({"/1": page("/2 coral", text=QUERY), "/2": page(text=QUERY)}),
    }
    with RedisServer(tmp_path) as server:
        fleet = Fleet(serve(sites), server, tmp_path)
        try:
            fleet.start(2, {"seeds": "http://a.test/", "max_requests": 0}, **COMMON)
            assert fleet.wait() == [0, 0]
            assert set(fleet.recorded()) == {landing, "http://b.test/2"}
            assert set(fleet.asked().values()) == {1}
            stats = [fleet.stats(number) for number in range(2)]
        finally:
            fleet.stop()
    assert sum(each["evocrawl/visits/dropped"] for each in stats) == 1
    assert sum(each["evocrawl/visits/fetched"] for each in stats) == 2


def test_requests_of_a_users_spider_are_continued_at_any_worker(fleet_for: Start) -> None:
    """With their callbacks and arguments, after a stop of all workers; meta is not shared."""
    web = ManyHosts(pages=100, hosts=20)
    fleet = fleet_for(web)
    own: dict[str, object] = {
        "max_requests": 0, "page_items": False,
    }  # fmt: skip
    command = ("runspider", "sharedspider.py")
    settings = {**COMMON, "ADDONS": {"evocrawl.Addon": 300}}
    web.is_open = lambda: fleet.joined() == 2
    fleet.start(2, own, command, **settings)
    fleet.wait_for_requests(40)
    for process in fleet.processes:
        process.send_signal(signal.SIGINT)
    assert fleet.wait() == [0, 0]
    assert len(fleet.recorded()) < web.pages
    fleet.start(2, own, command, **settings)
    assert fleet.wait() == [0] * 4
    # As in stock Scrapy: the start request does not count as seen, and a page links to it.
    check_whole(fleet, web, twice=[web.url(0)])
    assert repeats(fleet.asked().values()) == 1
    assert sorted(each["url"] for each in fleet.items()) == sorted(
        web.url(n) for n in range(web.pages)
    )
    assert "workers share only these keys of a request's meta" in fleet.log()


def test_workers_together_count_the_duplicates_that_one_crawler_would(fleet_for: Start) -> None:
    """Also those that Redis has from another worker; not the start request, which each has."""
    web = ManyHosts(pages=80, hosts=16)
    fleet = fleet_for(web)
    command = ("runspider", "sharedspider.py")
    settings = {**COMMON, "ADDONS": {"evocrawl.Addon": 300}}
    fleet.start(3, {"max_requests": 0, "page_items": False}, command, **settings)
    assert fleet.wait() == [0] * 3
    asked = fleet.asked()
    assert asked == {web.url(n): 2 if n == 0 else 1 for n in range(web.pages)}
    yielded = sum(asked[web.url(n)] * len(web.linked(n)) for n in range(web.pages))
    counts = [fleet.stats(number).get("dupefilter/filtered", 0) for number in range(3)]
    assert sum(counts) == yielded - web.pages
