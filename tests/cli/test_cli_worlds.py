"""Commands open every kind of world and make worlds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evocrawl.cli import main
from evocrawl.simulation.worlds.made_up.spec import NUMBERS, defaults, query_of
from evocrawl.simulation.worlds.registry import open_world

SITES = "sites:sites=30,semantic=0.2,seed=3"
PAGE = {"url": "http://a.test/1", "text": "All about the albatross."}


def write_rows(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def simulate(world: str, out: Path, *arguments: str) -> int:
    return main(["sim", world, "--species", "best_first", "--runs", "1", "--processes", "1",
                 "--no-plots", "--out", str(out), *arguments])  # fmt: skip


def rows_of(out: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((out / "results.json").read_text())
    return rows


def test_a_topic_of_a_made_up_world_has_its_own_words(tmp_path: Path) -> None:
    """The label is enough, and the rows name the world with its numbers."""
    assert simulate("sites:seed=3,sites=30,semantic=0.20", tmp_path, "--relevant", "semantic") == 0
    (row,) = rows_of(tmp_path)
    assert row["world"] == SITES
    assert row["query"] == query_of(open_world(SITES), "semantic")
    assert row["relevant"]
    before = (tmp_path / "runs.jsonl").read_text()
    assert simulate(SITES, tmp_path, "--relevant", "semantic") == 0
    assert (tmp_path / "runs.jsonl").read_text() == before


def test_worker_processes_open_any_world(tmp_path: Path) -> None:
    """They get the description of the world, and do the same run."""
    here, there = tmp_path / "here", tmp_path / "there"
    label = ["--relevant", "semantic", "--budget", "30"]
    assert simulate(SITES, here, *label) == 0
    assert simulate(SITES, there, *label, "--runs", "2", "--processes", "2") == 0
    rows = {row["seed"]: row for row in rows_of(there)}
    assert rows[0]["recall_auc"] == rows_of(here)[0]["recall_auc"]


def test_time_goes_by_in_a_changing_world(tmp_path: Path) -> None:
    """A page that appears during the crawl is found; one that appears after it is not."""
    for name, appears_at_s, pages in (("early", 1, 2), ("late", 1000, 1)):
        folder = tmp_path / name
        folder.mkdir()
        start = {"url": "http://a.test/1", "text": "coral", "latency_s": 5,
                 "links": [{"url": "http://a.test/2", "anchor": "coral"}]}  # fmt: skip
        write_rows(folder / "start.jsonl", [start])
        later = {"at_s": appears_at_s, "url": "http://a.test/2", "text": "coral", "status": 200}
        write_rows(folder / "changes.jsonl", [later])
        out = tmp_path / f"out-{name}"
        assert simulate(str(folder), out, "--query", "coral", "--budget", "5") == 0
        (row,) = rows_of(out)
        assert (row["world"], row["pages"]) == (name, pages)


def test_worlds_in_files_of_one_name_have_names_of_their_own(tmp_path: Path) -> None:
    """They get the names of their folders if the file names are the same."""
    for name in ("birds", "fish"):
        (tmp_path / name).mkdir()
        pages = write_rows(tmp_path / name / "pages.jsonl", [PAGE])
        seeds = ["--seeds", str(PAGE["url"])]
        arguments = ["--query", "albatross", "--budget", "3", *seeds]
        assert simulate(str(pages), tmp_path / "out", *arguments) == 0
    assert {row["world"] for row in rows_of(tmp_path / "out")} == {"birds", "fish"}


@pytest.mark.parametrize(
    ("world", "arguments", "printed"),
    [
        ("sites:sites=30", [], "--relevant TOPIC, one of semantic; its own words"),
        ("news:pages=300", ["--relevant", "x"], "topic-02, … (50 in all: evocrawl topics news"),
        ("sites:sides=3", ["--relevant", "semantic"], "'sites:sides=3'; allowed: the numbers dead"),
        ("sites:inside=2", ["--relevant", "semantic"], "inside is '2'; allowed: from 0 to 1"),
        ("site:sites=3", ["--relevant", "semantic"], "no such world file or folder"),
    ],
)
def test_errors_of_worlds_name_what_is_possible(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    world: str,
    arguments: list[str],
    printed: str,
) -> None:
    """For a world, a number or a topic that does not exist."""
    assert simulate(world, tmp_path / "out", *arguments) == 2
    assert printed in capsys.readouterr().err


def test_a_file_needs_a_query(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only a made-up world has a query of its own."""
    assert simulate(str(write_rows(tmp_path / "w.jsonl", [PAGE])), tmp_path / "out") == 2
    assert "no topic: give --query Q" in capsys.readouterr().err


