"""The report at the end of a crawl: some 15 lines."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from evocrawl.core.sanitize import mask_secrets, one_line
from evocrawl.monitor.scores import threshold
from evocrawl.monitor.summary import CrawlSummary
from evocrawl.monitor.words import budget, duration, failures, gain, hosts, page, recall

_BEST = 5
_HOSTS = 3

REASONS = {
    "budget": "its budget of requests is used up",
    "stopped_by_yield": "by its stop rule, the next 1 000 requests would bring too few pages",
    "stopped_by_recall": "by its stop rule, enough of the relevant pages within reach are found",
    "stopped_by_user": "it was stopped on the dashboard",
    "drained": "this worker left the crawl to the others, as evocrawl workers --drain asked",
    "stopped_by_program": "the program that runs it stopped it",
    "exhausted": "no link is left to follow",
    "extinct": "no agent is alive",
    "finished": "nothing is left to do",
    "shutdown": "it was stopped",
    "seeds_failed": "no page of its seeds could be fetched",
    "state_failed": "its state could not be written",
    "recording_failed": "its recording could not be written",
    "closespider_timeout": "CLOSESPIDER_TIMEOUT has passed",
    "closespider_itemcount": "CLOSESPIDER_ITEMCOUNT is reached",
    "closespider_pagecount": "CLOSESPIDER_PAGECOUNT is reached",
    "closespider_errorcount": "CLOSESPIDER_ERRORCOUNT is reached",
    "memusage_exceeded": "MEMUSAGE_LIMIT_MB is exceeded",
}
"""The words for each stop reason."""


def why_ended(reason: str) -> str:
    """Return a stop reason in words.

    >>> why_ended("exhausted"), why_ended("a reason of a project")
    ('no link is left to follow', 'a reason of a project')
    """
    return REASONS.get(reason, one_line(reason))


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run of a crawl has ended.

    `reason` is the stop reason, `command` the words of the command that ran, empty if it is not
    known, `store` the file or URL of the crawl's state, "" if it was kept in memory only.
    """

    reason: str
    seconds: float
    query: str = ""
    store: str = ""
    command: Sequence[str] = ()


def final_report(summary: CrawlSummary, ending: Ending) -> list[str]:
    """Return the lines of the report; each is safe for a terminal."""
    ledger = summary.ledger
    lines = [f"The crawl has ended: {why_ended(ending.reason)}."]
    if ending.query:
        lines.append(f"  query     {one_line(ending.query, 100)}")
    lines += [
        f"  pages     {ledger.pages} from {hosts(summary.hosts_seen)}, "
        f"{ledger.relevant_pages} relevant ({threshold(ledger.relevant_at)})",
        f"  requests  {budget(summary)} in {duration(ending.seconds)}{_brought(summary)}",
        f"  failures  {failures(summary.failures)}",
    ]
    outlook = summary.outlook
    if outlook is not None:
        lines += [
            f"  left      the next 1 000 requests would bring {gain(outlook)}",
            f"  recall    {recall(outlook)} of the relevant pages within reach are found",
        ]
    best = summary.best(_BEST)
    if best:
        lines.append("  best pages")
        lines += [f"    {page(each, ledger.relevant_at)}" for each in best]
    sources = [each for each in summary.hosts(_HOSTS) if each.relevant]
    if sources:
        counts = ", ".join(
            f"{one_line(each.host, 60)} {each.relevant} of {each.pages}" for each in sources
        )
        lines.append(f"  hosts     relevant pages: {counts}")
    return [*lines, *_commands(ending)]


def _brought(summary: CrawlSummary) -> str:
    """Return the share of requests that brought a relevant page.

    "" if there are more such pages than requests: most are of the earlier crawl (`since`).
    """
    share = f", {summary.harvest:.0%} of them brought a relevant page"
    return share if summary.harvest <= 1 else ""


def how_to_go_on(ending: Ending) -> str:
    """Return the command that continues the crawl, or why there is none."""
    if not ending.store:
        return "this crawl was kept in memory and cannot go on; -a store=FILE keeps the next one"
    if not ending.command:
        return "start the same crawl again"
    words = [_APPENDING.get(word, word) for word in _without_token(ending.command)]
    more = _CHANGES.get(ending.reason, "")
    return one_line(mask_secrets(shlex.join(words)), 1000) + (f"   # with {more}" if more else "")


def _without_token(command: Sequence[str]) -> list[str]:
    """Return the words without the dashboard's token, which no log may have.

    Without it, the next crawl makes a random one.

    >>> _without_token(["scrapy", "-a", "dashboard_token=secret", "-a", "dashboard=80"])
    ['scrapy', '-a', 'dashboard=80']
    """
    kept: list[str] = []
    for word in command:
        name, is_set, _ = word.partition("=")
        if not is_set or name.lower().removeprefix("evocrawl_") != "dashboard_token":
            kept.append(word)
        elif kept and kept[-1] in ("-a", "-s", "--set"):
            kept.pop()
    return kept


_CHANGES = {
    "budget": "a larger max_requests",
    "stopped_by_yield": "another stop rule, or none",
    "stopped_by_recall": "another stop rule, or none",
}
"""By stop reason: what to change in the command so that the crawl continues."""

_APPENDING = {"-O": "-o", "--overwrite-output": "--output"}
"""Options that would overwrite the items of earlier runs, and the options that append to them."""


def _commands(ending: Ending) -> list[str]:
    go_on = f"  go on     {how_to_go_on(ending)}"
    if not ending.store:
        return [go_on]
    store = shlex.quote(one_line(mask_secrets(ending.store), 500))
    return [
        go_on,
        f"  export    evocrawl export {store} --out pages.jsonl",
        f"  report    evocrawl report {store} --out report.html",
    ]
