"""Writes a report as Markdown. Text of the web cannot become markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from evocrawl.monitor.final import why_ended
from evocrawl.monitor.report.html import date, safe_href
from evocrawl.monitor.scores import scored, threshold

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>:@])")
_LONGEST = 300


def report_markdown(found: dict[str, Any]) -> bytes:
    """Return the report of one crawl."""
    return _encoded(_crawl(found, "#"))


def comparison_markdown(found: dict[str, Any]) -> bytes:
    """Return the report of two crawls."""
    return _encoded(_comparison(found))


def plain(text: str) -> str:
    """Return text on one line in which nothing is markup or HTML.

    >>> plain("<b>|[x](javascript:y)")
    '&lt;b&gt;\\\\|\\\\[x\\\\]\\\\(javascript\\\\:y\\\\)'
    """
    line = "".join(char if char.isprintable() else " " for char in text[:_LONGEST])
    line = " ".join(line.split())
    escaped = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\1", escaped)


def _encoded(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _comparison(found: dict[str, Any]) -> Iterator[str]:
    both = found["both"]
    yield "# Two crawls compared"
    yield ""
    yield f"{both['pages']} pages were found by both, {both['relevant']} of them relevant."
    for number, (crawl, only) in enumerate(zip(found["crawls"], found["only"], strict=True), 1):
        yield ""
        yield f"## Crawl {number}: {plain(crawl['store'])}"
        yield from _facts(crawl)
        yield ""
        yield f"### Only crawl {number} found: {only['pages']} pages, {only['relevant']} relevant"
        yield from _pages(only["best"], crawl["summary"]["relevant_at"])
    for crawl in found["crawls"]:
        yield ""
        yield from _crawl(crawl, "##")


def _crawl(crawl: dict[str, Any], mark: str) -> Iterator[str]:
    yield f"{mark} {plain(crawl['query'] or crawl['store'])}"
    yield ""
    ended = f"ended: {plain(why_ended(crawl['ended']))}" if crawl["ended"] else "can go on"
    yield f"{plain(crawl['store'])}, {date(crawl['began'])} to {date(crawl['stopped'])}, {ended}"
    for note in crawl["notes"]:
        yield from ("", f"> {plain(note)}")
    yield from _facts(crawl)
    yield from ("", f"{mark}# The course of the crawl", "")
    yield from _table(
        ("requests", "pages", "relevant", "harvest", "agents", "energy", "R"), _some(crawl["curve"])
    )
    yield from ("", f"{mark}# The best pages")
    yield from _pages(crawl["pages"], crawl["summary"]["relevant_at"])
    yield from ("", f"{mark}# Agents", "")
    yield from _agents(crawl["agents"])
    yield from ("", f"{mark}# Hosts", "")
    yield from _hosts(crawl["hosts"])
    if crawl["opt_outs"] is not None:
        yield from ("", f"{mark}# Opt-outs of servers", "")
        yield from _opt_outs(crawl["opt_outs"])
    yield from ("", f"{mark}# Costs", "")
    yield from _table(("what", "number"), _costs(crawl["costs"]))
    yield from ("", f"{mark}# Settings", "")
    yield from _table(
        ("setting", "value"),
        ((plain(name), plain(str(value))) for name, value in crawl["settings"].items()),
    )
    yield from ("", f"{mark}# Make it again", "", f"    {_one_line(crawl['command'])}")


def _agents(agents: list[dict[str, Any]]) -> Iterator[str]:
    return _table(
        ("agent", "parent", "relevant", "pages", "visits", "energy", "relevant in its line"),
        (
            (each["id"], each["parent"] or "", each["relevant"], each["pages"], each["visits"],
             f"{each['energy']:.2f}", each["relevant_in_line"])
            for each in agents
        ),
    )  # fmt: skip


def _hosts(hosts: list[dict[str, Any]]) -> Iterator[str]:
    return _table(
        ("host", "relevant", "pages", "visits", "dead", "refused"),
        (
            (plain(each["host"]), each["relevant"], each["pages"], each["visits"], each["dead"],
             each["refused"])
            for each in hosts
        ),
    )  # fmt: skip


def _facts(crawl: dict[str, Any]) -> Iterator[str]:
    now = crawl["summary"]
    limit = f" of {now['limit']}" if now["limit"] else ""
    relevant = f"{now['relevant']} of {now['pages']}, {threshold(now['relevant_at'])}"
    yield from ("", f"- relevant pages: {relevant}")
    yield f"- requests: {now['requests']}{limit}, harvest rate {now['harvest']:.1%}"
    if now["left"]:
        left = now["left"]
        yield (f"- left: {left['gain_low']:.0f} to {left['gain_high']:.0f} relevant pages in the "
               f"next 1 000 requests; recall, an estimate: {left['recall']:.0%} "
               f"({left['recall_low']:.0%} to {left['recall_high']:.0%})")  # fmt: skip
    yield f"- agents: {now['agents']} alive, {now['agents_born']} in all; hosts: {now['hosts']}"
    yield f"- time: {now['seconds']:.0f} s"


def _some(rows: list[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """Return about 20 rows of the curve, the last one included."""
    step = max(len(rows) // 20, 1)
    for row in [*rows[:-1:step], *rows[-1:]]:
        rank = "" if row["threshold"] is None else f"{row['threshold']:.3f}"
        yield (row["requests"], row["pages"], row["relevant"], f"{row['harvest']:.1%}",
               row["agents"], f"{row['energy']:.1f}", rank)  # fmt: skip


def _pages(rows: list[dict[str, Any]], relevant_at: float) -> Iterator[str]:
    yield ""
    yield from _table(
        ("relevance", "page", "anchor", "agent"),
        (
            (scored(row["relevance"], relevant_at), _link(row), plain(row["anchor"]), row["agent"])
            for row in rows
        ),
    )  # fmt: skip


def _link(row: dict[str, Any]) -> str:
    url = row["url"]
    title = plain(row["title"] or url)
    if not safe_href(url):
        return f"{title} {plain(url)}"
    return f"[{title}]({quote(url, safe=':/?#=&%;,@~+!$*', errors='replace')})"


def _costs(costs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    per_page = costs["requests_per_relevant_page"]
    yield "requests for one relevant page", "" if per_page is None else f"{per_page:.1f}"
    yield "seconds of all fetches of pages", f"{costs['seconds_of_fetches']:.1f}"
    yield "bytes of pages", str(costs["body_bytes"])
    for name, energy in costs["fees"].items():
        yield f"energy paid: {plain(name)}", f"{energy:.1f}"
    for kind in ("failures", "held_back"):
        for name, times in costs[kind].items():
            yield f"{kind.replace('_', ' ')}: {plain(name)}", str(times)


def _opt_outs(found: dict[str, Any]) -> Iterator[str]:
    for name, answers in found["servers"].items():
        counts = ", ".join(f"{answer} {times}" for answer, times in answers.items())
        yield f"- {plain(name)}: {found['pages'][name]} pages reserved; servers: {counts}"
    for policy, times in found["policies"].items():
        yield f"- conditions of {times} pages: {plain(policy)}"
    yield ""
    names = tuple(found["servers"])
    yield from _table(
        ("host", *(f"pages reserved by {name}" for name in names)),
        ((plain(row["host"]), *(row[name] for name in names)) for row in found["hosts"]),
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
