"""A slow Redis: workers continue meanwhile, since no code in them blocks until an answer."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Self

import numpy as np
from crowd import Hand, Seen, crawl
from redisserver import RedisServer
from tiny_webs import random_web

from evocrawl.store.cluster.redis.archive import SharedArchive

TURNS = 30
"""So many times the event loop turns before an answer of Redis gets through."""
BLOCKED_S = 10.0
"""An event loop that stands still for so long is blocked: the call returns, and is counted."""


class SlowRelay:
    """A relay before a Redis, in its own threads, which delays each answer by `TURNS` turns.

    Code that blocks the event loop until Redis has answered would wait forever. `held` counts the
    answers, `blocked` those during which the loop did not run; `meanwhile` is the increase of
    `progress` while answers were held.
    """

    def __init__(self, port: int) -> None:
        self.held = self.blocked = self.meanwhile = self.progress = 0
        self._to = port
        self._turns = 0
        self._turned = threading.Condition()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open = [self._listening]
        self.port: int = self._listening.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    async def count_turns(self) -> None:
        """Run in the observed event loop."""
        while True:
            with self._turned:
                self._turns += 1
                self._turned.notify_all()
            await asyncio.sleep(0.0005)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                self._open += [client, server]
                for pair in ((client, server, False), (server, client, True)):
                    threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if is_answer:
                    self._hold()
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)

    def _hold(self) -> None:
        with self._turned:
            until, before = self._turns + TURNS, self.progress
            self.held += 1
            if not self._turned.wait_for(lambda: self._turns >= until, BLOCKED_S):
                self.blocked += 1
            self.meanwhile += self.progress - before


def test_b074_the_event_loop_turns_while_redis_is_slow(server: RedisServer) -> None:
    """B074: no code blocks until an answer, and pages are fetched meanwhile."""
    web = replace(random_web(np.random.default_rng(3), 60, hosts=12), moved={})
    seen = Seen(web)

    async def play(relay: SlowRelay, url: str) -> None:
        turning = asyncio.create_task(relay.count_turns())
        watching = asyncio.create_task(watch(relay))
        await crawl(lambda: Hand(url, seen, "energy", {}), 2)
        turning.cancel()
        watching.cancel()

    async def watch(relay: SlowRelay) -> None:
        while True:
            relay.progress = seen.asked.total()
            await asyncio.sleep(0.0005)

    with SlowRelay(server.port) as relay:
        asyncio.run(play(relay, server.url.replace(f":{server.port}/", f":{relay.port}/")))
    assert relay.blocked == 0
    assert relay.held > len(web.links)
    assert relay.meanwhile > 0
    with SharedArchive(server.url) as archive:
        recorded = Counter(page.url for page in archive.pages())
    assert set(recorded) == web.reachable([next(iter(web.links))]) - set(web.failing)
    assert set(recorded.values()) == {1}
