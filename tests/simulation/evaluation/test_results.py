"""Results survive kills; a broken line is named with its field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from result_rows import row

from evocrawl.simulation.evaluation.results import (
    CURVES,
    REQUIRED,
    ResultsError,
    ResultTable,
    read_results,
)


def test_rows_are_read_unchanged(tmp_path: Path) -> None:
    """Also text with line separators."""
    table = ResultTable(tmp_path)
    for number, query in enumerate(["plain", "two\nlines", "a\u2028b\u0085c", "<b>"]):
        table.append(row(query=query, trial=str(number)))
    assert ResultTable(tmp_path).rows == table.rows == read_results(tmp_path)
    assert table.has("3")
    assert not table.has("4")


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_an_incomplete_line_is_dropped_and_the_table_is_continued(tmp_path: Path, cut: int) -> None:
    """As after a kill during a write."""
    table = ResultTable(tmp_path)
    table.append(row(trial="first"))
    table.append(row(trial="second"))
    table.path.write_bytes(table.path.read_bytes()[:-cut])
    again = ResultTable(tmp_path)
    assert [each["trial"] for each in again.rows] == ["first"]
    again.append(row(trial="third"))
    assert [each["trial"] for each in read_results(tmp_path)] == ["first", "third"]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    """With its line and field; the file is not changed."""
    lacking = {key: value for key, value in row().items() if key != "recall"}
    for text, message in (
        ("{oops\n", "line 2: not JSON"),
        ("[]\n", "line 2: expected an object"),
        (json.dumps(lacking) + "\n", "line 2: without the field 'recall'"),
    ):
        path = tmp_path / "runs.jsonl"
        path.write_text(json.dumps(row()) + "\n" + text)
        for read in (ResultTable, read_results):
            with pytest.raises(ResultsError, match=message):
                read(tmp_path)
        assert path.read_text().endswith(text)


def test_results_json_has_every_field_but_no_curves(tmp_path: Path) -> None:
    """It is a list of runs; a directory with only this file can be compared."""
    table = ResultTable(tmp_path / "a")
    table.append(row())
    path = table.write_results()
    (row_written,) = json.loads(path.read_text())
    assert set(REQUIRED) <= set(row_written)
    assert not set(CURVES) & set(row_written)
    table.path.unlink()
    assert read_results(tmp_path / "a") == [row_written]
    assert {each.name for each in path.parent.iterdir()} <= {"results.json", "runs.parquet"}


def test_missing_results_are_an_error(tmp_path: Path) -> None:
    """No directory, an empty one, and one whose file has no list."""
    with pytest.raises(ResultsError, match="no results here"):
        read_results(tmp_path)
    (tmp_path / "results.json").write_text("{}")
    with pytest.raises(ResultsError, match="a list of runs"):
        read_results(tmp_path)


def test_a_value_that_is_no_number_is_never_written(tmp_path: Path) -> None:
    """NaN is not JSON."""
    table = ResultTable(tmp_path)
    with pytest.raises(ValueError, match="not JSON compliant"):
        table.append(row(auc=float("nan")))
    assert not table.path.exists()


@pytest.mark.parametrize(
    ("spoil", "left", "word"),
    [
        (lambda text: text[:-1], 2, ""),
        (lambda text: text[:-20], 1, "line 2 is cut short"),
        (lambda text: text[:-20] + b"\0" * 4096, 1, "line 2 is cut short"),
        (lambda text: text + b"\0" * 4096, 2, "ignored 4096 empty bytes"),
        (lambda text: text + b"\xff\xfe", 2, "line 3 is cut short"),
        (lambda _: b'{"species": "\xc3', 0, "line 1 is cut short"),
        (lambda _: b"\0" * 99, 0, "ignored 99 empty bytes"),
        (lambda _: b"", 0, ""),
    ],
)
def test_complete_lines_are_read_and_an_incomplete_one_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, spoil: Any, left: int, word: str
) -> None:
    """As after a power cut; the file is not changed."""
    table = ResultTable(tmp_path)
    for trial in "ab":
        table.append(row(trial=trial))
    spoilt = spoil(table.path.read_bytes())
    table.path.write_bytes(spoilt)
    assert [each["trial"] for each in read_results(tmp_path)] == list("ab")[:left]
    assert caplog.text.count("WARNING") == bool(word)
    assert word in caplog.text
    assert table.path.read_bytes() == spoilt


def test_a_line_after_bytes_without_content_is_read(tmp_path: Path) -> None:
    """The table was continued after the power cut."""
    table = ResultTable(tmp_path)
    table.append(row(trial="a"))
    with table.path.open("ab") as file:
        file.write(b"\0" * 100)
    table.append(row(trial="b"))
    assert [each["trial"] for each in read_results(tmp_path)] == ["a", "b"]
    assert [each["trial"] for each in ResultTable(tmp_path).rows] == ["a", "b"]


def test_a_table_that_is_no_text_is_named(tmp_path: Path) -> None:
    """In one line."""
    (tmp_path / "runs.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) + b"\n")
    with pytest.raises(ResultsError, match=r"runs.jsonl: line 1: not JSON") as refused:
        read_results(tmp_path)
    assert str(refused.value).isprintable()
