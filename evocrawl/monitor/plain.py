"""The view of a crawl for pipes and files: a line if something has changed."""

from __future__ import annotations

from evocrawl.monitor.snapshot import Snapshot
from evocrawl.monitor.words import budget, duration, failures, gain, hosts, recall, under_way


def plain_line(now: Snapshot) -> str:
    """Return the state of the crawl in a line; if nothing has changed, what the crawl waits for."""
    if now.is_closing:
        return f"stopping: {under_way(now.under_way)}"
    if not now.new_requests and not now.new_pages:
        if now.waits:
            return f"waiting for {now.waiting}"
        return under_way(now.under_way)
    summary, ledger = now.summary, now.summary.ledger
    left = "" if now.left_s is None else f", about {duration(now.left_s)} left"
    failed = f", failures {failures(summary.failures, 3)}" if summary.failures else ""
    outlook = summary.outlook
    to_come = (
        ""
        if outlook is None
        else (f", next 1 000 requests {gain(outlook)}, recall {recall(outlook)}")
    )
    return (
        f"{budget(summary)} requests{left}, "
        f"{ledger.relevant_pages} of {ledger.pages} pages relevant "
        f"(harvest rate {summary.recent_harvest:.0%} of the last 100 requests, "
        f"{summary.harvest:.0%} in all), "
        f"agents {now.population}, {hosts(summary.hosts_seen)}, {now.pages_per_s:.1f} pages/s"
        f"{failed}{to_come}"
    )
