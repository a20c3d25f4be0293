"""Serves the dashboard of a stored crawl until the process is stopped."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from twisted.internet import reactor
from twisted.internet.error import CannotListenError

from evocrawl.core.errors import StateError
from evocrawl.monitor.dashboard.follower import Follower
from evocrawl.monitor.dashboard.server import Dashboard

_WAIT_S = 1.0


def serve(
    store: str, address: str, port: int, learnt: str, announce: Callable[[str], None]
) -> None:
    """Serve a stored crawl; call `announce` with the address for a browser.

    Raises StateError if there is no such crawl, or if the port is taken.
    """
    loop: Any = reactor
    follower = Follower(store, learnt)
    token = os.environ.get("EVOCRAWL_DASHBOARD_TOKEN", "")
    try:
        server = Dashboard(follower.source, address, port, token)
    except CannotListenError as error:
        follower.close()
        raise StateError(
            f"{address}:{port} cannot be listened at ({error.socketError}); "
            "name another port by --port"
        ) from None

    def step() -> None:
        loop.callLater(0 if follower.step() else _WAIT_S, step)

    loop.callWhenRunning(step)
    announce(server.url)
    loop.run()
    follower.close()
