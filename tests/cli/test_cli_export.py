"""`evocrawl export`: each page once, and nothing in it harms who opens the file."""

from __future__ import annotations

import csv
import gzip
import json
import os
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from processes import Process
from processes import start as start_program

from evocrawl.cli import main
from evocrawl.core.fetch import FetchDetails, RawResponse
from evocrawl.core.model import Content, Cost, Dead, Fetched, Lead, Link, Outcome, Page, Refused
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.store.journal.operations import Chosen, Op, Placed, VisitSettled
from evocrawl.store.journal.sqlite_journal import SqliteJournal

TESTS = Path(__file__).parents[1]
DATE = "2026-01-02T03:04:05.678+00:00"
A, B, C, D, MOVED = (f"http://{name}.test/" for name in ("a", "b", "c", "d", "moved"))
BODY = gzip.compress(b"<p>coral")


def link(url: str, anchor: str = "") -> Link:
    return Link(url, fingerprint(url), anchor)


def landed(visit: int, url: str, outcome: Outcome, anchor: str = "") -> Iterator[Op]:
    key = fingerprint(url)
    yield Chosen(float(visit), (), visit, key)
    headers = (("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"), ("X", "a\r\n b"))
    answer = RawResponse("HTTP/1.1 200 OK", headers, BODY) if visit == 1 else None
    lead = Lead(url, key, "", b"", visit - 1, 0.5, anchor)
    details = FetchDetails(7, lead, 200, DATE, A, answer)
    if visit == 3:
        details = replace(
            details,
            duplicate_of="=A",
            truncated=("links", "depth"),
            published_at=DATE,
            changed_at=DATE,
        )
    yield VisitSettled(visit, outcome, details)


def page(url: str, *links: Link, title: str = "title", text: str = "coral") -> Page:
    content = Content(title, text, "en", ("json-ld", "rdfa"))
    return Page(url, fingerprint(url), 0.5, -2.0, links, text[:5].encode(), content)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A crawl: A, B twice, C that moved, D that is dead, and one that is forbidden."""
    about = {
        "query": "coral", "species": "energy", "seed": 3, "seeds": [A], "evocrawl": "0.1.0",
        "DOWNLOAD_TIMEOUT": 9.0,
    }  # fmt: skip
    journal = SqliteJournal(tmp_path / "crawl.sqlite", about)
    forbidden = "http://forbidden.test/"
    links = (link(B, "=HYPERLINK(1)"), link(C), link(D), link(forbidden), link("http://e.test/"))
    second = page(B, link(A), title="@SUM(1)", text="-1+2 \ud800")
    changed = replace(second, version=b"other", relevance=0.75)
    for op in (
        Placed((link(A),)),
        *landed(1, A, Fetched(page(A, *links), Cost(1.5, requests=1))),
        *landed(2, B, Fetched(second, Cost(2.0, requests=1)), "=HYPERLINK(1)"),
        *landed(3, C, Fetched(page(MOVED, text="other"), Cost(2.0, requests=2)), "+1"),
        *landed(4, D, Dead("status 404", Cost(0.5, requests=1))),
        *landed(5, forbidden, Refused(Cost())),
        *landed(6, B, Fetched(changed, Cost(1.0, requests=1))),
    ):
        journal.append(op)
    journal.commit()
    journal.close()
    return tmp_path / "crawl.sqlite"


def export(state: Path, format_: str, out: Path) -> Path:
    assert main(["export", str(state), "--format", format_, "--out", str(out)]) == 0
    assert [each.name for each in out.parent.iterdir() if each.name.endswith(".part")] == []
    return out


def read(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_json_lines(state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """C11: every page once, by its first visit and its latest content, with its links."""
    rows = read(export(state, "jsonl", tmp_path / "o"))
    assert [(row["url"], row["visit"], row["visits"]) for row in rows] == [
        (A, 1, 1), (B, 2, 2), (MOVED, 3, 1),
    ]  # fmt: skip
    first, second, third = rows
    assert first["links"][0] == {"url": B, "anchor": "=HYPERLINK(1)", "rel": ""}
    assert second["relevance"] == 0.75
    assert second["text"] == "-1+2 \ud800"
    assert (second["parent"], second["agent"], second["depth"]) == (A, 7, 1)
    assert (second["status"], second["fetched_at"], second["seconds"]) == (200, DATE, 1.0)
    assert (first["duplicate_of"], first["truncated"], first["changed_at"]) == ("", [], "")
    assert (third["duplicate_of"], third["truncated"]) == ("=A", ["links", "depth"])
    assert (third["formats"], third["published_at"]) == (["json-ld", "rdfa"], DATE)
    assert capsys.readouterr().err == f"3 pages in {tmp_path / 'o'}\n"


def test_no_cell_of_a_csv_is_a_formula(state: Path, tmp_path: Path) -> None:
    """B123: texts that begin as one get an apostrophe; numbers stay numbers."""
    with export(state, "csv", tmp_path / "o").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["anchor"] for row in rows] == ["", "'=HYPERLINK(1)", "'+1"]
    assert rows[1]["title"] == "'@SUM(1)"
    assert rows[1]["text"] == "'-1+2 ?"
    assert rows[1]["energy"] == "-2.0"
    assert (rows[2]["duplicate_of"], rows[2]["truncated"]) == ("'=A", "links depth")


def test_parquet(state: Path, tmp_path: Path) -> None:
    """Typed columns, the same pages."""
    table = pq.read_table(export(state, "parquet", tmp_path / "o"))
    assert table["url"].to_pylist() == [A, B, MOVED]
    assert table["relevance"].to_pylist() == [0.5, 0.75, 0.5]
    assert str(table.schema.field("visit").type) == "int64"
    assert table["truncated"].to_pylist() == [[], [], ["links", "depth"]]


def test_warc(state: Path, tmp_path: Path) -> None:
    """The answers that were kept, as they were on the wire but for the transfer coding."""
    reading = pytest.importorskip("warcio.archiveiterator")
    path = export(state, "warc", tmp_path / "o.warc.gz")
    with path.open("rb") as file:
        records = [
            (record.rec_type, record.rec_headers, record.http_headers, record.raw_stream.read())
            for record in reading.ArchiveIterator(file)
        ]
    assert [kind for kind, *_ in records] == ["warcinfo", "response"]
    _, about, headers, body = records[1]
    assert about["WARC-Target-URI"] == A
    assert about["WARC-Date"] == "2026-01-02T03:04:05Z"
    assert headers.get_statuscode() == "200"
    assert dict(headers.headers) == {
        "Content-Encoding": "gzip", "X": "a  b", "Content-Length": str(len(BODY)),
    }  # fmt: skip
    assert gzip.decompress(body) == b"<p>coral"


def test_a_crawl_without_answers_makes_no_warc(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says what to do."""
    with sqlite3.connect(state) as database:
        database.execute("DELETE FROM bodies")
    database.close()
    out = tmp_path / "o.warc.gz"
    assert main(["export", str(state), "--format", "warc", "--out", str(out)]) == 2
    assert "crawl with store_bodies=true" in capsys.readouterr().err
    assert not out.exists()


