"""Measures the frontier alone by the number of waiting links: memory, best link, new links.

    python benchmarks/frontier.py [--waiting 100000 1000000 10000000] [--rounds 30]

Links are added one after the other, 200 for each host, with random priorities. Each number of links
has a process of its own. The processes take turns, `rounds` times 100 steps each, so that other
work on the machine affects all of them equally: a step takes the best link and adds 30. Times are
processor time, means of all steps; the time of Python's garbage collector is shown separately.
Memory is the growth of the process before the first step.
"""

from __future__ import annotations

import argparse
import gc
import random
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from time import process_time

from evocrawl.core.containers.keymap import KeySet
from evocrawl.core.model import Lead
from evocrawl.frontier import Frontier

_NEW = 30
_PER_HOST = 200
_STEPS = 100
_HEAD = "| waiting | bytes a link | the best link, µs | 30 new ones, µs | collector | longest, ms |"


class Collector:
    """Measures the time of the garbage collector."""

    def __init__(self) -> None:
        self.seconds = self._began = 0.0
        gc.callbacks.append(self._note)

    def _note(self, phase: str, _: dict[str, int]) -> None:
        now = process_time()
        if phase == "start":
            self._began = now
        else:
            self.seconds += now - self._began


class Waiting:
    """A frontier, and a source of links."""

    def __init__(self, links: int) -> None:
        before = resident()
        self.claimed = KeySet()
        self.frontier = Frontier(self.claimed.__contains__)
        self.links = 0
        self._rng = random.Random(1)
        self._collector = Collector()
        while self.links < links:
            self.frontier.push(*self._new())
        self.size = (resident() - before) / links

    def step(self) -> tuple[float, float, float]:
        """Take the best link, add thirty; return the seconds of both and of the collector."""
        began, collected = process_time(), self._collector.seconds
        lead = self.frontier.peek(lambda _: True)
        chosen = process_time() - began
        if lead is None:
            raise RuntimeError("nothing waits")
        self.claimed.add(lead.fingerprint)
        new = [self._new() for _ in range(_NEW)]
        push = self.frontier.push
        collected, began = self._collector.seconds, process_time()
        for lead, priority in new:
            push(lead, priority)
        return chosen, process_time() - began, self._collector.seconds - collected

    def _new(self) -> tuple[Lead, float]:
        number, self.links = self.links, self.links + 1
        host = f"h{number // _PER_HOST}.test"
        url = f"http://{host}/topic-{number % 10}/{number}"
        key = blake2b(b"%d" % number, digest_size=12).digest()
        return Lead(url, key, host, b"x" * 12, 1, 0.5, "some words"), self._rng.random()


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def serve(links: int) -> None:
    """Run the steps for each input line; print their times."""
    waiting = Waiting(links)
    print(waiting.size, flush=True)
    for _ in sys.stdin:
        steps = [waiting.step() for _ in range(_STEPS)]
        chosen, added, collected = (sum(each) for each in zip(*steps, strict=True))
        print(chosen, added, collected, max(each[1] for each in steps), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--waiting", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--here", action="store_true", help="run as a child process")
    given = parser.parse_args()
    if given.here:
        serve(given.waiting[0])
        return
    servers = [
        subprocess.Popen(
            [sys.executable, __file__, "--here", "--waiting", str(links)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for links in given.waiting
    ]  # fmt: skip
    sizes = [float(_answer(server)) for server in servers]
    taken = [list[list[float]]() for _ in servers]
    for _ in range(given.rounds):
        for server, rounds in zip(servers, taken, strict=True):
            assert server.stdin is not None
            print(file=server.stdin, flush=True)
            rounds.append([*map(float, _answer(server).split())])
    print(_HEAD, "|" + " ---: |" * 6, sep="\n")
    each = 1e6 / (given.rounds * _STEPS)
    for links, size, rounds in zip(given.waiting, sizes, taken, strict=True):
        chosen, added, collected, longest = zip(*rounds, strict=True)
        print(
            f"| {links} | {size:.0f} | {each * sum(chosen):.0f} | {each * sum(added):.0f} "
            f"| {each * sum(collected):.0f} | {1e3 * max(longest):.0f} |"
        )
    for server in servers:
        server.communicate()


def _answer(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    line = server.stdout.readline()
    if not line:
        raise RuntimeError("a process has ended")
    return line


if __name__ == "__main__":
    main()
