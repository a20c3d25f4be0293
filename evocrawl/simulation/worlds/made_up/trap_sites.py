"""Traps for crawlers: endless sites whose pages are about the topic of the crawl.

A trap generates each page from its address, so the same address is always the same page. The words
are those of real pages about the topic, as on traps of the web; so each page is very relevant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import TypeAlias
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import numpy as np
from numpy.random import Generator

HOST = "trap.test"


@dataclass(frozen=True, slots=True)
class TrapTopic:
    """Material of a trap: words of the query, and sentences of real pages about it."""

    query: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrapPage:
    """A page of a trap; its links are pairs (address as written, anchor)."""

    title: str
    text: str
    links: tuple[tuple[str, str], ...]


Maker: TypeAlias = Callable[[str, TrapTopic, Generator], TrapPage]
"""Makes the page of an absolute address; the address seeds the generator."""


@dataclass(frozen=True, slots=True)
class Trap:
    """A site or a domain of sites; `entry` is the address to which pages link."""

    name: str
    entry: str
    make: Maker = field(repr=False)
    latency_s: float = 0.1

    def page(self, url: str, topic: TrapTopic) -> TrapPage:
        """Return the page at `url` with absolute links."""
        seed = int.from_bytes(blake2b(url.encode("utf-8", "replace"), digest_size=8).digest())
        page = self.make(url, topic, np.random.default_rng(seed))
        links = tuple((urljoin(url, link), anchor) for link, anchor in page.links)
        return TrapPage(page.title, page.text, links)


def calendar(url: str, topic: TrapTopic, rng: Generator) -> TrapPage:  # noqa: ARG001 - the signature of a maker
    """Endless months in both directions; pages differ only in their numbers."""
    asked = dict(parse_qsl(urlsplit(url).query))
    month = int(asked.get("y", 2026)) * 12 + int(asked.get("m", 1)) - 1
    near = [(f"?y={at // 12}&m={at % 12 + 1}", topic.query) for at in (month + 1, month - 1)]
    text = " ".join(topic.sentences[:4])
    title = f"Calendar: {topic.query}"
    return TrapPage(title, f"{title}, {month % 12 + 1}/{month // 12}. {text}", tuple(near))


def facets(url: str, topic: TrapTopic, rng: Generator) -> TrapPage:  # noqa: ARG001 - the signature of a maker
    """A shop of thirty products with six filters and sort orders that combine freely."""
    asked = dict(parse_qsl(urlsplit(url).query))
    names = ("colour", "size", "maker", "year", "price", "sort")
    chosen = {name: int(asked[name]) for name in names if name in asked}
    things = [
        sentence
        for number, sentence in enumerate(topic.sentences[:30])
        if all((number >> place) % 3 == chosen.get(name, (number >> place) % 3)
               for place, name in enumerate(names[:5]))
    ]  # fmt: skip
    if chosen.get("sort"):
        things.reverse()
    links = [
        ("?" + urlencode({**chosen, name: value}), f"{topic.query}, {name} {value}")
        for name in names
        for value in range(3)
    ]
    return TrapPage(f"{topic.query}: shop", ". ".join(things), tuple(links))


def sessions(url: str, topic: TrapTopic, rng: Generator) -> TrapPage:
    """Twelve pages at addresses with a new session id in every link."""
    number = int(urlsplit(url).path.rpartition("-")[2] or 0)
    session = rng.bytes(8).hex()
    links = [(f"/s/{session}/part-{n}", f"{topic.query}, part {n}") for n in range(12)]
    text = " ".join(topic.sentences[4 * number % 40 : 4 * number % 40 + 4])
    return TrapPage(f"{topic.query}, part {number}", text, tuple(links))


def soft_404(url: str, topic: TrapTopic, rng: Generator) -> TrapPage:  # noqa: ARG001 - the signature of a maker
    """One page at every address, with relative links."""
    links = [(f"{name}/", f"{topic.query} {name}") for name in ("products", "about", "news")]
    return TrapPage(topic.query, " ".join(topic.sentences[:5]), tuple(links))


def farm(url: str, topic: TrapTopic, rng: Generator) -> TrapPage:  # noqa: ARG001 - the signature of a maker
    """Doorway pages on endless host names: a few sentences in varying order."""
    order = rng.permutation(min(8, len(topic.sentences)))[:5]
    text = " ".join(topic.sentences[n] for n in order.tolist())
    hosts = [f"a{n}.{HOST}" for n in rng.integers(1_000_000, size=8).tolist()]
    return TrapPage(topic.query, text, tuple((f"http://{host}/", topic.query) for host in hosts))


def tarpit(url: str, topic: TrapTopic, rng: Generator) -> TrapPage:  # noqa: ARG001 - the signature of a maker
    """Slow, endless random text: a Markov chain of the words of the sentences."""
    words = " ".join(topic.sentences).split()
    after: dict[str, list[str]] = {}
    for one, next_one in pairwise(words):
        after.setdefault(one, []).append(next_one)
    words_of_page = [words[int(rng.integers(len(words)))]]
    while len(words_of_page) < 150:
        choices = after.get(words_of_page[-1]) or words
        words_of_page.append(choices[int(rng.integers(len(choices)))])
    names = ["-".join(words[n : n + 2]) for n in rng.integers(len(words) - 2, size=6).tolist()]
    links = tuple((f"/maze/{name.lower()}/{rng.bytes(3).hex()}", topic.query) for name in names)
    return TrapPage(topic.query, f"{topic.query} {' '.join(words_of_page)}", links)


def stuffing(url: str, topic: TrapTopic, rng: Generator) -> TrapPage:  # noqa: ARG001 - the signature of a maker
    """The words of the query two hundred times, and a few others."""
    words = np.array(topic.query.split())
    words_of_page = rng.choice(words, size=200).tolist()
    links = tuple((f"/{name}.html", topic.query) for name in _names(rng, 10))
    return TrapPage(topic.query, " ".join(words_of_page), links)


def near_empty(url: str, topic: TrapTopic, rng: Generator) -> TrapPage:  # noqa: ARG001 - the signature of a maker
    """One word, three links."""
    word = topic.query.split()[int(rng.integers(len(topic.query.split())))]
    return TrapPage("", word, tuple((f"/{name}", word) for name in _names(rng, 3)))


TRAPS: tuple[Trap, ...] = (
    Trap("calendar", f"http://{HOST}/events?y=2026&m=1", calendar),
    Trap("faceted search", f"http://{HOST}/shop", facets),
    Trap("session ids", f"http://{HOST}/s/0123456789abcdef/part-0", sessions),
    Trap("soft 404", f"http://{HOST}/", soft_404),
    Trap("link farm", f"http://a0.{HOST}/", farm),
    Trap("tarpit", f"http://{HOST}/maze/", tarpit, latency_s=2.0),
    Trap("stuffing", f"http://{HOST}/index.html", stuffing),
    Trap("near-empty pages", f"http://{HOST}/x", near_empty),
)
"""Every kind."""


def _names(rng: Generator, count: int) -> Sequence[str]:
    letters = rng.integers(97, 123, (count, 8)).astype(np.uint8)
    return [bytes(row).decode() for row in letters]
