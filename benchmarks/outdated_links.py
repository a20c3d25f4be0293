"""Measures the steps of the queue of `evo` when many links have got a worse score.

    python benchmarks/outdated_links.py [--links 37000 370000] [--hosts 1 1000]
    PYTHONPATH=/tmp/other python benchmarks/outdated_links.py    # the same for another checkout

Links with a score of about 0.9 wait, and 2 000 with a better one. Then the many are scored again,
1 024 at each step as after a user's mark, and get 0.1: the entries that they had in the queue are
outdated, and come first as soon as the better links are taken. Each step takes the best link. Links
are held by row on disk, as those of evo are. Each row of the table is a process of its own. Times
are processor times of all steps: the 99th percentile and the longest, of the best link and of the
placing of links with new scores. Two checkouts that choose the same links in the same order have
the same `choices`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import blake2b, sha256
from itertools import islice
from time import process_time

import numpy as np

from evocrawl.core.containers.keymap import KeySet
from evocrawl.core.model import Fingerprint, Lead
from evocrawl.core.numbering import Numbering
from evocrawl.frontier import CandidatesByRow, Frontier

_GOOD, _AFTER = 2_000, 500
_OF_PAGE, _AT_ONCE = 300, 1_024
_HEAD = (
    "| links | hosts | steps | best link: 99 %, ms | longest, ms | in all, s "
    "| scores: 99 %, ms | longest, ms | choices |"
)


class Ranked:
    """A queue of links that are held by row, and the times of its steps."""

    def __init__(self, hosts: int) -> None:
        self._hosts = hosts
        self._rows: dict[Fingerprint, int] = {}
        self._claimed = KeySet()
        self._held = CandidatesByRow()
        numbering = Numbering(self._rows.get, self._held, row_of)
        self._frontier = Frontier(self._claimed.__contains__, row_of=numbering)
        self.placing_s, self.choosing_s = list[float](), list[float]()
        self.choices = sha256()

    def find(self, count: int) -> list[int]:
        """Add links; return their rows."""
        first = len(self._rows)
        rows = [*range(first, first + count)]
        leads = [self._lead(row) for row in rows]
        self._rows.update((lead.fingerprint, row) for lead, row in zip(leads, rows, strict=True))
        self._held.put(dict(zip(rows, leads, strict=True)))
        return rows

    def score(self, rows: list[int], score: float) -> None:
        """Place links with a score of about the one given."""
        numbers = np.array(rows)
        self._time(self.placing_s, self._frontier.place, numbers, score + 1e-3 * np.sin(numbers))

    def take(self) -> None:
        """Take the best link."""
        lead = self._time(self.choosing_s, self._frontier.peek, lambda _: True)
        assert lead is not None
        self._claimed.add(lead.fingerprint)
        self.choices.update(lead.fingerprint)

    def _time(
        self, times: list[float], step: Callable[..., Lead | None], *arguments: object
    ) -> Lead | None:
        began_s = process_time()
        found = step(*arguments)
        times.append(process_time() - began_s)
        return found

    def _lead(self, row: int) -> Lead:
        host = f"h{row % self._hosts}.test"
        key = blake2b(b"%d" % row, digest_size=12).digest()
        return Lead(f"http://{host}/{row}", key, host, b"x" * 12, 1, 0.5, "some words", None, row)


def row_of(lead: Lead) -> int | None:
    return lead.features if isinstance(lead.features, int) else None


def pieces(rows: list[int], size: int) -> Iterator[list[int]]:
    waiting = iter(rows)
    while piece := [*islice(waiting, size)]:
        yield piece


def measure(links: int, hosts: int) -> str:
    ranked = Ranked(hosts)
    many, good = ranked.find(links), ranked.find(_GOOD)
    for score, rows in ((0.9, many), (0.95, good)):
        for piece in pieces(rows, _OF_PAGE):
            ranked.score(piece, score)
    for piece in pieces(many, _AT_ONCE):
        ranked.score(piece, 0.1)
        ranked.take()
    for _ in range(_GOOD + _AFTER):
        ranked.take()
    choosing, placing = 1e3 * np.array(ranked.choosing_s), 1e3 * np.array(ranked.placing_s)
    return (
        f"| {links} | {hosts} | {len(choosing)} | {np.percentile(choosing, 99):.2f} "
        f"| {choosing.max():.1f} | {choosing.sum() / 1e3:.2f} | {np.percentile(placing, 99):.1f} "
        f"| {placing.max():.1f} | {ranked.choices.hexdigest()[:8]} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=int, nargs="+", default=[37_000, 370_000])
    parser.add_argument("--hosts", type=int, nargs="+", default=[1, 1000])
    parser.add_argument("--here", action="store_true", help="run in this process")
    given = parser.parse_args()
    if given.here:
        print(measure(given.links[0], given.hosts[0]), flush=True)
        return
    print(_HEAD, "|" + " ---: |" * 8 + " --- |", sep="\n", flush=True)
    for links in given.links:
        for hosts in given.hosts:
            line = ["--links", str(links), "--hosts", str(hosts)]
            subprocess.run([sys.executable, __file__, "--here", *line], check=True)


if __name__ == "__main__":
    main()
