"""From one HTTP exchange to a fetch: latency, time-outs, redirects, refusals, all counted.

A world says what each address answers; what a crawler makes of that is the same everywhere and
stands here.
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
"""As Scrapy's REDIRECT_MAX_TIMES."""

UNKNOWN = "unknown: the recorded crawl did not fetch it"
NOT_FOLLOWED = "a redirect that is not followed"

LATENCY_S = 0.1
TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What one address answers, redirects not yet followed.

    Of a page there is a `document`, of a redirect a `location`. `kind` is the media type.
    `latency_s` counts until the answer is there, `body_bytes` is its size. With `is_unknown`
    nobody knows what the address answers.
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
    """A world that is told address by address; everything a `World` must do, but `answer`.

    An answer that takes `timeout_s` seconds or longer is never waited for. A refusal counts as a
    request, as every step of a redirect does, but takes no time.
    """

    name: str
    timeout_s: float = TIMEOUT_S
    _index: Index | None = None

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def answer(self, url: str, now_s: float) -> Answer:
        """Return what `url` answers at the time `now_s`; status 404 for an unknown one."""

    @abstractmethod
    def documents(self) -> Iterable[Document]:
        """Return every page that can be fetched at the beginning, in an order that never varies."""

    @abstractmethod
    def topics(self) -> Collection[str]:
        """Return the topics of all levels, sorted."""

    @abstractmethod
    def about(self, topic: str) -> Collection[Fingerprint]:
        """Return the fetchable pages of a topic and of those below; raises KeyError for none."""

    @abstractmethod
    def hosts(self) -> Collection[str]:
        """Return the hosts that have pages."""

    @abstractmethod
    def robots_txt(self, host: str) -> str:
        """Return the robots.txt of a host, "" when it forbids nothing."""

    def fetch(
        self, url: str, now_s: float, follows: Follows = lambda _: True
    ) -> Arrived | Dead | Refused:
        """Answer a fetch at the world's time `now_s`, redirects followed and paid for.

        `follows` is asked before each of them.
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
        """Return since when the page at `url` is what it is at `now_s`, without a fetch.

        None when there is no page, or no date of it.
        """
        document = self.answer(url, now_s).document
        return None if document is None else document.changed_at_s

    def search(self, query: str, k: int) -> list[str]:
        """Return the URLs of the at most `k` pages a search engine ranks first for `query`.

        The ranking is BM25 over the pages there are at the beginning. The first search indexes
        them; after that, it takes O(postings of the query's terms).
        """
        if self._index is None:
            self._index = Index(self.documents())
        return self._index.search(query, k)
