"""Creates links from the addresses in files that are not HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from evocrawl.core.model import Fingerprint, Link
from evocrawl.core.urls.identity import fingerprint
from evocrawl.core.urls.resolve import resolve
from evocrawl.extraction.dates import latest_s
from evocrawl.extraction.limits import Limits

DATA = "evocrawl-data"
"""The rel token of a link to an RDF representation of a page."""


def links_to(addresses: Iterable[tuple[str, str, str]], url: str, limits: Limits) -> Iterator[Link]:
    """Yield the http(s) links among (address, anchor, context), one a target.

    Addresses are relative to the file at `url`; links to the file itself are left out. At most
    ``limits.links`` are returned.
    """
    seen = {_fingerprint_or_none(url)}
    for address, anchor, context in addresses:
        try:
            target = resolve(url, address)
            if target is None or len(target) > limits.url_chars:
                continue
            key = fingerprint(target)
            target.encode("utf-8")
        except ValueError:
            continue
        if key in seen:
            continue
        if len(seen) > limits.links:
            return
        seen.add(key)
        most = limits.words_chars
        yield Link(target, key, anchor[:most], context[:most], position=len(seen) - 2)


def dated_links(
    entries: Iterable[tuple[str, str, str, str]], url: str, limits: Limits
) -> tuple[tuple[Link, ...], tuple[tuple[int, float], ...]]:
    """Return the links of entries (address, anchor, context, date), and when their pages changed.

    See `ParsedPage.changes`.
    """
    date = ""

    def addresses() -> Iterator[tuple[str, str, str]]:
        nonlocal date
        for address, anchor, context, date in entries:  # noqa: B007 - read after each link
            yield address, anchor, context

    links: list[Link] = []
    changes: list[tuple[int, float]] = []
    for link in links_to(addresses(), url, limits):  # reads an entry, and yields its link
        changed_s = latest_s(date) if date else None
        if changed_s is not None:
            changes.append((len(links), changed_s))
        links.append(link)
    return tuple(links), tuple(changes)


def with_data(
    links: tuple[Link, ...], data: Iterable[tuple[str, str]], url: str, limits: Limits
) -> tuple[Link, ...]:
    """Return a page's links, followed by those to its `data`, which are addresses with titles."""
    known = {link.fingerprint for link in links}
    found = [
        each
        for each in links_to(((where, title, "") for where, title in data), url, limits)
        if each.fingerprint not in known
    ][: limits.links - len(links)]
    first = len(links)
    return links + tuple(
        replace(each, rel=(DATA,), position=first + number) for number, each in enumerate(found)
    )


def _fingerprint_or_none(url: str) -> Fingerprint | None:
    try:
        return fingerprint(url)
    except ValueError:
        return None
