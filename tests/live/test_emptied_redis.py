"""A Redis that loses the crawl's state: no worker mistakes it for a finished crawl."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from redisserver import RedisServer
from workers import Fleet, ManyHosts


@pytest.mark.takes_s(60)
@pytest.mark.parametrize("loss", ["flush", "shard", "restart"])
def test_every_worker_reports_that_the_state_is_lost(serve, tmp_path: Path, loss: str) -> None:
    """With exit code 1; a warning at the start says that Redis does not keep its data."""
    web = ManyHosts(pages=600, hosts=60, delay_s=0.05)
    with RedisServer(tmp_path, keeps=loss != "restart") as server:
        fleet = Fleet(serve(web.sites()), server, tmp_path)
        try:
            web.is_open = lambda: fleet.joined() == 2
            options = {"seeds": web.url(0), "max_requests": 0, "species": "best_first"}
            fleet.start(2, options, CONCURRENT_REQUESTS=4)
            fleet.wait_for_requests(40)
            _lose(server, loss)
            assert fleet.wait() == [1, 1]
            for number in range(2):
                log = fleet.log_of(number).read_text()
                assert "the crawl's state is gone" in log
                assert ("keeps no append-only file" in log) == (loss == "restart")
                assert fleet.stats(number)["evocrawl/stop_reason"] == "state_failed"
        finally:
            fleet.stop()


def _lose(server: RedisServer, loss: str) -> None:
    if loss == "restart":
        server.stop(signal.SIGKILL)
        server.start()
        return
    with server.client() as client:
        if loss == "flush":
            client.flushall()
        else:
            client.delete(*client.scan_iter("evocrawl:{evocrawl:7}:*"))
