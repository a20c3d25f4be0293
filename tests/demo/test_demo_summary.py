"""The summary shows what a crawl wrote, safely."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from demo.summary import Best, Result, best_table, clean, columns, load, numbers_table, pad


def write(folder: Path, relevances: list[float]) -> tuple[Path, Path]:
    """Write a crawl's two files; the last line of the pages is incomplete."""
    pages, stats = folder / "pages.jsonl", folder / "stats.json"
    lines = [
        json.dumps({"relevance": r, "title": f"t{i}", "url": f"http://h/{i}", "agent": i})
        for i, r in enumerate(relevances)
    ]
    pages.write_text("\n".join([*lines, '{"relevance": 1.0, "ti']))
    stats.write_text(json.dumps({"evocrawl/requests": 7, "elapsed_time_seconds": 2.0}))
    return pages, stats


def test_the_best_pages_come_first_and_incomplete_lines_are_left_out(tmp_path: Path) -> None:
    """They are ordered by relevance, then by the order of finding.

    The mean is over complete lines.
    """
    result = load("energy", *write(tmp_path, [0.25, 0.5, 0.0, 0.5]), best=3)
    assert [page.agent for page in result.best] == ["1", "3", "0"]
    assert (result.pages, result.mean_relevance) == (4, 0.3125)
    assert result.stats["evocrawl/requests"] == 7


def test_a_crawl_that_wrote_nothing_has_empty_numbers(tmp_path: Path) -> None:
    """Missing files, broken stats and null fields are shown as empty, without an error."""
    result = load("energy", tmp_path / "none", tmp_path / "none")
    assert (result.pages, result.mean_relevance, result.stats) == (0, 0.0, {})
    (tmp_path / "s").write_text("[1")
    (tmp_path / "p").write_text('{"url": null, "text": null, "relevance": null}\n3\n')
    result = load("energy", tmp_path / "p", tmp_path / "s")
    assert result.best == (Best(0.0, "", "", ""),)
    assert "-" in numbers_table([result], topical=True)


def test_pages_on_topic_are_counted_by_the_term_rule(tmp_path: Path) -> None:
    """The text of the item is judged, not its score."""
    pages = tmp_path / "p"
    pages.write_text(json.dumps({"text": "fts5 fts5 fts5", "relevance": 0.0}) + "\n")
    assert load("energy", pages, pages).on_topic == 1


def test_the_numbers_of_crawls_are_columns_of_one_table() -> None:
    """One column a crawl, in the given order.

    The row of the topic only for crawls with that topic.
    """
    stats = {"evocrawl/requests": 400, "evocrawl/harvest_rate": 0.25, "elapsed_time_seconds": 4.0}
    results = [Result(name, (), 8, 0.5, 3, stats) for name in ("energy", "breadth_first")]
    rows = {
        line[:28].strip(): line[28:].split()
        for line in numbers_table(results, topical=True).splitlines()
    }
    assert rows[""] == ["energy", "breadth_first"]
    assert rows["requests"] == ["400", "400"]
    assert rows["harvest rate"] == ["0.250", "0.250"]
    assert rows["pages per second"] == ["2.000", "2.000"]
    assert rows["stopped by"] == ["-", "-"]
    assert rows["pages on topic (term rule)"] == ["3", "3"]
    assert "on topic" not in numbers_table(results, topical=False)


def test_a_hostile_title_cannot_break_the_table() -> None:
    """Escape sequences, line ends and direction marks are gone, and columns stay aligned."""
    hostile = Best(0.5, "\x1b[31mred\r\n\u202etitle" + "漢" * 500, "http://h/\x07\n", "12")
    plain = Best(0.25, "plain", "http://h/", "3")
    table = best_table(Result("energy", (hostile, plain), 2, 0.4, 0, {}))
    header, *lines = table.split("\n")
    assert len(lines) == 2
    assert not {char for char in table if char != "\n" and unicodedata.category(char)[0] == "C"}
    for line in lines:
        assert columns(line[: line.index("http")]) == header.index("url")


@given(text=st.text(), width=st.integers(1, 60))
def test_cleaned_text_fits_and_is_harmless(text: str, width: int) -> None:
    """For any text: one line, no more columns than allowed, no control or format character."""
    result = clean(text, width)
    assert columns(result) <= width
    assert columns(pad(result, width)) == width
    assert not {char for char in result if unicodedata.category(char)[0] in "CZ" and char != " "}
