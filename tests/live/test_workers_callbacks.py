"""Callbacks that wait, in a crawl of several workers."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from innersharedspider import HOSTS, PAGES
from livecrawl import QUERY, page, site
from redisserver import RedisServer
from workers import Fleet

START = "http://start.test/"
LEAVES = [f"http://h{number % HOSTS}.test/{number}" for number in range(HOSTS * PAGES)]


def _web() -> dict[str, Any]:
    sites = {"start.test": site({"/": page(text=QUERY)})}
    for host in range(HOSTS):
        paths = [f"/{number}" for number in range(host, HOSTS * PAGES, HOSTS)]
        sites[f"h{host}.test"] = site({path: page(text=f"{QUERY} {path}") for path in paths})
    return sites


@pytest.mark.parametrize("is_killed", [False, True])
def test_links_of_a_callback_that_waits_arrive_once_at_two_workers(
    serve: Any, tmp_path: Path, is_killed: bool
) -> None:
    """Each link is fetched once, though its host may belong to the other worker.

    A worker that is killed while its callback waits loses no link: the other worker fetches
    the page again, and repeats no link.
    """
    seen, gate = tmp_path / "seen", tmp_path / "gate"
    seen.mkdir()
    if not is_killed:
        gate.touch()
    with RedisServer(tmp_path) as server:
        fleet = Fleet(serve(_web()), server, tmp_path)
        try:
            options = {"max_requests": 0, "page_items": False, "lease_s": 4}
            line = ("runspider", "innersharedspider.py", "-a", f"seen={seen}", "-a", f"gate={gate}")
            settings = {"ADDONS": {"evocrawl.Addon": 300}, "CONCURRENT_REQUESTS": 4}
            fleet.start(1, options, line, **settings)
            server.wait_for(lambda: (seen / "0").exists() or None)
            fleet.start(1, options, line, **settings)
            if is_killed:
                server.wait_for(lambda: LEAVES[HOSTS] in fleet.recorded() or None)
                fleet.processes[0].kill()
                gate.touch()
            codes = fleet.wait()
            assert codes == ([-signal.SIGKILL, 0] if is_killed else [0, 0])
            asked = fleet.asked()
            assert {url: asked[url] for url in LEAVES if asked[url] != 1} == {}
            assert asked[START] == (2 if is_killed else 1)
            ended = Counter(item["ended"] for item in fleet.items() if "ended" in item)
            assert ended == {START: 1}
            assert set(fleet.recorded()) == {START, *LEAVES}
        finally:
            fleet.stop()
