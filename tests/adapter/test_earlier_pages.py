"""Which pages of an earlier crawl count as unchanged, by the dates that sites give."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_crawls import SEED, StoredCrawl

from evocrawl.adapter.earlier_pages import EarlierPages, earlier_pages_of
from evocrawl.core.config.config import Config
from evocrawl.core.errors import SettingError
from evocrawl.core.urls.identity import fingerprint
from evocrawl.extraction import Document, read

NOW_S = datetime.fromisoformat("2026-02-01T00:00:00+00:00").timestamp()
FETCHED_S = datetime.fromisoformat("2026-01-02T03:00:01+00:00").timestamp()
DAY_S = 86_400.0


def _store(folder: Path, headers: object = (), status: str = "HTTP/1.1 200 OK") -> Path:
    crawl = StoredCrawl(folder / "crawl.sqlite", budget=3)
    path = crawl.run()
    crawl.close()
    with sqlite3.connect(path) as database:
        row = (fingerprint(SEED), status, json.dumps(headers), b"<p>coral")
        database.execute("INSERT INTO bodies VALUES (?, ?, ?, ?)", row)
    database.close()
    return path


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EarlierPages]:
    pages = EarlierPages(str(_store(tmp_path_factory.mktemp("s"), [["Set-Cookie", "a=1"]])))
    yield pages
    pages.close()


@pytest.mark.parametrize(
    ("changed_by_s", "is_unchanged"),
    [
        (None, False), (0.0, True), (FETCHED_S - 1, True), (FETCHED_S, False),
        (FETCHED_S + 1, False), (NOW_S + 2 * DAY_S, False), (float("inf"), False), (-1e18, True),
    ],
)  # fmt: skip
def test_a_page_is_unchanged_if_its_last_change_is_before_its_fetch(
    earlier: EarlierPages, changed_by_s: float | None, is_unchanged: bool
) -> None:
    """At the same moment it may have changed."""
    earlier._changed_by_s.clear()
    earlier.note(SEED, changed_by_s)
    answer = earlier.unchanged(SEED, NOW_S)
    assert (answer is not None) == is_unchanged
    if answer is not None:
        assert answer.headers == (("Date", "Fri, 02 Jan 2026 03:00:01 GMT"),)
        assert answer.body == b"<p>coral"


def test_the_later_of_two_dates_counts(earlier: EarlierPages) -> None:
    earlier._changed_by_s.clear()
    for changed_by_s in (0.0, FETCHED_S + 1, 1.0, None):
        earlier.note(SEED, changed_by_s)
    assert earlier.unchanged(SEED, NOW_S) is None


@pytest.mark.parametrize(
    "url", ["", "mailto:a", "http://[", "http://b.test/1", "\0", "http://a.test/9"]
)
def test_pages_that_the_earlier_crawl_does_not_have_take_no_memory(
    earlier: EarlierPages, url: str
) -> None:
    earlier._changed_by_s.clear()
    earlier.note(url, 0.0)
    assert earlier.unchanged(url, NOW_S) is None
    assert earlier._changed_by_s == {}


def test_a_site_cannot_give_dates_for_another(earlier: EarlierPages) -> None:
    body = f"<urlset><url><loc>{SEED}</loc><lastmod>2020-01-01</lastmod></url></urlset>".encode()
    for url, is_believed in (("http://evil.test/map.xml", False), (f"{SEED}map.xml", True)):
        earlier._changed_by_s.clear()
        earlier.note_entries(url, read(Document(body, url, "text/xml")))
        assert (earlier.unchanged(SEED, NOW_S) is not None) == is_believed


@given(st.text(max_size=60))
def test_no_date_that_a_site_writes_is_an_error(earlier: EarlierPages, date: str) -> None:
    body = f"<urlset><url><loc>{SEED}</loc><lastmod><![CDATA[{date}]]></lastmod></url></urlset>"
    earlier.note_entries(SEED, read(Document(body.encode("utf-8", "replace"), SEED, "text/xml")))
    earlier.unchanged(SEED, NOW_S)


@pytest.mark.parametrize(
    ("headers", "status", "is_unchanged"),
    [
        ([["Date", "Thu, 01 Jan 2026 00:00:00 GMT"]], "HTTP/1.1 200 OK", False),
        ([["Date", "Fri, 02 Jan 2026 03:00:00 GMT"]], "HTTP/1.1 200 OK", True),
        ([["Date", "soon"]], "HTTP/1.1 200 OK", True),
        ([["Date", "Fri, 01 Jan 2100 00:00:00 GMT"]], "HTTP/1.1 200 OK", True),
        ([], "HTTP/1.1 404 Not Found", False), ([], "HTTP/1.1", False), ([], "", False),
    ],
)  # fmt: skip
def test_the_date_of_the_response_counts_if_it_is_earlier(
    tmp_path: Path, headers: object, status: str, is_unchanged: bool
) -> None:
    pages = EarlierPages(str(_store(tmp_path, headers, status)))
    pages.note(SEED, FETCHED_S - DAY_S / 2)
    answer = pages.unchanged(SEED, NOW_S)
    pages.close()
    assert (answer is not None) == is_unchanged
    if answer is not None:
        assert [name for name, _ in answer.headers] == ["Date"]


def test_a_store_without_responses_is_refused(tmp_path: Path) -> None:
    crawl = StoredCrawl(tmp_path / "crawl.sqlite", budget=3)
    crawl.close()
    with pytest.raises(SettingError, match="this one has no responses"):
        EarlierPages(str(tmp_path / "crawl.sqlite"))
    files = (str(tmp_path / "none.sqlite"), str(tmp_path))
    for wrong in (*files, "redis://127.0.0.1:1/0", "redis://["):
        with pytest.raises(SettingError, match="the store of an earlier crawl with store_bodies"):
            EarlierPages(wrong)


@pytest.mark.parametrize(
    ("since", "store", "state"),
    [
        ("{}/a.sqlite", "", "{}/x/../a.sqlite"),
        ("redis://localhost", "redis://LOCALHOST:6379/0?crawl=evocrawl", None),
        ("redis://u:p@h.test/2?crawl=a", "redis://h.test:6379/2?crawl=a", None),
        ("unix:///run/redis.sock", "unix://p@/run/redis.sock", None),
    ],
)
def test_the_crawls_own_store_is_no_earlier_crawl(
    tmp_path: Path, since: str, store: str, state: str | None
) -> None:
    config = Config(query="a", since=since.format(tmp_path), store=store)
    path = None if state is None else Path(state.format(tmp_path))
    with pytest.raises(SettingError, match="this is the crawl's own"):
        earlier_pages_of(config, path)
