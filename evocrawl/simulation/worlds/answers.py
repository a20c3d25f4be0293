"""Turns the answers of addresses into fetches: latency, time-outs, redirects and refusals.

A world gives the answer of each address; this module handles it as a crawler does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import urljoin

from evocrawl.core.model import Cost, Dead, Fingerprint, Refused
from evocrawl.simulation.worlds.base import Arrived, Document, Follows
from evocrawl.simulation.worlds.search import Index

MAX_REDIRECTS = 20
"""Default of Scrapy's REDIRECT_MAX_TIMES."""

UNKNOWN = "unknown: the recorded crawl did not fetch it"
NOT_FOLLOWED = "the redirect is not followed"

LATENCY_S = 0.1
TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of one address, before redirects are followed.

    A page has a `document`, a redirect a `location`. `kind` is the media type. `latency_s` is the
    time until the end of the answer, `body_bytes` is its size. `is_unknown` is true if the world
    does not know the answer of the address.
    """

    latency_s: float = 0.0
    status: int = 200
    document: Document | None = None
    location: str = ""
    is_forbidden: bool = False
    kind: str = "text/html"
    body_bytes: int = 0
    is_unknown: bool = False


class AnsweringWorld(ABC):
    """A world defined by the answers of its addresses; subclasses implement `answer`.

    An answer that takes `timeout_s` seconds or longer is a time-out. A refusal counts as a request,
    as every step of a redirect does, but takes no time.
    """

    name: str
    timeout_s: float = TIMEOUT_S
    _index: Index | None = None

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def answer(self, url: str, now_s: float) -> Answer:
        """Return the answer of `url` at the time `now_s`; status 404 for an unknown address."""

    @abstractmethod
    def documents(self) -> Iterable[Document]:
        """Return every page that can be fetched at time 0, always in the same order."""

    @abstractmethod
    def topics(self) -> Collection[str]:
        """Return the sorted topics of all levels."""

    @abstractmethod
    def about(self, topic: str) -> Collection[Fingerprint]:
        """Return the fetchable pages of a topic and its subtopics; raises KeyError if unknown."""

    @abstractmethod
    def hosts(self) -> Collection[str]:
        """Return the hosts with pages."""

    @abstractmethod
    def robots_txt(self, host: str) -> str:
        """Return the robots.txt of a host, "" if it disallows nothing."""

    def fetch(
        self, url: str, now_s: float, follows: Follows = lambda _: True
    ) -> Arrived | Dead | Refused:
        """Fetch `url` at the world's time `now_s`; follow redirects and count their cost.

        `follows` decides on each redirect.
        """
        seconds = 0.0
        for requests in range(1, MAX_REDIRECTS + 2):
            answer = self.answer(url, now_s + seconds)
            if answer.is_forbidden:
                return Refused(Cost(seconds, seconds, 0, requests))
            seconds += min(answer.latency_s, self.timeout_s)
            cost = Cost(seconds, seconds, answer.body_bytes, requests)
            if answer.latency_s >= self.timeout_s:
                return Dead("timeout", cost)
            if answer.location:
                url = urljoin(url, answer.location)
                if not follows(url):
                    return Dead(NOT_FOLLOWED, cost)
            elif answer.is_unknown:
                return Dead(UNKNOWN, cost)
            elif answer.status >= 400:
                return Dead(f"status {answer.status}", cost)
            elif answer.document is None:
                return Dead("no HTML", cost)
            else:
                return Arrived(answer.document, cost)
        return Dead("too many redirects", cost)

    def changed_at(self, url: str, now_s: float) -> float | None:
        """Return the time of the last change of the page at `url` before `now_s`, without a fetch.

        Return None if there is no page, or no date.
        """
        document = self.answer(url, now_s).document
        return None if document is None else document.changed_at_s

    def search(self, query: str, k: int) -> list[str]:
        """Return the URLs of at most `k` pages, the first results of a search for `query`.

        The ranking is BM25 over the pages at time 0. The first search builds the index; a search
        then takes O(postings of the query's terms).
        """
        if self._index is None:
            self._index = Index(self.documents())
        return self._index.search(query, k)