def test_topics_of_a_made_up_world_have_a_query(capsys: pytest.CaptureFixture[str]) -> None:
    """In a third column."""
    world = open_world(SITES)
    assert main(["topics", SITES]) == 0
    pages = len(world.about("semantic"))
    assert capsys.readouterr().out == f"semantic\t{pages}\t{query_of(world, 'semantic')}\n"


def test_topics_of_a_folder_are_listed_and_a_missing_one_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Labels cannot move the terminal's cursor."""
    write_rows(tmp_path / "start.jsonl", [{**PAGE, "topics": ["Red\x1b[2J"]}])
    write_rows(tmp_path / "changes.jsonl", [{"at_s": 5, **PAGE}])
    assert main(["topics", str(tmp_path)]) == 0
    assert "'Red\\x1b[2J'\t1\n" in capsys.readouterr().out
    bare = write_rows(tmp_path / "bare.jsonl", [{"url": "http://a.test/"}])
    assert main(["topics", str(bare)]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "bare has no labels" in captured.err


@pytest.mark.parametrize("kind", ["sites", "news"])
def test_every_number_is_an_option_with_meaning_range_and_default(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The help is made from the specifications of the worlds."""
    with pytest.raises(SystemExit):
        main(["world", kind, "--help"])
    printed = " ".join(capsys.readouterr().out.split())
    for name, default in defaults(kind).items():
        number = NUMBERS[name]
        assert f"--{name.replace('_', '-')} N" in printed
        usual = str(default).removesuffix(".0")
        assert f"{number.meaning}: {number.allowed} (default {usual})" in printed


def test_a_world_is_saved_to_a_folder_with_its_topics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It opens again, under the folder's name, and its topics are as `sim` reads them."""
    out = tmp_path / "new" / "paper"
    assert main(["world", "news", "--pages", "400", "--seed", "3", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "in-degree exponent" in printed
    assert "news:pages=400,seed=3" in printed
    again, first = open_world(out), open_world("news:pages=400,seed=3")
    assert again.name == "paper"
    assert [(page.url, page.text, page.links) for page in again.documents()] == [
        (page.url, page.text, page.links) for page in first.documents()
    ]
    assert str(out) in printed
    arguments = ["--topics", str(out / "topics.tsv"), "--split", "check", "--budget", "5"]
    arguments += ["--set", "language=en"]  # otherwise it is worked out for each topic
    assert simulate(str(out), tmp_path / "out", *arguments) == 0
    topics = [row["topic"] for row in rows_of(tmp_path / "out")]
    assert topics
    assert set(topics) < set(again.topics())


def test_a_world_is_saved_to_a_file_under_the_files_name(tmp_path: Path) -> None:
    """A rewired world is another web."""
    arguments = ["world", "news", "--pages", "300", "--out"]
    for name, more in (("plain.jsonl", []), ("anew.jsonl.zst", ["--rewired"])):
        assert main([*arguments, str(tmp_path / name), *more]) == 0
    plain, anew = (open_world(tmp_path / name) for name in ("plain.jsonl", "anew.jsonl.zst"))
    assert (plain.name, anew.name) == ("plain", "anew")
    assert list(plain.documents()) != list(anew.documents())
    assert len(list(tmp_path.iterdir())) == 2


def test_the_wanted_numbers_are_shown_beside_those_of_the_world(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing is saved unless a file is named."""
    assert main(["world", "sites", "--sites", "50", "--pages-per-site", "1"]) == 0
    printed = capsys.readouterr().out
    assert ["pages", "per", "site", "1", "1"] in [line.split() for line in printed.split("\n")]
    assert "evocrawl sim sites:sites=50,pages_per_site=1 --relevant semantic" in printed


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["sites", "--semantic", "2"], "semantic is '2'; allowed: from 0 to 1"),
        (["sites", "--dead", "0.6", "--moved", "0.6"], "at most 1 in sum"),
        (["news", "--pages", "ten"], "pages is 'ten'; allowed: a whole number from 10"),
        (["news", "--seed", "-1"], "seed is '-1'"),
        (["sites", "--sites", "99999999999999"], "too large for this machine"),
    ],
)
def test_impossible_numbers_end_with_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], printed: str
) -> None:
    """The error names what is possible."""
    assert main(["world", *arguments]) == 2
    assert printed in capsys.readouterr().err
