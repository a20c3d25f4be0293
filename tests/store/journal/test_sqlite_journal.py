"""The journal: what is committed is there, and nothing of another crawl is taken for it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.errors import StateError
from evocrawl.core.fetch import FetchDetails, RawResponse
from evocrawl.core.model import (
    Content,
    Cost,
    Dead,
    Dropped,
    Fetched,
    Lead,
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
from evocrawl.store.journal.sqlite_journal import NoJournal, SqliteJournal

ABOUT = {"query": "coral", "seed": 1}
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
    | st.builds(Link, URLS, KEYS),
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
    st.builds(Refused, COSTS),
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


def page(url: str = "http://a.test/", text: str = "coral", version: bytes = b"1") -> Page:
    return Page(url, fingerprint(url), 0.5, 2.0, (), version, Content("title", text, "en"))


def landed(page: Page, visit: int = 1, **reported: Any) -> VisitSettled:
    lead = Lead(page.url, page.fingerprint, "a.test", b"", 2, 0.5, "an anchor \ud800")
    particulars = FetchDetails(7, lead, fetched_at="2026-01-01T00:00:00.000+00:00", **reported)
    return VisitSettled(visit, Fetched(page, Cost(1.5)), particulars)


def written(path: Path, *ops: Op) -> None:
    journal = SqliteJournal(path, ABOUT)
    for op in ops:
        journal.append(op)
    journal.commit()
    journal.close()


def read(path: Path) -> list[Op]:
    journal = SqliteJournal(path, ABOUT)
    try:
        return list(journal.ops())
    finally:
        journal.close()


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


def test_what_is_committed_is_read_in_order(tmp_path: Path) -> None:
    """What is not committed, is not."""
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
    """Mirrors and pages that say nothing take no more room than one."""
    written(tmp_path / "s", landed(page()), landed(page("http://b.test/")))
    assert rows(tmp_path / "s", "SELECT count(*) FROM contents") == [(1,)]
    assert rows(tmp_path / "s", "SELECT count(*) FROM pages") == [(2,)]


def test_answers_are_stored_if_the_details_have_them(tmp_path: Path) -> None:
    """As they were on the wire."""
    answer = RawResponse("HTTP/1.1 200 OK", (("Content-Type", "text/html"),), b"\x00\xff")
    written(tmp_path / "s", landed(page(), answer=answer))
    stored = ("HTTP/1.1 200 OK", '[["Content-Type", "text/html"]]', b"\x00\xff")
    assert rows(tmp_path / "s", "SELECT status_line, headers, body FROM bodies") == [stored]


def test_the_state_of_another_crawl_is_refused(tmp_path: Path) -> None:
    """R6: every difference is named, with both values."""
    written(tmp_path / "s", Spent(1))
    with pytest.raises(StateError, match='query was "coral", is "fish"; seed was 1, is 2'):
        SqliteJournal(tmp_path / "s", {"query": "fish", "seed": 2})
    with pytest.raises(StateError, match="seed was 1, is not set"):
        SqliteJournal(tmp_path / "s", {"query": "coral"})
    assert read(tmp_path / "s") == [Spent(1)]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    """Another program's database, and a file that is no database, stay as they are."""
    with sqlite3.connect(tmp_path / "other") as database:
        database.execute("CREATE TABLE mine (x)")
    database.close()
    (tmp_path / "text").write_text("not a database, certainly not one\n" * 99)
    for name, problem in (("other", "not a state of evocrawl"), ("text", "not a database")):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(StateError, match=f"{name}: .*{problem}"):
            SqliteJournal(tmp_path / name, ABOUT)
        assert (tmp_path / name).read_bytes() == before


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    """C7: both versions are named."""
    written(tmp_path / "s", Spent(1))
    with sqlite3.connect(tmp_path / "s") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StateError, match="of version 99, this evocrawl knows 2"):
        SqliteJournal(tmp_path / "s", ABOUT)


def test_a_state_in_use_is_refused(tmp_path: Path) -> None:
    """C6: by this process and by another; it is free once the other has ended."""
    first = SqliteJournal(tmp_path / "s", ABOUT)
    with pytest.raises(StateError, match="another process is using"):
        SqliteJournal(tmp_path / "s", ABOUT)
    code = (
        "import sys; from evocrawl.store.journal.sqlite_journal import SqliteJournal\n"
        "SqliteJournal(sys.argv[1], {'query': 'coral', 'seed': 1})"
    )
    line = [sys.executable, "-c", code, str(tmp_path / "s")]
    other = subprocess.run(line, capture_output=True, text=True, check=False)
    assert "another process is using" in other.stderr
    first.close()
    assert subprocess.run(line, check=False, capture_output=True).returncode == 0


def test_a_state_left_half_made_is_made_anew(tmp_path: Path) -> None:
    """B061: a process that dies at once leaves an empty file."""
    (tmp_path / "s").touch()
    assert read(tmp_path / "s") == []


def test_a_torn_tail_costs_what_was_in_it(tmp_path: Path) -> None:
    """R4, C4, B059: the rest is there, in order."""
    journal = SqliteJournal(tmp_path / "s", ABOUT)
    for number in range(50):
        journal.append(Spent(number))
        journal.commit()
    copy = tmp_path / "copy"
    copy.write_bytes((tmp_path / "s").read_bytes())
    wal = (tmp_path / "s-wal").read_bytes()
    Path(f"{copy}-wal").write_bytes(wal[: len(wal) * 2 // 3])
    journal.close()
    survivors = read(copy)
    assert 0 < len(survivors) < 50
    assert survivors == [Spent(number) for number in range(len(survivors))]


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """C10, B059: whether SQLite sees it or an entry makes no sense."""
    written(tmp_path / "s", *[landed(page(f"http://a.test/{n}", "x" * n)) for n in range(400)])
    whole = (tmp_path / "s").read_bytes()
    (tmp_path / "s").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StateError, match="malformed"):
        read(tmp_path / "s")
    written(tmp_path / "t", Spent(1))
    with sqlite3.connect(tmp_path / "t") as database:
        database.execute("UPDATE ops SET kind = 'settle'")
    database.close()
    with pytest.raises(StateError, match="cannot be read"):
        read(tmp_path / "t")


def test_a_full_disk_is_an_error_and_costs_nothing_committed(tmp_path: Path) -> None:
    """R7, C5: nothing is kept after the first failure: a journal has no holes."""
    journal = SqliteJournal(tmp_path / "s", ABOUT)
    journal.append(Spent(1))
    journal.commit()
    journal._database.execute("PRAGMA max_page_count = 1")
    for number in range(200):
        journal.append(landed(page(f"http://a.test/{number}", os.urandom(999).hex())))
    with pytest.raises(StateError, match="full"):
        journal.commit()
    journal.append(Spent(2))
    journal.commit()
    assert read(tmp_path / "s") == [Spent(1)]


def test_links_with_payloads_need_a_codec_for_them(tmp_path: Path) -> None:
    """Nothing is stored that could not be read."""
    journal = SqliteJournal(tmp_path / "s", ABOUT)
    link = replace(Link("http://a.test/", b"x" * 12), payload=object())
    with pytest.raises(StateError, match="carries object"):
        journal.append(Placed((link,)))
    journal.close()


def test_no_journal_keeps_nothing() -> None:
    """A crawl that lives in memory alone takes the same way."""
    journal = NoJournal()
    journal.append(Spent(1))
    journal.commit()
    assert list(journal.ops()) == []
    journal.close()
