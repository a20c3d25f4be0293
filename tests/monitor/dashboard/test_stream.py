"""Server-sent events: a viewer that does not read is dropped and holds no memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from evocrawl.monitor.dashboard.stream import MOST_MISSED, MOST_VIEWERS, Stream, Viewer


class Connection:
    """A request whose buffer the test fills and empties."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.producer: Viewer | None = None
        self.is_cut = False
        self.finished: Deferred[None] = Deferred()
        self.channel = SimpleNamespace(transport=SimpleNamespace(abortConnection=self.cut))

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def notifyFinish(self) -> Deferred[None]:  # noqa: N802
        return self.finished

    def registerProducer(self, producer: Viewer, streaming: bool) -> None:  # noqa: N802
        assert streaming
        self.producer = producer

    def cut(self) -> None:
        if not self.is_cut:
            self.is_cut = True
            self.finished.callback(None)


def stream_of(status: dict[str, Any]) -> tuple[Stream, Clock]:
    clock = Clock()
    return Stream(lambda: status, clock), clock


def test_a_viewer_gets_the_status_at_once_and_each_change() -> None:
    status = {"pages": 1}
    stream, clock = stream_of(status)
    viewer: Any = Connection()
    assert stream.add(viewer)
    assert viewer.written[0].endswith(b'event: status\ndata: {"pages": 1}\n\n')
    clock.advance(1)
    seen = len(viewer.written)
    clock.advance(1)
    assert len(viewer.written) == seen
    status["pages"] = 2
    clock.advance(1)
    assert b'{"pages": 2}' in viewer.written[-1]


def test_a_viewer_that_does_not_read_is_dropped() -> None:
    """Nothing is written for it meanwhile; other viewers go on."""
    status = {"pages": 0}
    stream, clock = stream_of(status)
    slow, good = Connection(), Connection()
    assert stream.add(slow)  # type: ignore[arg-type]
    assert stream.add(good)  # type: ignore[arg-type]
    assert slow.producer is not None
    slow.producer.pauseProducing()
    written = len(slow.written)
    for tick in range(MOST_MISSED + 1):
        status["pages"] = tick + 1
        clock.advance(1)
    assert slow.is_cut
    assert len(slow.written) == written
    assert not good.is_cut
    assert len(stream) == 1
    assert len(good.written) > MOST_MISSED


def test_a_viewer_that_reads_again_stays() -> None:
    status = {"pages": 0}
    stream, clock = stream_of(status)
    viewer: Any = Connection()
    stream.add(viewer)
    for tick in range(5 * MOST_MISSED):
        status["pages"] = tick
        (viewer.producer.resumeProducing if tick % 5 == 4 else viewer.producer.pauseProducing)()
        clock.advance(1)
    assert not viewer.is_cut


def test_viewers_are_limited_and_nothing_runs_without_them() -> None:
    stream, clock = stream_of({})
    viewers: list[Any] = [Connection() for _ in range(MOST_VIEWERS + 1)]
    assert [stream.add(each) for each in viewers] == [True] * MOST_VIEWERS + [False]
    stream.close()
    assert len(stream) == 0
    assert clock.getDelayedCalls() == []
