"""The content of a report as JSON values; all formats show the same."""

from __future__ import annotations

from typing import Any

from evocrawl.monitor import views
from evocrawl.monitor.steps import whole
from evocrawl.monitor.stored_record import StoredRecord

PAGES, HOSTS, AGENTS = 500, 100, 2000
_MOST_FAILURES = 30


def content(crawl: StoredRecord, pages: int = PAGES) -> dict[str, Any]:
    """Return the report of one crawl; `pages` is how many of the best pages it lists."""
    record = crawl.record
    return {
        "store": crawl.store,
        "query": crawl.about.get("query", ""),
        "began": crawl.began,
        "stopped": crawl.stopped,
        "ended": crawl.ended,
        "notes": crawl.notes,
        "summary": views.totals(record, crawl.relevant_at, crawl.limit),
        "curve": whole(views.curve(record)),
        "pages": [views.result(each, crawl.relevant_at) for each in record.results.best(pages)],
        "agents": _agents(crawl),
        "hosts": whole(views.hosts(record, HOSTS)),
        "opt_outs": crawl.opt_outs,
        "costs": _costs(crawl),
        "settings": dict(sorted(crawl.about.items())),
        "command": crawl.command,
    }


def comparison(first: StoredRecord, second: StoredRecord, pages: int = PAGES) -> dict[str, Any]:
    """Return the reports of two crawls, and the pages that only one of them found."""
    urls = [{each.url for each in crawl.record.results} for crawl in (first, second)]
    return {
        "crawls": [content(first, pages), content(second, pages)],
        "both": _counted(first, urls[0] & urls[1], pages),
        "only": [
            _counted(first, urls[0] - urls[1], pages),
            _counted(second, urls[1] - urls[0], pages),
        ],
    }


def _counted(crawl: StoredRecord, urls: set[str], pages: int) -> dict[str, Any]:
    """Return the number of some pages of a crawl, of the relevant ones, and the best of them."""
    results = crawl.record.results
    found = sorted(
        (each for each in results if each.url in urls), key=lambda each: (-each.relevance, each.url)
    )
    return {
        "pages": len(found),
        "relevant": sum(each.relevance >= crawl.relevant_at for each in found),
        "best": [views.result(each, crawl.relevant_at) for each in found[:pages]],
    }


def _agents(crawl: StoredRecord) -> list[dict[str, Any]]:
    """Return the agents of the lineages that found most, at most `AGENTS`, parents first."""
    record = crawl.record
    of_line = whole(views.lineages(record))
    ranked = sorted(record.agents.values(), key=lambda each: (-of_line[each.id], each.id))
    # A parent's line has at least the relevant pages of its child's, so it is not left out first.
    return [
        {**views.agent(each), "relevant_in_line": of_line[each.id]}
        for each in sorted(ranked[:AGENTS], key=lambda each: each.id)
    ]


def _costs(crawl: StoredRecord) -> dict[str, Any]:
    record, now = crawl.record, crawl.record.point()
    hosts = record.hosts.values()
    failures = sorted(record.failures.items(), key=lambda each: (-each[1], each[0]))
    return {
        "requests_per_relevant_page": now.requests / now.relevant if now.relevant else None,
        "seconds_of_fetches": sum(each.seconds for each in hosts),
        "body_bytes": sum(each.body_bytes for each in hosts),
        "fees": dict(record.fees),
        "failures": dict(failures[:_MOST_FAILURES]),
        "held_back": dict(record.held_back),
    }
