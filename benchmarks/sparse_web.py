"""Makes a sparse web with rare topics: `sparse_web.py OUT.jsonl.gz TOPICS.tsv [--sites 800] …`.

Each site has one main topic of `--topics`, which lie on a ring; half of its pages are about it, the
others about two neighbouring topics. Most links stay inside a site. Of the others, some lead to
sites about near topics, some to any site, some to no page. A page has words of its topic, of
neighbouring topics and common ones, so that near topics share words; an anchor has one or two words
of its target's title. A topic has some 50 of 20 000 pages, on a few sites. Sixteen topics are
written: eight of the split dev, eight of the split check.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

_SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
_WORDS, _COMMON = 40, 600
_LINKS = 14
_INSIDE, _NEAR, _DEAD = 0.85, 0.5, 0.15
"""Shares: of all links, of the links between sites (to near topics), of those (dead)."""
_OWN, _BESIDE = 0.35, 0.15
"""Shares of the words of a page's topic, and of the topics beside it."""


class Web:
    """The pages and links of the web, drawn from one seed."""

    def __init__(self, sites: int, pages: int, topics: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.topics = topics
        self.topic_of_site = self.rng.permutation(np.arange(sites) % topics)
        sizes = 1 + self.rng.poisson(pages - 1, sites)
        self.first = np.concatenate(([0], np.cumsum(sizes)))
        self.site = np.repeat(np.arange(sites), sizes)
        step = self.rng.choice((0, 0, -1, 1), len(self.site))
        self.topic = (self.topic_of_site[self.site] + step) % topics
        self.vocabulary = self._vocabulary((topics + 1) * _WORDS + _COMMON)
        self.titles = [self.text(topic, 3, 1.0) for topic in self.topic]

    def _vocabulary(self, count: int) -> list[str]:
        words: dict[str, None] = {}
        while len(words) < count:
            words["".join(self.rng.choice(_SYLLABLES, 3))] = None
        return [*words]

    def words_of(self, topic: int) -> list[str]:
        """Return the words of a topic, frequent ones first."""
        start = _COMMON + topic * _WORDS
        return self.vocabulary[start : start + _WORDS]

    def text(self, topic: int, count: int, own: float = _OWN) -> str:
        """Draw words; small ranks are frequent."""
        kinds = self.rng.random(count)
        ranks = self.rng.random(count) ** 2
        beside = (topic + self.rng.choice((-1, 1), count)) % self.topics
        words = []
        for kind, rank, other in zip(kinds, ranks, beside.tolist(), strict=True):
            if kind < own + _BESIDE and own < 1:
                words.append(self.words_of(topic if kind < own else other)[int(rank * _WORDS)])
            elif own >= 1:
                words.append(self.words_of(topic)[int(rank * _WORDS)])
            else:
                words.append(self.vocabulary[int(rank * _COMMON)])
        return " ".join(words)

    def url(self, page: int) -> str:
        """Return the address of a page; the first one of a site is its home page."""
        site = int(self.site[page])
        number = page - int(self.first[site])
        return f"http://site{site}.test/" + (f"page{number}.html" if number else "")

    def target(self, page: int) -> int | None:
        """Draw the target of a link; None for a dead one."""
        rng, site = self.rng, int(self.site[page])
        if rng.random() >= _INSIDE:
            if rng.random() < _DEAD:
                return None
            near = int((self.topic[page] + rng.integers(-2, 3)) % self.topics)
            about = np.flatnonzero(self.topic_of_site == near)
            is_near = rng.random() < _NEAR and len(about)
            site = int(rng.choice(about) if is_near else rng.integers(len(self.first) - 1))
        low, high = self.first[site : site + 2]
        return int(low if rng.random() < 0.2 else rng.integers(low, high))

    def line(self, page: int) -> dict[str, Any]:
        """Return the line of a page in the world file."""
        topic = int(self.topic[page])
        links = []
        for _ in range(self.rng.integers(_LINKS // 2, _LINKS * 3 // 2)):
            target = self.target(page)
            of, url = topic, f"http://gone{self.rng.integers(9**6)}.test/"
            title = self.text(topic, 2)
            if target is not None:
                of, url, title = int(self.topic[target]), self.url(target), self.titles[target]
            anchor = " ".join(title.split()[: self.rng.integers(1, 3)])
            context = f"{anchor} {self.text(topic, 6)} {self.text(of, 4)}"
            links.append({"url": url, "anchor": anchor, "context": context})
        return {
            "url": self.url(page), "title": self.titles[page], "text": self.text(topic, 60),
            "lang": "en", "links": links, "topics": [f"t{topic}"],
        }  # fmt: skip


def main() -> None:
    """Write the world and its topics."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--sites", type=int, default=800)
    parser.add_argument("--pages", type=int, default=25)
    parser.add_argument("--topics", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    web = Web(given.sites, given.pages, given.topics, given.seed)
    with gzip.open(given.out, "wt", encoding="utf-8", compresslevel=3) as file:
        file.writelines(json.dumps(web.line(page)) + "\n" for page in range(len(web.site)))
    rows = ["split\ttopic\tquery"]
    for number in range(16):
        topic, split = number * web.topics // 16, ("dev", "check")[number % 2]
        rows.append(f"{split}\tt{topic}\t{' '.join(web.words_of(topic)[:3])}")
    given.table.write_text("\n".join([*rows, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
