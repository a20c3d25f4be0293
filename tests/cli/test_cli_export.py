"""`evocrawl export` writes each page once, and no file harms the program that opens it."""

from __future__ import annotations

import csv
import gzip
import sqlite3
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from exported_crawl import BODY, DATE, MOVED, A, B, C, D, read

from evocrawl.cli import main
from evocrawl.simulation.worlds.registry import open_world


def export(state: Path, format_: str, out: Path) -> Path:
    assert main(["export", str(state), "--format", format_, "--out", str(out)]) == 0
    assert [each.name for each in out.parent.iterdir() if each.name.endswith(".part")] == []
    return out


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
    """B123: a text that begins like a formula gets an apostrophe; numbers stay numbers."""
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
    """The stored responses, as they were sent but for the transfer coding."""
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


def test_a_crawl_without_stored_responses_makes_no_warc(
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
    """Pages, redirects, failures and refusals; pages that were not fetched are unknown."""
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
def test_a_file_that_is_no_store_is_refused(
    tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names it, the exit code is 2, and no file is written."""
    path = tmp_path / "s"
    if content is not None:
        path.write_bytes(content)
    assert main(["export", str(path), "--out", str(tmp_path / "o")]) == 2
    assert f"error: {path}: " in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    assert path.exists() == (content is not None)
