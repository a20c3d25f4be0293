"""A recording holds what visits met, and can be read however it ended."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.fetch import KNOWN, Fetch
from evocrawl.core.model import Content, Cost, Dead, Fetched, Lead, Link, Page, Refused, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.frontier import MemoryPageBase
from evocrawl.simulation.worlds.recorded import Recorded
from evocrawl.simulation.worlds.recording_head import Head
from evocrawl.simulation.worlds.world_file import WorldError, read_lines
from evocrawl.store.export.recording import Recording, RecordingError

ENDINGS = pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".jsonl.zst"])
TIMEOUT_S = 60.0
NOTHING = Content()


def fetch_of(url: str, *, identity: bytes | None = None) -> Fetch:
    key = fingerprint(url) if identity is None else identity
    made = Fetch(Visit(1, 1, Lead(url, key, "", b"", 0, 0.0), 0.0), url, key)
    made.requests, made.seconds = 1, 0.5
    return made


def fetched(url: str, content: Content = NOTHING, links: tuple[Link, ...] = ()) -> Fetched:
    page = Page(url, fingerprint(url), 0.5, 0.0, links, content=content)
    return Fetched(page, Cost())


def url(name: object) -> str:
    return f"http://reef.test/{name}"


def begun(path: Path) -> Recording:
    recording = Recording(path, {"query": "reef"}, TIMEOUT_S)
    recording.begin()
    return recording


def rows(path: Path) -> dict[str, dict[str, Any]]:
    return {row.pop("url"): row for _, row in read_lines(path) if "url" in row}


@ENDINGS
def test_what_was_written_is_there_before_the_next_line(tmp_path: Path, ending: str) -> None:
    """A crawl that is killed has not closed its file."""
    path = tmp_path / f"reef{ending}"
    recording = begun(path)
    for number in range(3):
        recording.note(fetch_of(url(number)), fetched(url(number)))
        assert len(Recorded.read(path)) == number + 1
    recording.close()
    assert [page.url for page in Recorded.read(path).documents()] == [url(n) for n in range(3)]


@ENDINGS
def test_a_recording_cut_anywhere_is_read_up_to_there(
    tmp_path: Path, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Of another file, a line that is cut short is an error."""
    path, cut = tmp_path / f"reef{ending}", tmp_path / "cut.jsonl"
    recording = begun(path)
    sizes = [path.stat().st_size]
    for number in range(3):
        recording.note(fetch_of(url(number)), fetched(url(number), Content(text="reef " * 9)))
        sizes.append(path.stat().st_size)
    recording.close()
    whole = path.read_bytes()
    for end in range(sizes[1], sizes[-1]):
        cut.write_bytes(whole[:end])
        least = sum(size <= end for size in sizes[1:])
        assert least <= len(Recorded.read(cut)) <= 3
    # zstd gives out whole blocks, and a short line is one: nothing is left to warn of.
    warned = any(record.levelno == logging.WARNING for record in caplog.records)
    assert warned == (ending != ".jsonl.zst")
    cut.write_text(json.dumps({"url": url(1)}) + '\n{"url":')
    with pytest.raises(WorldError):
        Recorded.read(cut)


@given(words=st.text(max_size=30), anchor=st.text(max_size=9))
def test_any_text_is_text_again(
    tmp_path_factory: pytest.TempPathFactory, words: str, anchor: str
) -> None:
    """Quotes, line ends and lone surrogates end no line; NUL parts no words."""
    path = tmp_path_factory.mktemp("recording") / "reef.jsonl"
    recording = begun(path)
    link = Link(url("b"), fingerprint(url("b")), anchor, words)
    recording.note(fetch_of(url("a")), fetched(url("a"), Content(words, words, "en"), (link,)))
    recording.close()
    (page,) = Recorded.read(path).documents()
    seen = words.encode("utf-8", "replace").decode()
    assert (page.title, page.text, page.language) == (seen, seen, "en")
    assert page.links[0].context == seen.replace("\0", " ")


def test_hops_errors_and_refusals_have_lines(tmp_path: Path) -> None:
    """What a crawl learned of an address without reading a page of it."""
    path = tmp_path / "reef.jsonl"
    recording = begun(path)
    base = MemoryPageBase()
    moved = fetch_of(url("old"))
    assert moved.moves_to(url("new"), base)
    recording.note(moved, fetched(url("new")))
    known = fetch_of(url("older"))
    assert not known.moves_to(url("new"), base)
    recording.note(known, Dead(KNOWN, Cost()))
    recording.note(fetch_of(url("no")), Refused(Cost()))
    for name, reason in enumerate(
        ("status 404", "status 999", "no HTML", "TimeoutError", "DNSLookupError", "over budget")
    ):
        recording.note(fetch_of(url(name)), Dead(reason, Cost()))
    recording.close()
    lines = rows(path)
    assert lines[url("old")]["redirect_to"] == lines[url("older")]["redirect_to"] == url("new")
    assert "text" in lines[url("new")]
    assert lines[url("no")] == {"robots": "disallow"}
    assert [lines[url(name)].get("status") for name in range(5)] == [404, 502, 415, None, 502]
    assert url(5) not in lines
    world = Recorded.read(path)
    assert world.timeout_s == TIMEOUT_S
    timeout = world.fetch(url(3), 0.0)
    assert isinstance(timeout, Dead)
    assert timeout.reason == "timeout"
    assert len(world) == 1


def test_an_address_is_written_once_and_a_form_never(tmp_path: Path) -> None:
    """The answer to a form is no page of the form's address."""
    path = tmp_path / "reef.jsonl"
    recording = begun(path)
    recording.note(fetch_of(url("a")), fetched(url("a"), Content("first")))
    recording.note(fetch_of(url("a")), fetched(url("a"), Content("second")))
    recording.note(fetch_of(url("form"), identity=b"form"), fetched(url("form")))
    recording.close()
    assert [page.title for page in Recorded.read(path).documents()] == ["first"]


def test_a_file_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    """An empty one is taken."""
    path = tmp_path / "reef.jsonl"
    path.touch()
    begun(path).close()
    with pytest.raises(RecordingError, match="not overwritten"):
        begun(path)


def test_a_file_that_is_no_recording_of_this_version_is_recognised(tmp_path: Path) -> None:
    """Another world file has no head; one of a later version is refused."""
    path = tmp_path / "reef.jsonl"
    path.write_text(json.dumps({"url": url("a")}) + "\n")
    assert Head.read(path) is None
    assert not Recorded.read(path).answer(url("b"), 0.0).is_unknown
    path.write_text(json.dumps({"recording": {"version": 2}}) + "\n")
    with pytest.raises(WorldError, match="line 1: version"):
        Recorded.read(path)
