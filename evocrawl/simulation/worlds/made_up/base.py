"""Base of synthetic worlds: numbered pages, addresses, failures, and text drawn on request."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from evocrawl.core.model import Fingerprint, Link
from evocrawl.core.urls.identity import fingerprint, identity
from evocrawl.simulation.worlds.answers import LATENCY_S, TIMEOUT_S, Answer, AnsweringWorld
from evocrawl.simulation.worlds.base import Document
from evocrawl.simulation.worlds.made_up.vocabulary import Vocabulary, chance
from evocrawl.simulation.worlds.made_up.webgraph import Graph, Integers

_PLACE = re.compile(r"http://([a-z0-9.-]+)/(|private/|old/|gone/|file/)(\d{1,12})(\.pdf)?", re.A)
_WORDS = 60
_CONTEXT_WORDS = 20
_TITLE_WORDS = 3
_TOPICAL = 0.5
_MOST_DRAWN = 1000
"""Documents that are remembered, 10 kB each: crawls of one small world meet the same ones."""

_TITLE, _TEXT, _CONTEXT, _LATENCY, _TIMEOUT, _LINK = range(6)
"""Salts: one for each purpose of a draw."""


@dataclass(frozen=True, slots=True)
class Weather:
    """Latencies and failures of a world; shares lie in [0, 1], else the class raises ValueError.

    ==============  ===================================================================
    field           meaning
    ==============  ===================================================================
    latency_s       mean seconds until a response: one half constant, the other exponential
    timeout_s       time-out of a fetch
    timeouts        share of pages that never respond
    dead            share of dead links: half lead to a 404, half to a file that is not HTML
    moved           share of links whose target redirects to its new address
    forbidden       share that robots.txt disallows: of the sites, or of the pages of news
    ==============  ===================================================================
    """

    latency_s: float = LATENCY_S
    timeout_s: float = TIMEOUT_S
    timeouts: float = 0.0
    dead: float = 0.0
    moved: float = 0.0
    forbidden: float = 0.0

    def __post_init__(self) -> None:
        for name in ("timeouts", "dead", "moved", "forbidden"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in [0, 1], not {getattr(self, name)}")
        if self.dead + self.moved > 1:
            raise ValueError("dead and moved are shares of the same links: at most 1 in sum")
        if not (0 <= self.latency_s < math.inf and 0 < self.timeout_s < math.inf):
            raise ValueError("latency_s must be at least 0, timeout_s above 0; both must be finite")


class Compared(NamedTuple):
    """A requested number (None: it follows from the others) and its measured value."""

    measure: str
    asked: float | None
    measured: float


class Synthetic(AnsweringWorld):
    """Pages 0 … n−1 with the links of `graph`; memory is 4 bytes per link and a few per page.

    `forbidden`, shape (n,), is true for pages that robots.txt disallows; `fetchable` is true for
    pages that a crawl can fetch.
    """

    def __init__(
        self,
        name: str,
        graph: Graph,
        forbidden: NDArray[np.bool_],
        weather: Weather,
        topics: int,
        rng: Generator,
    ) -> None:
        self.name = name
        self.timeout_s = weather.timeout_s
        self.graph = graph
        self.weather = weather
        self._seed = int(rng.integers(1 << 62))
        self.vocabulary = Vocabulary(topics, self._seed)
        self.forbidden = forbidden
        draws = chance(self._seed, np.arange(len(graph)), _TIMEOUT)
        self._silent = draws < weather.timeouts
        waiting = -np.log1p(-chance(self._seed, np.arange(len(graph)), _LATENCY))
        self._latency_s = (0.5 * weather.latency_s * (1 + waiting)).astype(np.float32)
        self.fetchable = ~(self.forbidden | self._silent)
        self._drawn: dict[tuple[int, int, int], Document] = {}

    @abstractmethod
    def host(self, page: int) -> str:
        """Return the host of a page."""

    @abstractmethod
    def topics_of(self, pages: Integers) -> tuple[Integers, Integers]:
        """Return the main and the side topic of each page, as numbers."""

    @abstractmethod
    def exists(self, page: int, now_s: float) -> bool:
        """Return whether the page exists at that time."""

    @abstractmethod
    def revision(self, page: int, now_s: float) -> tuple[int, float | None]:
        """Return the number of changes of a page so far, and the time of the last one."""

    @abstractmethod
    def compared(self, rng: Generator) -> tuple[Compared, ...]:
        """Return requested and measured numbers; `rng` draws the samples."""

    def __len__(self) -> int:
        return int(np.count_nonzero(self.fetchable))

    def path(self, page: int) -> str:
        """Return the path of a page."""
        return f"/{page}"

    def url(self, page: int) -> str:
        """Return the address of a page."""
        return f"http://{self.host(page)}{self.path(page)}"

    def page(self, url: str) -> int | None:
        """Return the number of the page at `url`; None if there is no page at any time."""
        place = _place(url)
        if place is None or int(place[3]) >= len(self.graph):
            return None
        page = int(place[3])
        return page if place[0] == self.url(page) else None

    def answer(self, url: str, now_s: float) -> Answer:
        """Return the answer of `url` at `now_s`."""
        place = _place(url)
        number = int(place[3]) if place else len(self.graph)
        if place is None or number >= len(self.graph):
            return Answer(self.weather.latency_s, 404)
        page = self.page(url)
        latency_s = float(self._latency_s[number])
        if page is not None:
            return self._answer(page, latency_s, now_s)
        if self._site_is_forbidden(number) and place[1] == self.host(number):
            return Answer(latency_s, is_forbidden=True)
        if place[2] == "old/" and place[1] == self.host(number):
            return Answer(latency_s, 301, location=self.url(number))
        if place[2] == "file/" and place[4] and place[1] == self.host(number):
            return Answer(latency_s, kind="application/pdf")
        return Answer(latency_s, 404)

    def documents(self) -> Iterator[Document]:
        """Return every page that can be fetched at time 0, by number."""
        for page in map(int, np.flatnonzero(self.fetchable)):
            if self.exists(page, 0.0):
                yield self.document(page, 0.0)

    def document(self, page: int, now_s: float) -> Document:
        """Return the state of a page at `now_s`. Takes O(words + links)."""
        number, changed_at_s = self.revision(page, now_s)
        targets = self._visible(page, now_s)
        key = page, number, len(targets)  # links are only added, so their number names them
        document = self._drawn.pop(key, None) or self._draw(page, number, changed_at_s, targets)
        if len(self._drawn) >= _MOST_DRAWN:
            del self._drawn[next(iter(self._drawn))]
        self._drawn[key] = document
        return document

    def _draw(
        self, page: int, number: int, changed_at_s: float | None, targets: Integers
    ) -> Document:
        url = self.url(page)
        pages = np.concatenate(([page], targets))
        main, side = self.topics_of(pages)
        titles = [
            " ".join(words).capitalize()
            for words in self.vocabulary.draw(pages, _TITLE, main, side, _TITLE_WORDS, 1.0)
        ]
        salt = _TEXT + 16 * (number + 1)
        words = self.vocabulary.draw(pages[:1], salt, main[:1], side[:1], _WORDS, _TOPICAL)[0]
        text = f"{titles[0]}. {' '.join(words)}"
        salt = _CONTEXT + 16 * (page + 1)
        around = self.vocabulary.draw(pages[1:], salt, main[1:], side[1:], _CONTEXT_WORDS, _TOPICAL)
        links = _links(self.link_urls(page, pages[1:]), titles[1:], around)
        return Document(
            url, fingerprint(url), titles[0], text, "en", links, changed_at_s, self.formats(page)
        )

    def changed_at(self, url: str, now_s: float) -> float | None:
        """Return the time of the last change of the page at `url`; None if it does not exist."""
        page = self.page(url)
        if page is None or not self.exists(page, now_s):
            return None
        return self.revision(page, now_s)[1]

    def fingerprints(self, pages: Integers) -> frozenset[Fingerprint]:
        """Return the fingerprints of those of `pages` that can be fetched."""
        numbers = map(int, pages[self.fetchable[pages]])
        return frozenset(fingerprint(self.url(page)) for page in numbers)

    def formats(self, page: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the machine-readable content of a page."""
        return ()

    def _visible(self, page: int, now_s: float) -> Integers:  # noqa: ARG002
        """Return the targets of the links that are on the page now."""
        return self.graph.out(page)

    def _answer(self, page: int, latency_s: float, now_s: float) -> Answer:
        if self.forbidden[page]:
            return Answer(latency_s, is_forbidden=True)
        if self._silent[page]:
            return Answer(self.timeout_s, 504)
        if not self.exists(page, now_s):
            return Answer(latency_s, 404)
        document = self.document(page, now_s)
        return Answer(latency_s, 200, document, body_bytes=len(document.text))

    def _site_is_forbidden(self, page: int) -> bool:  # noqa: ARG002
        """Return whether robots.txt disallows all addresses of the host of the page."""
        return False

    def link_urls(self, page: int, targets: Integers) -> list[str]:
        """Return the URLs of the links to `targets`: some are dead, some have moved."""
        urls = [self.url(target) for target in targets.tolist()]
        dead, moved = self.weather.dead, self.weather.moved
        if not dead and not moved:
            return urls
        for place, draw in enumerate(chance(self._seed, page, _LINK, targets).tolist()):
            if draw >= dead + moved:
                continue
            target = int(targets[place])
            host = self.host(target)
            if draw < dead / 2:
                urls[place] = f"http://{host}/gone/{target}"
            elif draw < dead:
                urls[place] = f"http://{host}/file/{target}.pdf"
            else:
                urls[place] = f"http://{host}/old/{target}"
        return urls


def _links(urls: list[str], anchors: list[str], around: list[list[str]]) -> tuple[Link, ...]:
    """Return links whose context is the anchor with the words around it."""
    half = _CONTEXT_WORDS // 2
    return tuple(
        Link(
            url,
            fingerprint(url),
            anchor,
            " ".join([*words[:half], anchor, *words[half:]]),
            position=place,
        )
        for place, (url, anchor, words) in enumerate(zip(urls, anchors, around, strict=True))
    )


def _place(url: str) -> re.Match[str] | None:
    """Return host, folder and number of an address of a synthetic world."""
    try:
        return _PLACE.fullmatch(identity(url))
    except ValueError:
        return None
