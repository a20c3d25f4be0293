"""Reads the dates at which a page was published and last changed.

The first date in the markup counts, in this order of sources:

===========  ==================================================================================
JSON-LD      ``datePublished``, ``dateModified`` of the first object that has one, at the top, in
             a list or in ``@graph``
meta         the names of article (Open Graph), Dublin Core, schema.org and common usage
itemprop     of any element: ``content``, or else ``datetime``
time         with ``pubdate``; or the only ``time`` of the page with ``datetime``: published
===========  ==================================================================================

Dates are ISO 8601 (RFC 3339) or those of mail and HTTP (RFC 9110 §5.6.7); one without a zone
counts as UTC, one without a time as the beginning of the day. Malformed dates and those
before 1990 or after 2200 are ignored; `age_s` checks dates in the future. A date is the
page's own claim and is not verified.

htmldate (Barbaresi 2020) finds more dates by guesses from URL and text. It is not used: it takes
some milliseconds a page and needs dateparser, and a guess of the day is too coarse for a new page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any

from lxml import etree

from evocrawl.extraction.structured_data import parsed_json

_PUBLISHED = frozenset(
    ("article:published_time", "og:published_time", "datepublished", "date", "dc.date",
     "dc.date.issued", "dcterms.issued", "dcterms.created", "dcterms.date", "pubdate",
     "publishdate", "publish-date", "publish_date", "parsely-pub-date", "sailthru.date")
)  # fmt: skip
_CHANGED = frozenset(
    ("article:modified_time", "og:updated_time", "datemodified", "dc.date.modified",
     "dcterms.modified", "last-modified", "lastmod", "revised")
)  # fmt: skip
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.{0,20})?", re.A)
_ZONE = re.compile(r"(?:Z|[+-]\d\d:?\d\d|[A-Z]{2,4})\Z", re.A | re.I)
_DAY_S, _LAST_ZONE_S = 86_400.0, 43_200.0
_LONGEST = 60
_EARLIEST_S, _LATEST_S = 631_152_000.0, 7_258_118_400.0
_SCRIPTS, _SCRIPT_CHARS, _NODES = 20, 200_000, 200
_AHEAD_S = 86_400.0
"""A date may be up to a day in the future, since its time zone may be missing or wrong."""
_JUST_NOW_S = 5.0

_times: Any = etree.XPath("//time[@datetime]")
_props: Any = etree.XPath("//*[@itemprop='datePublished' or @itemprop='dateModified']")
_metas: Any = etree.XPath("//meta[@content]")


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates in seconds since 1970, UTC; None if the page does not contain one."""

    published_at_s: float | None = None
    changed_at_s: float | None = None


NO_DATES = Dates()


def read_dates(root: Any) -> Dates:
    """Return the dates in a page's markup; call it before the scripts are removed."""
    published = changed = None
    for is_change, text in _told(root):
        if published is not None and changed is not None:
            break
        if is_change:
            changed = changed if changed is not None else parse_date(text)
        else:
            published = published if published is not None else parse_date(text)
    return Dates(published, changed)


def parse_date(text: object) -> float | None:
    """Return the seconds since 1970 of a date, None if it is invalid.

    >>> parse_date("2024-05-01T12:00:00+02:00"), parse_date("Wed, 01 May 2024 10:00:00 GMT")
    (1714557600.0, 1714557600.0)
    """
    if not isinstance(text, str) or len(text) > _LONGEST:
        return None
    text = text.strip()
    try:
        is_iso = _ISO.fullmatch(text) is not None
        when = datetime.fromisoformat(text) if is_iso else parsedate_to_datetime(text)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        seconds = when.timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return seconds if _EARLIEST_S <= seconds <= _LATEST_S else None


def latest_s(text: object) -> float | None:
    """Return the latest time that a date may mean, in seconds since 1970; None if it is invalid.

    A date without a time may mean any moment of its day, and one without a zone any zone's, of
    which UTC-12 is the last.

    >>> latest_s("2024-05-01T12:00:00Z"), latest_s("2024-05-01"), latest_s("2024-05")
    (1714564800.0, 1714651200.0, None)
    """
    seconds = parse_date(text)
    if seconds is None:
        return None
    has_time = ":" in str(text)
    if has_time and _ZONE.search(str(text).strip()):
        return seconds
    return seconds + _LAST_ZONE_S + (0.0 if has_time else _DAY_S)


def changed_by_header(last_modified: str, date: str) -> float | None:
    """Return the date of a Last-Modified header, None if it is missing or meaningless.

    Servers that generate a page per request send the time of the response, equal to its Date.
    """
    changed, answered = parse_date(last_modified), parse_date(date)
    if changed is None or answered is None or answered - changed <= _JUST_NOW_S:
        return None
    return changed


def age_s(now_s: float, dates: Iterable[float | None]) -> float | None:
    """Return the seconds since the latest of `dates`; None without one.

    A date more than a day in the future is ignored; another date in the future counts as now.

    >>> age_s(1_000_000.0, [900_000.0, None, 1_000_060.0]), age_s(0.0, [90_000.0])
    (0.0, None)
    """
    believed = [each for each in dates if each is not None and each <= now_s + _AHEAD_S]
    return max(now_s - max(believed), 0.0) if believed else None


def _told(root: Any) -> Iterator[tuple[bool, object]]:
    """Yield the candidates for dates, as (is a change, text), the best first."""
    yield from _json_ld(root)
    for meta in _metas(root):
        for attribute in ("property", "name", "itemprop", "http-equiv"):
            name = (meta.get(attribute) or "").strip().lower()
            if name in _CHANGED or name in _PUBLISHED:
                yield name in _CHANGED, meta.get("content")
    for element in _props(root):
        text = element.get("content") or element.get("datetime")
        yield element.get("itemprop") == "dateModified", text
    times = _times(root)
    for element in times:
        if element.get("pubdate") is not None or len(times) == 1:
            yield False, element.get("datetime")


def _json_ld(root: Any) -> Iterator[tuple[bool, object]]:
    for script in islice(root.iter("script"), _SCRIPTS):
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        text = script.text or ""
        if kind != "application/ld+json" or len(text) > _SCRIPT_CHARS or '"date' not in text:
            continue
        for node in islice(_nodes(parsed_json(text)), _NODES):
            if "datePublished" in node or "dateModified" in node:
                yield False, node.get("datePublished")
                yield True, node.get("dateModified")
                return


def _nodes(value: object) -> Iterator[dict[Any, Any]]:
    """Return the objects at the top of a JSON-LD value, and those of its graph."""
    for node in value if isinstance(value, list) else [value]:
        if isinstance(node, dict):
            yield node
            graph = node.get("@graph")
            yield from (
                (each for each in graph if isinstance(each, dict))
                if isinstance(graph, list)
                else ()
            )
