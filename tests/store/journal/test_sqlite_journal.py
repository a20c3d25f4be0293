"""The journal has all committed operations of its crawl, and no others."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sqlite_states import ABOUT, landed, page, read, written

from evocrawl.core.fetch import RawResponse
from evocrawl.core.model import (
    Content,
    Cost,
    Dead,
    Dropped,
    Fetched,
    Link,
    Outcome,
    Page,
    Refused,
)
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.journal.codec import NoPayloads, OperationCodec
from evocrawl.store.journal.operations import (
    CallbackContinued,
    CallbackEnded,
    Chosen,
    Claimed,
    GivenBack,
    HostHeld,
    HostLocated,
    Limited,
    Linked,
    Op,
    OriginClosed,
    OriginOpened,
    Placed,
    Released,
    RunStarted,
    Spent,
    VisitRepeated,
    VisitSettled,
    WentOn,
)
from evocrawl.store.journal.sqlite_journal import SqliteJournal

URLS = st.sampled_from(["http://a.test/", "http://b.test/x?q=1", "https://c.test/ü"])
KEYS = st.binary(min_size=12, max_size=12)
TEXTS = st.text(st.characters(codec="utf-8") | st.just("\ud800") | st.just("\0"), max_size=30)
SECONDS = st.floats(0, 1e9)
VISITS = st.integers(1, 2**40)
COSTS = st.builds(Cost, SECONDS, SECONDS, st.integers(0, 2**40), st.integers(0, 99))


LINKS = st.lists(
    st.builds(
        lambda url, *rest: Link(url, fingerprint(url), *rest),
        URLS, TEXTS, TEXTS, st.lists(TEXTS, max_size=2).map(tuple), st.integers(0, 999), TEXTS,
    )
    | st.builds(Link, URLS, KEYS)
    | st.builds(lambda url, key, slot: Link(url, key, slot=slot),
                URLS, KEYS | st.binary(min_size=1, max_size=20), st.just("") | TEXTS),
    max_size=4,
).map(tuple)  # fmt: skip


CONTENTS = st.builds(
    Content, TEXTS, TEXTS, TEXTS, st.lists(TEXTS, max_size=2).map(tuple), st.none() | SECONDS
)
PAGES = st.builds(
    Page, URLS, KEYS, st.floats(0, 1), st.floats(-9, 9), LINKS, st.binary(max_size=16), CONTENTS
)


OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(
    st.builds(Fetched, PAGES, COSTS),
    st.builds(Dead, TEXTS, COSTS),
    st.builds(Refused, COSTS, TEXTS),
    st.builds(Dropped, TEXTS),
)


OPS: st.SearchStrategy[Op] = st.one_of(
    st.builds(RunStarted, st.none() | st.integers(0, 99), VISITS, st.tuples(st.integers(1, 9),
    SECONDS)), st.builds(Placed, LINKS),
    st.builds(Linked, KEYS, LINKS),
    st.builds(Chosen, SECONDS),
    st.builds(Chosen, SECONDS, st.lists(st.none() | TEXTS.filter(bool), max_size=3).map(
        lambda origins: tuple(origins) if any(origins) else ()), VISITS, KEYS),
    st.builds(Limited, TEXTS, st.integers(1, 99), SECONDS),
    st.builds(HostHeld, TEXTS, SECONDS),
    st.builds(HostLocated, TEXTS, TEXTS, st.integers(1, 99)),
    st.builds(OriginOpened, TEXTS),
    st.builds(OriginClosed, TEXTS),
    st.builds(Spent, st.none() | VISITS),
    st.builds(Claimed, VISITS, KEYS),
    st.builds(Released, KEYS),
    st.builds(VisitSettled, VISITS, OUTCOMES),
    st.builds(GivenBack, VISITS, st.just("") | TEXTS),
    st.builds(WentOn, VISITS, TEXTS, SECONDS),
    st.builds(CallbackContinued, VISITS),
    st.builds(CallbackEnded, VISITS),
    st.builds(VisitRepeated, VISITS),
)  # fmt: skip


def rows(path: Path, query: str) -> list[Any]:
    with sqlite3.connect(path) as database:
        found = list(database.execute(query))
    database.close()
    return found


@given(OPS)
def test_an_operation_is_read_as_it_was_written(op: Op) -> None:
    """Floats to the last bit, texts with any character that a page may hold."""
    packer = OperationCodec(NoPayloads())
    content = None
    if isinstance(op, VisitSettled) and isinstance(op.outcome, Fetched):
        content = packer.pack_content(op.outcome.page)
    assert packer.unpack(packer.pack(op, content and b"digest"), content) == op


def test_committed_operations_are_read_in_order(tmp_path: Path) -> None:
    """Others are not read."""
    ops = [Spent(1), landed(page()), Chosen(2.0), Spent(None)]
    journal = SqliteJournal(tmp_path / "s", ABOUT)
    for op in ops:
        journal.append(op)
    journal.commit()
    journal.append(Spent(9))
    journal.close()
    journal.append(Spent(10))
    assert read(tmp_path / "s") == ops


def test_a_page_is_recorded_once(tmp_path: Path) -> None:
    """Visits are counted; content that has changed renews the record, the first finder stays.

    C11.
    """
    again, other = page(), page(text="bleached", version=b"2")
    written(tmp_path / "s", landed(page(), 1), landed(again, 2), landed(other, 3, status=203))
    written(tmp_path / "s", landed(other, 4))
    query = "SELECT visit, visits, status, anchor, version FROM pages"
    assert rows(tmp_path / "s", query) == [(1, 4, 203, "an anchor ?", b"2")]
    assert rows(tmp_path / "s", "SELECT count(*) FROM contents") == [(2,)]


def test_equal_contents_are_stored_once(tmp_path: Path) -> None:
    """Mirrors and empty pages take the room of one page."""
    written(tmp_path / "s", landed(page()), landed(page("http://b.test/")))
    assert rows(tmp_path / "s", "SELECT count(*) FROM contents") == [(1,)]
    assert rows(tmp_path / "s", "SELECT count(*) FROM pages") == [(2,)]


def test_responses_are_stored_if_the_details_have_them(tmp_path: Path) -> None:
    """As they were sent."""
    answer = RawResponse("HTTP/1.1 200 OK", (("Content-Type", "text/html"),), b"\x00\xff")
    written(tmp_path / "s", landed(page(), answer=answer))
    stored = ("HTTP/1.1 200 OK", '[["Content-Type", "text/html"]]', b"\x00\xff")
    assert rows(tmp_path / "s", "SELECT status_line, headers, body FROM bodies") == [stored]
