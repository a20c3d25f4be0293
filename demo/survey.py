"""Counts pages, links between hosts and pages on the default topic of the demonstration web.

A page counts as *about* full-text search when it names the topic at least three times and at
least four times in a thousand words. The rule uses whole terms of the field. It
does not depend on the tf-idf of the query or on the crawl, so it can evaluate both.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from urllib.parse import urljoin, urlsplit

from lxml import etree, html

from demo.site import FolderSite, PlainSite
from evocrawl.simulation.server.proxy import Request

TOPIC = re.compile(
    r"full[- ]?text search|text search|\bfts[345]?\b|\bts_?(?:vector|query|rank|headline)\b"
    r"|search(?:vector|query|rank|headline)\b",
    re.IGNORECASE,
)
_MENTIONS = 3
_PER_WORD = 0.004
_SKIP = {"script", "style"}


def is_about(text: str) -> bool:
    """Return whether a page with the visible `text` is about full-text search."""
    mentions = sum(1 for _ in TOPIC.finditer(text))
    return mentions >= _MENTIONS and mentions >= _PER_WORD * len(text.split())


def survey(web: Mapping[str, FolderSite], aliases: Mapping[str, PlainSite]) -> str:
    """Return a table of pages, pages on topic and links by kind, with a line for each host.

    A pair (page, link address) counts once: to the page's own host, to a page of another host
    (after redirects), or elsewhere (no such page, or a host that is not served).
    """
    lines = [f"{'host':30} {'pages':>6} {'topic':>6} {'inside':>8} {'across':>7} {'elsewhere':>9}"]
    lands = _landing({**aliases, **web})
    total: Counter[str] = Counter()
    for host, site in web.items():
        count = _count(host, site, lands)
        total += count
        lines.append(_line(host, count))
    lines.append(_line("all", total))
    share = total["topic"] / max(1, total["pages"])
    return "\n".join([*lines, f"on topic: {share:.2%} of the pages"])


def _line(name: str, count: Counter[str]) -> str:
    return (
        f"{name:30} {count['pages']:6} {count['topic']:6} {count['inside']:8} "
        f"{count['across']:7} {count['elsewhere']:9}"
    )


def _count(host: str, site: FolderSite, lands: Callable[[str], bool]) -> Counter[str]:
    count: Counter[str] = Counter()
    for path, file in site.pages():
        data = file.read_bytes()
        data = gzip.decompress(data) if file.suffix == ".gz" else data
        text, links = read(site.rewrite(data))
        count["pages"] += 1
        count["topic"] += is_about(text)
        base = f"http://{host}{path}"
        for link in {_absolute(base, link) for link in links} - {""}:
            across = lands(link) and _host(link) != host
            count["inside" if _host(link) == host else "across" if across else "elsewhere"] += 1
    return count


def _landing(sites: Mapping[str, PlainSite]) -> Callable[[str], bool]:
    """Return a function that checks whether an address leads to an HTML page of `sites`."""

    @cache
    def lands(url: str, hops: int = 5) -> bool:
        site = sites.get(_host(url))
        if site is None or not url.startswith("http://") or not hops:
            return False
        parts = urlsplit(url)
        answer = site(Request("GET", parts.netloc, parts.path or "/"))
        if location := answer.headers.get("location"):
            return lands(urljoin(url, location), hops - 1)
        return answer.status == 200 and answer.headers.get("content-type") == "text/html"

    return lands


def read(data: bytes) -> tuple[str, list[str]]:
    """Return the text outside scripts and styles, and the addresses of all anchors."""
    try:
        root = html.document_fromstring(data)
    except (etree.ParserError, ValueError):
        return "", []
    etree.strip_elements(root, *_SKIP, with_tail=False)
    text = " ".join(str(part) for part in root.itertext())
    return text, [link for anchor in root.iter("a") if (link := anchor.get("href"))]


def _absolute(base: str, link: str) -> str:
    """Return the address without its fragment, "" if it is not an http(s) URL."""
    try:
        url = urljoin(base, link).partition("#")[0]
        return url if _host(url) else ""
    except ValueError:
        return ""


def _host(url: str) -> str:
    parts = urlsplit(url)
    return (parts.hostname or "") if parts.scheme in ("http", "https") else ""
