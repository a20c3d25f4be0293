"""Shared by the live tests: the result of a crawl, and webs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evocrawl.simulation.server.proxy import Request, Response, Site, not_found

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
QUERY = "coral bleaching"

FAST = {
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "RETRY_TIMES": 1,
    "EVOCRAWL_PROGRESS_S": 0,
    "EVOCRAWL_ROBOTS_RETRY_S": 0.2,
    "EVOCRAWL_BACK_OFF_S": 0.02,
    "LOG_LEVEL": "INFO",
}


@dataclass
class Crawled:
    """The results of a crawl: stats, items, log and exit code."""

    stats: dict[str, Any]
    pages: list[dict[str, Any]]
    log: str
    code: int

    def stat(self, name: str) -> Any:
        return self.stats.get(f"evocrawl/{name}", 0)

    def check_settled(self) -> None:
        """Check that every visit settled exactly once, and only downloads failed."""
        assert self.stat("visits/unsettled") == 0
        assert self.stat("visits/settled_twice") == 0
        assert self.stat("visits/opened") == self.stat("visits/settled") > 0
        errors = [line for line in self.log.splitlines() if " ERROR: " in line]
        expected = (
            "Error downloading",
            "Gave up retrying",
            ": no page: ",
            " more have brought no page",
        )
        unexpected = [line for line in errors if not any(each in line for each in expected)]
        assert not unexpected, unexpected


Crawl = Callable[..., Crawled]


def page(*links: str, text: str = "", title: str = "", language: str = "en") -> Response:
    """Return an HTML page with links, each an href or "href anchor text"."""
    anchors = "".join(
        f'<p><a href="{href}">{words or href}</a></p>'
        for href, _, words in (link.partition(" ") for link in links)
    )
    head = f"<html lang={language}><head><title>{title}</title></head>"
    body = f"{head}<body><p>{text}</p>{anchors}</body>"
    return Response(200, body.encode(), {"Content-Type": "text/html; charset=utf-8"})


def site(pages: Mapping[str, Response | Callable[[Request], Response]]) -> Site:
    """Return a site that answers by path; unknown paths, robots.txt too, are 404."""

    def answer(request: Request) -> Response:
        found = pages.get(request.path)
        if found is None:
            return not_found(request)
        return found if isinstance(found, Response) else found(request)

    return answer
