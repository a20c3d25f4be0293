"""A worker that is stopped for longer than its lease, on a web where every page has moved."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from redisserver import RedisServer
from workers import Fleet, ManyHosts

from evocrawl.simulation.server.proxy import Request, Response, redirect

LEASE_S = 2.0


@dataclass
class Moved(ManyHosts):
    """Page n is at /p/n: on its own host if n is even, on the next host if n is odd."""

    def landing(self, n: int) -> str:
        return f"http://h{(n + n % 2) % self.hosts}.test/p/{n}"

    async def _answer(self, request: Request) -> Response:
        name = request.path.rpartition("/")[2]
        if not name.isdecimal():
            return await super()._answer(request)
        url, n = f"http://{request.host}{request.path}", int(name)
        if url != self.landing(n):
            return redirect(self.landing(n))
        return await super()._answer(Request("GET", f"h{n % self.hosts}.test", f"/{n}"))


@pytest.mark.takes_s(20)
def test_a_redirect_under_way_at_a_pause_is_followed_again(serve, tmp_path: Path) -> None:
    """The claim on a redirect's target ends with the visit that the pause has ended."""
    web = Moved(pages=100, hosts=20, delay_s=0.05)
    with RedisServer(tmp_path) as server:
        fleet = Fleet(serve(web.sites()), server, tmp_path)
        try:
            options = {"seeds": web.url(0), "max_requests": 0, "lease_s": LEASE_S}
            fleet.start(1, {**options, "species": "best_first"}, CONCURRENT_REQUESTS=8)
            for requests in (40, 100, 160):
                fleet.wait_for_requests(requests)
                fleet.processes[0].send_signal(signal.SIGSTOP)
                time.sleep(1.5 * LEASE_S)
                fleet.processes[0].send_signal(signal.SIGCONT)
            assert fleet.wait() == [0]
            assert set(fleet.recorded()) == {web.landing(n) for n in range(web.pages)}
        finally:
            fleet.stop()
