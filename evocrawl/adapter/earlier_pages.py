"""Finds pages of an earlier crawl that have not changed since, by sitemaps and feeds.

A site's date is compared with the Date of the earlier response (RFC 9110 §6.6.1), which the same
clock has set. A response without one gets the date of its fetch, as the RFC asks of a recipient.
"""

from __future__ import annotations

import logging
import os
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from evocrawl.core.errors import SettingError, StateError
from evocrawl.core.fetch import RawResponse, has_page
from evocrawl.core.urls.identity import fingerprint, is_of
from evocrawl.extraction.dates import parse_date
from evocrawl.store.archive import Archive
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.keys import RedisAddress, is_shared

if TYPE_CHECKING:
    from pathlib import Path

    from evocrawl.core.config.config import Config
    from evocrawl.core.model import Fingerprint
    from evocrawl.extraction import ParsedPage

logger = logging.getLogger(__name__)

_AHEAD_S = 86_400.0
TIMEOUT_S = 5.0
"""Longest time that a Redis may take for an answer; then pages are requested again."""
_UNKEPT = frozenset(("set-cookie", "set-cookie2"))
"""Headers left out: cookies of the earlier crawl would replace those of this one."""


def earlier_pages_of(config: Config, state_path: Path | None) -> EarlierPages | None:
    """Return the pages of the crawl that the option `since` names, None without it.

    Raises SettingError, also if it is the store of this crawl.
    """
    since, own = config.since, str(state_path or config.store)
    if not since:
        return None
    if own and is_shared(since) == is_shared(own) and _place(since) == _place(own):
        allowed = "the store of another crawl, and this is the crawl's own"
        raise SettingError("since", since, allowed)
    return EarlierPages(since)


def _place(store: str) -> object:
    """Return what stores have in common that are one, however their addresses are written."""
    if not is_shared(store):
        return os.path.realpath(store)
    try:
        address = RedisAddress.of(store)
    except StateError:
        return store
    parts = [urlsplit(each) for each in address.urls]
    first = parts[0]
    database = dict(parse_qsl(first.query)).get("db") or first.path.strip("/") or "0"
    where = database if not address.is_by_socket else first.path
    hosts = {(each.hostname or "localhost", each.port or 6379) for each in parts}
    return hosts, where, address.name


class EarlierPages:
    """The pages of the earlier crawl `store`, and the dates of changes from their sites.

    The store is a file, or the address of a Redis. Only dates from a page's own site count, and of
    two dates the later one. Keeps 100 bytes for each page of the earlier crawl with a known date.
    Raises SettingError.
    """

    def __init__(self, store: str) -> None:
        allowed = "the store of an earlier crawl with store_bodies=true: a file, or a Redis address"
        try:
            self._archive = SharedArchive(store, TIMEOUT_S) if is_shared(store) else Archive(store)
            has_answers = self._archive.has_answers()
        except StateError as error:
            raise SettingError("since", store, f"{allowed} ({error})") from error
        if not has_answers:
            self._archive.close()
            raise SettingError("since", store, f"{allowed}; this one has no responses")
        self._changed_by_s: dict[Fingerprint, float] = {}
        self._has_failed = False

    def close(self) -> None:
        """Close the earlier crawl."""
        self._archive.close()

    def note(self, url: str, changed_by_s: float | None) -> None:
        """Note the latest change of a page that its own site gives."""
        if changed_by_s is None or self._has_failed:
            return
        try:
            page = fingerprint(url)
            if page in self._changed_by_s or self._archive.has_answer_of(url):
                self._changed_by_s[page] = max(changed_by_s, self._changed_by_s.get(page, 0.0))
        except ValueError:
            return
        except StateError as error:
            self._fail(error)

    def note_entries(self, url: str, reading: ParsedPage) -> None:
        """Note the dates of a sitemap or feed that was read at `url`."""
        for position, changed_by_s in reading.changes:
            link = reading.links[position]
            if is_of(url, link.url):
                self.note(link.url, changed_by_s)

    def unchanged(self, url: str, now_s: float) -> RawResponse | None:
        """Return the earlier response of a page that has not changed since; None for others.

        A date more than a day in the future does not count.
        """
        try:
            page = fingerprint(url)
        except ValueError:
            return None
        changed_by_s = self._changed_by_s.get(page)
        if changed_by_s is None or changed_by_s > now_s + _AHEAD_S:
            return None
        try:
            dated = self._archive.dated_answer_of(url)
        except StateError as error:
            self._fail(error)
            return None
        return None if dated is None else _if_later(*dated, changed_by_s)

    def _fail(self, error: StateError) -> None:
        logger.warning("since: cannot read the earlier crawl; requesting all pages now: %s", error)
        self._has_failed = True
        self._changed_by_s.clear()


def _if_later(fetched_at: str, answer: RawResponse, changed_by_s: float) -> RawResponse | None:
    """Return the response, with a Date, if it is later than the last change."""
    fetched = datetime.fromisoformat(fetched_at)
    dates = [value for name, value in answer.headers if name.lower() == "date"]
    dated_s = parse_date(dates[0]) if dates else None
    at_s = min(fetched.timestamp(), dated_s or fetched.timestamp())
    status = answer.status_line.split(" ", 2)[1:2]
    if changed_by_s >= at_s or not (status and status[0].isdecimal() and has_page(int(status[0]))):
        return None
    headers = tuple(
        (name, value)
        for name, value in answer.headers
        if name.lower() not in _UNKEPT and (dated_s is not None or name.lower() != "date")
    )
    if dated_s is None:
        date = format_datetime(fetched.astimezone(UTC), usegmt=True)
        headers = (*headers, ("Date", date))
    return RawResponse(answer.status_line, headers, answer.body)
