"""Serves a slow synthetic web on loopback, in a separate process, and records its requests.

    python benchmarks/latent_web.py PAGES HOSTS DELAY_S SEED [PARTS [WORDS]]

Every page takes DELAY_S seconds. One host in five is about the topic; six in ten of its links lead
to such hosts, and one in ten of the links of other hosts. The web has PARTS without links to each
other, of PAGES pages and HOSTS hosts each. The text of a page has 30 words of a vocabulary of ten,
and WORDS others of a thousand. Prints the proxy's address and the first page of each part. For each
input line it prints the record of page requests as JSON (see `Seen`).
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, not_found

LINKS = 8
FILLER = (
    "the",
    "river",
    "town",
    "market",
    "letter",
    "winter",
    "stone",
    "paper",
    "window",
    "garden",
)


_COMPOUNDS = ["".join(each) for each in itertools.product(FILLER, repeat=3)]


@dataclass
class Seen:
    """Time and page of each request, and whether the page is about the topic.

    `at_once` is the most concurrent requests at one host. `gap_s` is the least time between the
    starts of two requests at one host (0 if no host had two), `handover_s` the same for requests of
    different workers, which are named in User-Agent.
    """

    times: list[float] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    relevant: list[bool] = field(default_factory=list)
    at_once: int = 0
    gap_s: float = 0.0
    handover_s: float = 0.0


class LatentWeb:
    """The web; `seen` is the record of its requests, `first` the first page of each part."""

    def __init__(
        self, pages: int, hosts: int, delay_s: float, seed: int, parts: int = 1, words: int = 0
    ) -> None:
        rng = np.random.default_rng(seed)
        self.hosts = hosts * parts
        self.seen = Seen()
        self.first = [part * pages for part in range(parts)]
        self._delay_s = delay_s
        self._host, self._topical = np.zeros(0, int), np.zeros(0, bool)
        self._links = list[list[int]]()
        self._texts = list[str]()
        for part in range(parts):
            self._add(rng, pages, hosts, part)
        if words:
            self._texts = [
                f"{text} {' '.join(rng.choice(_COMPOUNDS, words))}" for text in self._texts
            ]
        self._under_way = Counter[str]()
        self._last: dict[str, tuple[float, str]] = {}

    def _add(self, rng: np.random.Generator, pages: int, hosts: int, part: int) -> None:
        """Add a part."""
        topical = rng.permutation(hosts) < max(hosts // 5, 1)
        host = rng.integers(hosts, size=pages)
        are_good = topical[host]
        good, bad = np.flatnonzero(are_good), np.flatnonzero(~are_good)
        first = part * pages
        self._links += [
            [first + (n + 1) % pages]
            + [
                first + int(rng.choice(good if rng.random() < (0.6 if is_good else 0.1) else bad))
                for _ in range(LINKS)
            ]
            for n, is_good in enumerate(are_good)
        ]
        self._texts += [" ".join(rng.choice(FILLER, 30)) for _ in range(pages)]
        self._host = np.append(self._host, part * hosts + host)
        self._topical = np.append(self._topical, are_good)

    def url(self, n: int) -> str:
        """Return the address of a page."""
        return f"http://h{self._host[n]}.test/{n}"

    async def answer(self, request: Request) -> Response:
        """Respond after the delay."""
        name, host = request.path[1:], request.host
        if not name.isdecimal() or int(name) >= len(self._texts):
            return not_found(request)
        self._note(int(name), host, request)
        self._under_way[host] += 1
        self.seen.at_once = max(self.seen.at_once, self._under_way[host])
        await asyncio.sleep(self._delay_s)
        self._under_way[host] -= 1
        return Response(200, self._page(int(name)).encode())

    def _note(self, n: int, host: str, request: Request) -> None:
        seen, at_s, worker = self.seen, request.at_s, request.headers.get("user-agent", "")
        seen.times.append(at_s)
        seen.pages.append(n)
        seen.relevant.append(bool(self._topical[n]))
        if host in self._last:
            last_s, before = self._last[host]
            gap_s = at_s - last_s
            seen.gap_s = min(seen.gap_s or gap_s, gap_s)
            if worker != before:
                seen.handover_s = min(seen.handover_s or gap_s, gap_s)
        self._last[host] = at_s, worker

    def _page(self, n: int) -> str:
        own = "coral bleaching reef heat " if self._topical[n] else ""
        anchors = "".join(
            f'<p><a href="{self.url(k)}">'
            f"{'coral bleaching' if self._topical[k] and k % 2 else 'read more'} {k}</a></p>"
            for k in self._links[n]
        )
        return f"<html lang=en><title>{n}</title><p>{own}{self._texts[n]}</p>{anchors}"


def main() -> None:
    pages, hosts, delay_s, seed, *parts = sys.argv[1:]
    web = LatentWeb(int(pages), int(hosts), float(delay_s), int(seed), *map(int, parts))
    with LoopbackProxy({f"h{host}.test": web.answer for host in range(web.hosts)}) as proxy:
        print(proxy.url, *map(web.url, web.first), flush=True)
        sys.stdin.readline()
        print(json.dumps(asdict(web.seen)), flush=True)


if __name__ == "__main__":
    main()
