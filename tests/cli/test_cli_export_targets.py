"""`evocrawl export` writes to files, pipes and devices, and reads damaged stores."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from exported_crawl import MOVED, A, B, read
from processes import Process
from processes import start as start_program

from evocrawl.cli import main

TESTS = Path(__file__).parents[1]


def run(*arguments: object) -> int:
    return main(["export", *map(str, arguments)])


@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet", "warc", "world"])
@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal", "-lock"])
def test_no_export_overwrites_the_store(
    state: Path, tmp_path: Path, format_: str, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By any name: its own, a symbolic link, or a hard link."""
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
    """The target of a symbolic link is written, and the link stays; a missing folder is made."""
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
    """With the reason; no file is made."""
    monkeypatch.chdir(state.parent)
    before = sorted(state.parent.iterdir())
    assert run(state, "--out", out) == 2
    printed = capsys.readouterr().err
    assert problem in printed
    assert printed.count("\n") == 1
    assert sorted(state.parent.iterdir()) == before


@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet", "world"])
def test_an_export_can_be_a_stream(state: Path, tmp_path: Path, format_: str) -> None:
    """The command writes to its standard output, a pipe or a file, and does not replace it."""
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
    """At any place in the file; only whole lines are written."""
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
