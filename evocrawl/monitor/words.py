"""Writes the texts that all views share: budget, failures, pages, times."""

from __future__ import annotations

from collections import Counter

from evocrawl.core.sanitize import mask_secrets, one_line
from evocrawl.estimation.outlook import Outlook
from evocrawl.monitor.scores import scored
from evocrawl.monitor.summary import CrawlSummary, SeenPage

_SHOWN_KINDS = 5


def duration(seconds: float) -> str:
    """Return a time in one or two units.

    >>> duration(8.2), duration(75), duration(7260), duration(200_000)
    ('8 s', '1 min 15 s', '2 h 1 min', '2 d 7 h')
    """
    whole = max(round(seconds), 0)
    for size, name, part, parts in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"),
                                    (60, "min", 1, "s")):  # fmt: skip
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {name}" + (f" {rest} {parts}" if rest else "")
    return f"{whole} s"


def budget(summary: CrawlSummary) -> str:
    """Return the number of requests, with the budget if there is one."""
    limit = summary.budget.limit
    return f"{summary.requests}" if limit is None else f"{summary.requests} of {limit}"


def failures(kinds: Counter[str], most: int = _SHOWN_KINDS) -> str:
    """Return the number of failures and the most frequent kinds, "none" if there are none."""
    if not kinds:
        return "none"
    shown = ", ".join(f"{one_line(kind, 40)} {count}" for kind, count in kinds.most_common(most))
    more = len(kinds) - most
    return f"{kinds.total()}: {shown}" + (f", {more} other kinds" if more > 0 else "")


def gain(outlook: Outlook) -> str:
    """Return how many relevant pages the next 1 000 requests would bring: the 90 % interval."""
    return counted(round(outlook.gain.low), round(outlook.gain.high))


def counted(low: int, high: int) -> str:
    """Return a number of relevant pages between two.

    >>> counted(3, 12), counted(1, 1), counted(0, 0)
    ('3 to 12 relevant pages', '1 relevant page', 'no relevant page')
    """
    if high == 0:
        return "no relevant page"
    if low == high:
        return f"{low} relevant page" + ("s" if low > 1 else "")
    return f"{low} to {high} relevant pages"


def hosts(count: int) -> str:
    """Return a number of hosts.

    >>> hosts(1), hosts(7)
    ('1 host', '7 hosts')
    """
    return f"{count} host" + ("" if count == 1 else "s")


def under_way(count: int) -> str:
    """Return what a crawl waits for while requests are under way.

    >>> under_way(1), under_way(4)
    ('waiting for 1 request under way', 'waiting for 4 requests under way')
    """
    return f"waiting for {count} request{'' if count == 1 else 's'} under way"


def recall(outlook: Outlook) -> str:
    """Return the share of the relevant pages that are found: the estimate and its 90 % interval.

    Without a relevant page there is no share to estimate.
    """
    if not outlook.relevant:
        return "unknown, no relevant page is found"
    share = outlook.recall
    return f"{share.middle:.0%} ({share.low:.0%} to {share.high:.0%})"


def page(seen: SeenPage, relevant_at: float, width: int = 200) -> str:
    """Return a page in one line: its chance, title and address, and how an agent came there."""
    title = one_line(seen.title.strip(), 60)
    url = shown_url(seen.url, width)
    anchor = one_line(seen.anchor.strip(), 40)
    link = f"link “{anchor}”, " if anchor and anchor != title else ""
    why = f" ({link}agent {seen.agent})"
    return f"{scored(seen.relevance, relevant_at)}  {f'{title}  ' if title else ''}{url}{why}"


def shown_url(url: str, most: int = 200) -> str:
    """Return a URL without passwords and control characters."""
    return one_line(mask_secrets(url), most)
