"""Costly pages are read in a process that is killed when it takes too long."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evocrawl.extraction import Document, ReadingProcess, is_costly, read
from evocrawl.extraction.subprocess import client

URL = "http://a.test/"
PAGE = Document(b"<title>t</title><p>text<a href=/1>one</a>", URL, "text/html", is_html=True)
SLOW = Document(b"<a href='http://\xc3\xa9.test/%d'>x<p>" * 50_000, URL, "text/html", is_html=True)


@contextmanager
def reading_within(limit_s: float) -> Iterator[ReadingProcess]:
    reader = ReadingProcess(limit_s)
    try:
        yield reader
    finally:
        reader.close()


def pid_of(reader: ReadingProcess) -> int:
    assert reader._process is not None
    return reader._process.pid


def test_a_page_is_read_alike_in_one_process_that_stays() -> None:
    """Links, words and dates are the same as without the process."""
    with reading_within(60) as reader:
        assert reader.read(PAGE) == read(PAGE)
        first = pid_of(reader)
        assert reader.read(Document(b"%PDF-", URL)) == read(Document(b"%PDF-", URL))
        assert pid_of(reader) == first
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


@pytest.mark.parametrize("counts", ["processor time", "clock"])
def test_r15_a_page_that_takes_too_long_is_given_up_and_the_next_one_is_read(
    monkeypatch: pytest.MonkeyPatch, counts: str
) -> None:
    """R15: the process is ended, and another one takes its place.

    Also after a time by the clock.
    """
    with reading_within(60) as reader:
        reader.read(PAGE)
        first = pid_of(reader)
        monkeypatch.setattr(client, "_WALL_LIMITS", 1e6 if counts == "processor time" else 1e-3)
        reader._limit_s = 0.01 if counts == "processor time" else 1
        assert reader.read(SLOW).unread == client.TOO_LONG
        monkeypatch.undo()
        reader._limit_s = 60
        assert reader.read(PAGE) == read(PAGE)
        assert pid_of(reader) != first


def test_a_busy_machine_does_not_shorten_the_time_of_a_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only the time that the page itself takes counts, not that of a process that is stopped."""
    with reading_within(0.5) as reader:
        reader.read(PAGE)
        send = client.protocol.send

        def pause(frames: object, *contents: bytes) -> None:
            os.kill(pid_of(reader), signal.SIGSTOP)
            send(frames, *contents)  # type: ignore[arg-type]
            time.sleep(1)
            os.kill(pid_of(reader), signal.SIGCONT)

        monkeypatch.setattr(client.protocol, "send", pause)
        assert reader.read(PAGE) == read(PAGE)


def test_r16_a_page_that_crashes_the_process_does_not_end_the_crawl(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R16: a parser that crashes ends its process only."""
    with reading_within(60) as reader:
        reader.read(PAGE)
        send = client.protocol.send

        def crash(frames: object, *contents: bytes) -> None:
            send(frames, *contents)  # type: ignore[arg-type]
            os.kill(pid_of(reader), signal.SIGSEGV)

        monkeypatch.setattr(client.protocol, "send", crash)
        assert reader.read(SLOW).unread == client.BROKE
        monkeypatch.undo()
        assert reader.read(PAGE) == read(PAGE)


def test_a_process_that_was_killed_while_idle_is_replaced() -> None:
    """The kernel kills it when memory runs out."""
    with reading_within(60) as reader:
        reader.read(PAGE)
        assert reader._process is not None
        reader._process.kill()
        reader._process.wait()
        assert reader.read(PAGE) == read(PAGE)


def test_a_page_is_unread_if_no_process_can_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result gives the reason."""
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with reading_within(60) as reader:
        assert reader.read(PAGE).unread == client.CANNOT


@pytest.mark.parametrize(
    ("body", "costly"),
    [
        (b"<p>word</p>" * 1_000, False),
        (b"word " * 30_000, False),
        (b"word " * 50_000, True),
        (b"<br>" * 5_000, True),
        (b"<A href=/1>x</A>" * 500, True),
        (b"<a href=/1>x</a>" * 300, False),
        ("<a href=/é>x</a>".encode() * 300, True),
        (b"<a href=/&#233;&#233;>x</a>" * 300, True),
        (b"<iFrame src=/1>" * 500, True),
        (b"<x xml:base='y/'/>" * 500, True),
        (b"&" * 30_000, True),
        ("<p>".encode("utf-16") * 100, True),
        (b"\x1f\x8b\x08", True),
        (b"", False),
    ],
)
def test_costly_pages_are_recognised_by_their_bytes(body: bytes, costly: bool) -> None:
    """R15: ordinary pages are small, with few tags and links."""
    assert is_costly(Document(body, URL)) == costly


def test_pdf_is_costly_where_it_is_read() -> None:
    """The time that a PDF takes is not known in advance."""
    pytest.importorskip("pypdf")
    assert is_costly(Document(b"%PDF-1.7", URL))
