"""Sorted queues on disk by name, and as they are at one moment, while they go on to change.

A crawl has such a queue for each host with many links. A snapshot that copied all of them at once
would hold the crawl up for longer the more hosts it knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgpack

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.frontier.sorted_runs import Mark, Runs


class FrozenRuns:
    """Yields the queues as of now, some at a time.

    Nothing is copied at first: `keep` is called before a queue changes, so that what was not yet
    read is copied then.
    """

    def __init__(self, queues: Mapping[str, Runs]) -> None:
        self._queues = queues
        self._names = [*queues][::-1]
        self._awaited = {*self._names}
        self._kept: dict[str, bytes] = {}
        self._is_closed = False
        self.is_done = not self._names
        """True once nothing needs to be kept any more."""

    def keep(self, name: str) -> None:
        """Copy a queue that is about to change, unless it was read or is a new one."""
        if name in self._awaited:
            self._awaited.remove(name)
            self._kept[name] = _packed(name, self._queues[name])

    def pieces(self, size: int) -> Iterator[bytes]:
        """Yield all queues for `load`, once, in pieces of about `size` bytes. O(size) each.

        Raises ValueError if the queues were frozen for another reader.
        """
        while self._names:
            if self._is_closed:
                raise ValueError("the queues were frozen for another reader")
            piece = bytearray()
            while self._names and len(piece) < size:
                name = self._names.pop()
                self._awaited.discard(name)
                kept = self._kept.pop(name, None)
                piece += _packed(name, self._queues[name]) if kept is None else kept
            self.is_done = not self._names
            yield bytes(piece)

    def close(self) -> None:
        """Free the copies; no further queue is yielded."""
        self._is_closed = self.is_done = True
        self._kept.clear()


class RunsByName:
    """Sorted queues in `spill` by name, without empty ones."""

    def __init__(self, spill: SpillFile) -> None:
        self._spill = spill
        self._queues: dict[str, Runs] = {}
        self._frozen: FrozenRuns | None = None

    def __len__(self) -> int:
        """Return the number of entries of all queues. O(queues)."""
        return sum(map(len, self._queues.values()))

    def first(self, name: str) -> Mark | None:
        """Return the mark of the first entry of a queue, None without one. O(1)."""
        runs = self._queues.get(name)
        return None if runs is None else runs.first

    def changing(self, name: str) -> Runs:
        """Return a queue that is about to change, or a new one; `changed` must follow."""
        if self._frozen is not None:
            self._frozen.keep(name)
            if self._frozen.is_done:
                self._frozen = None
        return self._queues.setdefault(name, Runs(self._spill))

    def changed(self, name: str) -> None:
        """Remove a queue that is empty now."""
        if self._queues[name].first is None:
            del self._queues[name]

    def freeze(self) -> FrozenRuns:
        """Return all queues as of now, to be read later. O(queues), of which it is little.

        They are frozen for one reader at a time: an earlier one gets no further queues.
        """
        if self._frozen is not None:
            self._frozen.close()
        self._frozen = FrozenRuns(self._queues)
        return self._frozen

    def load(self, pieces: Iterable[bytes]) -> None:
        """Replace all queues by those that were frozen; `spill` has the same records."""
        self._queues.clear()
        self._frozen = None
        unpacker = msgpack.Unpacker(unicode_errors="surrogatepass", max_buffer_size=0)
        for piece in pieces:
            unpacker.feed(piece)
            for name, runs in unpacker:
                self._queues[name] = Runs.of_state(runs, self._spill)


def _packed(name: str, runs: Runs) -> bytes:
    packed: bytes = msgpack.packb((name, runs.state()), unicode_errors="surrogatepass")
    return packed
