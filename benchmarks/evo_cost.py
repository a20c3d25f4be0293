"""Measures the cost of the species `evo` per page, link and choice, by the number of waiting links.

    python benchmarks/evo_cost.py [--links 1000 10000 100000 1000000] [--fan-out 30] [--hosts 50]

Pages of synthetic words link to `fan-out` targets, half of them new. Times are processor times of
this process; memory is its peak.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Sequence
from itertools import count
from time import process_time

import numpy as np

from evocrawl.core.model import Content, Fingerprint, Lead, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.frontier import CandidatesByRow, Frontier
from evocrawl.relevance import create
from evocrawl.relevance.terms import link_analyser_of
from evocrawl.species.evo.link_model import LinkModel, prior
from evocrawl.species.evo.prospects import CandidateRanking

_PROBES = 100
_WORDS = ["coral", "reef", *(f"word{number}" for number in range(5000))]


class Crawl:
    """A model, its prospects, and a web that grows during the crawl."""

    def __init__(self, fan_out: int, hosts: int) -> None:
        self.rng = np.random.default_rng(0)
        self.fan_out, self.hosts = fan_out, hosts
        self.claimed: set[Fingerprint] = set()
        self.releases = 0
        relevance = create("tfidf", "coral reef", "en")
        self.model = LinkModel(
            relevance.link, link_analyser_of("coral reef", "en"), 0.12, prior.shipped()
        )
        frontier = Frontier(self.claimed.__contains__, row_of=self.model.row_of)
        self.prospects = CandidateRanking(frontier, self.model, self, CandidatesByRow())
        self.known = ["http://h0.test/0"]
        self.pages = count()
        self.spent = {"choose": 0.0, "learn": 0.0, "add": 0.0}

    def are_claimed(self, targets: Sequence[bytes]) -> list[bool]:
        """Return which targets were chosen before."""
        return [target in self.claimed for target in targets]

    def words(self, n: int) -> str:
        """Return some words; the first ones are the likeliest."""
        return " ".join(_WORDS[int(place)] for place in self.rng.zipf(1.4, n) % len(_WORDS))

    def page(self, url: str) -> Page:
        """Return a page with links to new targets and to known ones."""
        links = []
        for number in range(self.fan_out):
            if number % 2:
                at = int(self.rng.integers(len(self.known)))
            else:
                at = len(self.known)
                self.known.append(f"http://h{at % self.hosts}.test/{at % 97}/{self.words(2)}/{at}")
            to = self.known[at]
            links.append(Link(to, fingerprint(to), self.words(3), self.words(15), tag_path="ul/li"))
        content = Content(self.words(4), self.words(500))
        relevance = float(self.rng.random() ** 4)
        return Page(url, fingerprint(url), relevance, 0.0, tuple(links), content=content)

    def step(self) -> None:
        """Choose a link and learn from its page."""
        began = process_time()
        leads = self.prospects.best(lambda _: True)
        lead = leads[0] if leads else None
        chosen = process_time()
        url = lead.url if lead else self.known[0]
        self.claimed.add(fingerprint(url))
        page = self.page(url)
        made = process_time()
        rows = self.model.observe_page(page, None if lead is None else int(str(lead.features)))
        met = process_time()
        self.prospects.found(
            [
                Lead(each.url, each.fingerprint, each.url.split("/")[2], page.fingerprint, 1, 0.0,
                     features=rows[each.fingerprint])
                for each in page.links
                if each.fingerprint in rows and each.fingerprint not in self.claimed
            ]
        )  # fmt: skip
        self.spent["choose"] += chosen - began
        self.spent["learn"] += met - made
        self.spent["add"] += process_time() - met


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--fan-out", type=int, default=30)
    parser.add_argument("--hosts", type=int, default=50)
    given = parser.parse_args()
    crawl = Crawl(given.fan_out, given.hosts)
    print("waiting links    choose    meet a page   of it a link   add    peak memory")
    for links in given.links:
        while len(crawl.known) < links:
            crawl.step()
        crawl.spent = dict.fromkeys(crawl.spent, 0.0)
        for _ in range(_PROBES):
            crawl.step()
        choose, learn, add = (1e3 * spent / _PROBES for spent in crawl.spent.values())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{len(crawl.known):13} {choose:6.2f} ms {learn:11.2f} ms "
              f"{1e3 * learn / given.fan_out:11.0f} µs {add:5.2f} ms {peak:8.0f} MB",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
