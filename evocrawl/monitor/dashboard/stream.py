"""Sends the status of the crawl as server-sent events, at most once a second and only changes.

The buffer of a connection takes only a few messages for a viewer that does not read; after
`MOST_MISSED` ticks the viewer is dropped. So it takes no memory and never slows the crawl.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twisted.internet.interfaces import IPushProducer
from twisted.internet.task import LoopingCall
from zope.interface import implementer

if TYPE_CHECKING:
    from twisted.web.http import Request

PERIOD_S = 1.0
MOST_VIEWERS = 20
MOST_MISSED = 10
_STILL = 15
"""Ticks without a change after which a comment keeps the connection open."""


class Stream:
    """All viewers of one crawl. `status` returns the values to show."""

    def __init__(self, status: Callable[[], dict[str, Any]], clock: Any) -> None:
        self._status = status
        self._viewers: set[Viewer] = set()
        self._loop = LoopingCall(self.tick)
        self._loop.clock = clock
        self._last = b""
        self._number = 0
        self._since = 0

    def __len__(self) -> int:
        return len(self._viewers)

    def add(self, request: Request) -> bool:
        """Add a viewer; return False if there are too many."""
        if len(self._viewers) >= MOST_VIEWERS:
            return False
        viewer = Viewer(request)
        self._viewers.add(viewer)
        request.notifyFinish().addBoth(lambda _: self._forget(viewer))
        request.registerProducer(viewer, True)
        viewer.send(self._message(self._data()))
        if not self._loop.running:
            self._loop.start(PERIOD_S, now=False)
        return True

    def tick(self) -> None:
        """Send the status if it has changed; drop the viewers that do not read."""
        data = self._data()
        self._since += 1
        if data != self._last:
            self._last, self._since = data, 0
            self._number += 1
            message = self._message(data)
        elif self._since % _STILL == 0:
            message = b": still here\n\n"
        else:
            message = b""
        for viewer in [*self._viewers]:
            if message or viewer.is_full:
                viewer.send(message)

    def close(self) -> None:
        """End all streams."""
        if self._loop.running:
            self._loop.stop()
        for viewer in [*self._viewers]:
            viewer.drop()

    def _data(self) -> bytes:
        return json.dumps(self._status(), allow_nan=False).encode()

    def _message(self, data: bytes) -> bytes:
        return b"id: %d\nevent: status\ndata: %s\n\n" % (self._number, data)

    def _forget(self, viewer: Viewer) -> None:
        self._viewers.discard(viewer)
        if not self._viewers and self._loop.running:
            self._loop.stop()


@implementer(IPushProducer)
class Viewer:
    """One connection. While its buffer is full it is sent nothing."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self.is_full = False
        self._missed = 0

    def send(self, message: bytes) -> None:
        """Write a message, or count it as missed."""
        if not self.is_full:
            self._missed = 0
            self._request.write(message)
            return
        self._missed += 1
        if self._missed >= MOST_MISSED:
            self.drop()

    def drop(self) -> None:
        """Close the connection; the content of its buffer is lost."""
        channel = getattr(self._request, "channel", None)
        if channel is not None and channel.transport is not None:
            channel.transport.abortConnection()

    def pauseProducing(self) -> None:  # noqa: N802 - Twisted's name
        """Note that the buffer of the connection is full."""
        self.is_full = True

    def resumeProducing(self) -> None:  # noqa: N802
        """Note that the viewer has read."""
        self.is_full = False
        self._missed = 0

    def stopProducing(self) -> None:  # noqa: N802
        """Note that the viewer has gone."""
        self.is_full = True