def test_a_world_file_replays_the_crawl(state: Path, tmp_path: Path) -> None:
    """Pages, redirects, failures and refusals; what was not fetched is unknown."""
    path = export(state, "world", tmp_path / "w.jsonl")
    head, *rows = read(path)
    assert head["recording"]["query"] == "coral"
    assert head["recording"]["timeout_s"] == 9.0
    by_url = {row["url"]: row for row in rows}
    assert [*by_url] == [A, B, C, MOVED, D, "http://forbidden.test/"]
    assert by_url[C]["redirect_to"] == MOVED
    assert by_url[D]["status"] == 404
    assert by_url["http://forbidden.test/"]["robots"] == "disallow"
    world = open_world(str(path))
    assert len(world) == 3


@pytest.mark.parametrize("content", [None, b"a letter" * 99])
def test_what_is_no_state_is_refused(
    tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """By name, with exit code 2, and nothing is made of it."""
    path = tmp_path / "s"
    if content is not None:
        path.write_bytes(content)
    assert main(["export", str(path), "--out", str(tmp_path / "o")]) == 2
    assert f"error: {path}: " in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    assert path.exists() == (content is not None)


def run(*arguments: object) -> int:
    return main(["export", *map(str, arguments)])


@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet", "warc", "world"])
@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal", "-lock"])
def test_no_export_goes_over_the_crawl(
    state: Path, tmp_path: Path, format_: str, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By any name: its own, a symbolic link, a hard link, a link to the store."""
    before = state.read_bytes()
    target = Path(f"{state}{ending}")
    names = [target, tmp_path / "symbolic"]
    names[1].symlink_to(target)
    if target.exists():
        names.append(tmp_path / "hard")
        names[2].hardlink_to(target)
    through = tmp_path / "through.sqlite"
    through.symlink_to(state)
    for store in (state, through):
        for name in names:
            assert run(store, "--format", format_, "--force", "--out", name) == 2
            assert capsys.readouterr().err == (
                f"evocrawl: error: {name}: this file belongs to the crawl and is not overwritten\n"
            )
    assert state.read_bytes() == before


def test_a_file_that_exists_is_overwritten_by_force(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A symbolic link stays one, its target is written; a missing folder is made."""
    out, link = tmp_path / "sub" / "below" / "o.jsonl", tmp_path / "link"
    link.symlink_to(out)
    assert run(state, "--out", link) == 0
    assert len(read(out)) == 3
    out.write_text("mine")
    out.chmod(0o640)
    assert run(state, "--out", link) == 2
    assert f"error: {link}: this file exists; --force overwrites it" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert run(state, "--force", "--out", link) == 0
    assert link.is_symlink()
    assert len(read(out)) == 3
    assert out.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in out.parent.iterdir()] == ["o.jsonl"]


@pytest.mark.parametrize(
    ("out", "problem"),
    [
        ("", "--out is empty"),
        ("  ", "--out is empty"),
        (".", ".: this is a folder; name a file"),
        ("crawl.sqlite/o.jsonl", "Not a directory"),
        ("a" * 300, "File name too long"),
        ("/dev/fd/987", "this descriptor is not open"),
    ],
)
def test_a_target_that_cannot_be_written_is_named_in_one_line(
    state: Path, out: str, problem: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    """With what is wrong; nothing is made."""
    monkeypatch.chdir(state.parent)
    before = sorted(state.parent.iterdir())
    assert run(state, "--out", out) == 2
    printed = capsys.readouterr().err
    assert problem in printed
    assert printed.count("\n") == 1
    assert sorted(state.parent.iterdir()) == before


@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet", "world"])
def test_an_export_can_be_a_stream(state: Path, tmp_path: Path, format_: str) -> None:
    """The command writes to its standard output, a pipe or a file, and leaves it what it is."""
    pipe, into, errors = (tmp_path / name for name in ("pipe", "into", "errors"))
    os.mkfifo(pipe)
    path = {**os.environ, "PYTHONPATH": str(TESTS)}

    def start(name: str, output: Path) -> Process:
        line = ["export", str(state), "--format", format_, "--out", name]
        return start_program("evocrawl_command", line, cwd=tmp_path, environment=path,
                             output=output, errors=errors)  # fmt: skip

    command = start("-", pipe)
    piped = pipe.read_bytes()
    assert command.wait() == 0
    assert pipe.is_fifo()
    assert start("/dev/stdout", into).wait() == 0
    assert into.read_bytes() == piped
    if format_ == "parquet":
        assert len(pq.read_table(into)) == 3
    else:
        assert A in piped.decode()


def test_a_device_stays_a_device(state: Path, tmp_path: Path) -> None:
    """A pipe and a device are written to, and are not replaced by a file."""
    assert run(state, "--out", "/dev/null") == 0
    assert Path("/dev/null").is_char_device()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    assert run(state, "--out", pipe) == 0
    printed, _ = reader.communicate()
    assert len(printed.splitlines()) == 3
    assert pipe.is_fifo()


DAMAGE = {
    "content": "UPDATE contents SET packed = substr(packed, 1, 9) || x'55' || substr(packed, 11)"
    " WHERE digest = (SELECT content FROM pages WHERE visit = 3)",
    "digest": "UPDATE contents SET digest = x'00'"
    " WHERE digest = (SELECT content FROM pages WHERE visit = 3)",
    "text": "UPDATE pages SET anchor = CAST(x'ff' AS TEXT) WHERE visit = 3",
    "number": "UPDATE pages SET relevance = 9e999 WHERE visit = 3",
    "kind": "UPDATE pages SET status = 'many' WHERE visit = 3",
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet", "world"])
def test_a_damaged_page_is_named_and_left_out(
    state: Path,
    tmp_path: Path,
    damage: str,
    format_: str,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The other pages are in the file, and the exit code is 1."""
    with sqlite3.connect(state) as database:
        database.execute(DAMAGE[damage])
    database.close()
    out = tmp_path / "o.jsonl"
    in_journal = damage in ("content", "digest")
    is_met = format_ != "world" or in_journal
    assert run(state, "--format", format_, "--out", out) == int(is_met)
    if is_met:
        assert "entries could not be read" in capsys.readouterr().err
        assert (
            MOVED if format_ != "world" else "of the journal, which cannot be read"
        ) in caplog.text
    if format_ == "jsonl":
        assert [row["url"] for row in read(out)] == [A, B]


def test_any_flipped_bit_leaves_an_export_without_a_traceback(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever in the file it is; what is written is whole lines."""
    whole, out = state.read_bytes(), tmp_path / "o.jsonl"
    codes = Counter[int]()
    for number in range(60):
        flipped = bytearray(whole)
        flipped[number * 7919 % len(whole)] ^= 1 << number % 8
        state.write_bytes(flipped)
        format_ = ("jsonl", "csv", "world", "warc")[number % 4]
        code = run(state, "--format", format_, "--force", "--out", out)
        codes[code] += 1
        if format_ == "jsonl" and code < 2:
            read(out)
    assert codes.keys() <= {0, 1, 2}
    assert "Traceback" not in capsys.readouterr().err
