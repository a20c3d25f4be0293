"""Explains why a crawl waits: robots.txt, hosts in back-off, requests under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.spidermiddlewares.httperror import HttpError

from evocrawl.adapter.robots.directory import RobotsDirectory
from evocrawl.core.urls.identity import host_of
from evocrawl.monitor.seeds import FORBIDDEN, Trouble, cause_of
from evocrawl.monitor.snapshot import Wait
from evocrawl.politeness.robots.rules import Verdict

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext

_LONG_S = 5.0
"""Seconds after which a request under way is named as a cause of waiting."""


class CrawlTroubles:
    """Returns why a URL has not been fetched yet, and what the crawl as a whole waits for."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._context = context
        self._crawler = crawler

    def waiting_for(self, url: str) -> Trouble:
        """Return why a URL that is still to be fetched has not been fetched yet. O(1)."""
        directory = RobotsDirectory.of(self._crawler)
        delayed = None if directory is None else directory.delayed(url)
        if delayed is not None:
            cause, again_s = delayed
            return Trouble(_of_robots(cause), again_s)
        host = host_of(url)
        failure = self._context.last_failures.get(host)
        wait_s = self._context.backoff.until(host) - self._context.now_s()
        if failure is not None:
            return Trouble(_named(failure), max(wait_s, 0.0))
        return Trouble("it has not answered yet", 0.0)

    def refused_by(self, url: str) -> str:
        """Return why a URL was refused: by robots.txt, or because that cannot be fetched."""
        directory = RobotsDirectory.of(self._crawler)
        rules = None if directory is None else directory.cached(url)
        if rules is not None and rules.verdict is Verdict.UNREACHABLE:
            return _of_robots(rules.cause)
        return FORBIDDEN

    def last_failure(self, url: str) -> str:
        """Return how the last request to the host of a URL failed, "" if that is not known."""
        failure = self._context.last_failures.get(host_of(url))
        return "" if failure is None else _named(failure)

    def waits(self) -> list[Wait]:
        """Return the hosts that the crawl waits for, the next one first. O(hosts that failed)."""
        now_s = self._context.now_s()
        waits = {
            host: Wait(host, wait_s, "after a failure")
            for host, wait_s in self._context.backoff.waits(now_s).items()
        }
        directory = RobotsDirectory.of(self._crawler)
        for place, wait_s in (directory.all_delayed() if directory is not None else {}).items():
            host = host_of(f"{place}/")
            waits.setdefault(host, Wait(host, wait_s, "its robots.txt"))
        for fetch in self._context.fetches.under_way.values():
            if fetch.sent_at_s is not None and now_s - fetch.sent_at_s >= _LONG_S:
                since_s = now_s - fetch.sent_at_s
                waits.setdefault(fetch.host, Wait(fetch.host, None, f"asked {since_s:.0f} s ago"))
        return sorted(waits.values(), key=lambda each: (each.seconds is None, each.seconds or 0.0))


def _of_robots(failure: Exception | None) -> str:
    """Return why robots.txt cannot be fetched; None if the server has answered with an error."""
    if failure is None:
        return "its server answers with an error where its robots.txt is asked for"
    return _named(failure)


def _named(failure: Exception) -> str:
    if isinstance(failure, HttpError):
        return cause_of(f"status {failure.response.status}")
    for kind in type(failure).__mro__:
        cause = cause_of(kind.__name__)
        if not cause.startswith("it failed"):
            return cause
    return cause_of(f"{type(failure).__name__} {failure}".strip()[:150])
