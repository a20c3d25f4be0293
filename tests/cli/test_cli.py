"""The command `evocrawl`: its results, its files and its errors."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evocrawl.cli import main, parser
from evocrawl.core.config.config import Config
from evocrawl.simulation.evaluation import plots
from evocrawl.simulation.evaluation.results import REQUIRED

CORAL = "coral reef bleaching"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty pages in a ring with chords; every third is about corals."""
    path = tmp_path_factory.mktemp("world") / "ring.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for number in range(30):
            coral = number % 3 == 0
            page = {
                "url": f"http://ring.test/{number}",
                "title": f"Page {number}",
                "text": CORAL * 2 if coral else "stone road river",
                "links": [
                    {"url": f"http://ring.test/{(number + step) % 30}", "anchor": "next",
                     "context": ""}
                    for step in (1, 4)
                ],
                "topics": ["Nature.Corals"] if coral else ["Other"],
            }  # fmt: skip
            file.write(json.dumps(page) + "\n")
    return path


@pytest.fixture
def simulate(world: Path, tmp_path: Path):
    """Run the simulation with few short runs; return its exit code."""

    def run(*arguments: str, plots: bool = False) -> int:
        return main(["sim", str(world), "--query", CORAL, "--processes", "1", "--runs", "2",
                     "--out", str(tmp_path / "out"), *([] if plots else ["--no-plots"]),
                     *arguments])  # fmt: skip

    return run


def test_sim_compares_the_default_species_of_a_crawl_with_baselines() -> None:
    """The species that a crawl uses by default is the first one."""
    arguments = ["sim", "world.jsonl", "--query", "q", "--out", "out"]
    parsed = parser(arguments).parse_args(arguments)
    assert parsed.species == (
        Config.read({}, {"query": "q"}).species,
        "best_first",
        "breadth_first",
    )


LABELLED = ("--relevant", "Nature.Corals", "--species", "best_first,random")


def test_sim_writes_results_table_and_plots(simulate, tmp_path: Path, capsys) -> None:
    """And shows the table."""
    assert simulate(*LABELLED, plots=True) == 0
    out = tmp_path / "out"
    rows = json.loads((out / "results.json").read_text())
    assert len(rows) == 4
    assert all(set(REQUIRED) <= set(row) for row in rows)
    assert {row["budget"] for row in rows} == {15}
    shown = capsys.readouterr().out
    assert "| best_first | 2 |" in shown
    assert "| best_first | 2 |" in (out / "table.md").read_text()
    assert (out / "recall.png").exists()
    assert (out / "report.html").exists()


def test_the_same_command_does_no_run_twice(simulate, tmp_path: Path, capsys) -> None:
    """If more runs are wanted, only the missing ones are done."""
    simulate(*LABELLED)
    before = (tmp_path / "out" / "runs.jsonl").read_text()
    assert simulate(*LABELLED) == 0
    assert (tmp_path / "out" / "runs.jsonl").read_text() == before
    simulate(*LABELLED, "--runs", "3")
    after = (tmp_path / "out" / "runs.jsonl").read_text()
    assert after.startswith(before)
    assert after.count("\n") == 6
    assert "4 of 6 runs exist already" in capsys.readouterr().err


def test_seeds_may_be_given_found_or_far(simulate, tmp_path: Path) -> None:
    """Each way is noted on the rows."""
    for way in (("--seeds", "HTTP://Ring.test:80/7"), ("--seeds-by-search", "2"),
                ("--start", "far"), ("--set", "gain=3")):  # fmt: skip
        assert simulate("--relevant", "Nature.Corals", "--species", "energy", "--runs", "1",
                        *way) == 0  # fmt: skip
    rows = json.loads((tmp_path / "out" / "results.json").read_text())
    assert rows[0]["seeds"] == ["http://ring.test/7"]
    assert len(rows[1]["seeds"]) == 2
    assert [row["start"] for row in rows] == ["given", "search 2", "far", "search"]
    assert rows[-1]["settings"] == {"gain": "3"}


def test_a_file_of_topics_is_run_by_split(world: Path, tmp_path: Path) -> None:
    """Only the lines of the wanted split."""
    topics = tmp_path / "topics.tsv"
    topics.write_text("split\ttopic\tquery\ndev\tNature\tcoral\ncheck\tOther\tstone road\n")
    code = main(["sim", str(world), "--topics", str(topics), "--split", "check", "--no-plots",
                 "--species", "random", "--runs", "1", "--out", str(tmp_path / "out")])  # fmt: skip
    (row,) = json.loads((tmp_path / "out" / "results.json").read_text())
    assert (code, row["topic"], row["query"]) == (0, "Other", "stone road")


def test_without_labels_pages_are_judged_by_their_words(simulate, capsys) -> None:
    """The table has another measure and names it."""
    assert simulate("--budget", "10", "--species", "best_first") == 0
    assert "mean_bm25, start search" in capsys.readouterr().out


def test_compare_pairs_directories(simulate, tmp_path: Path, capsys) -> None:
    """By species, or by directory and species."""
    simulate(*LABELLED)
    capsys.readouterr()
    out = tmp_path / "out"
    report = tmp_path / "report"
    assert main(["compare", str(out), "--against", "random", "--out", str(report)]) == 0
    assert "difference to random" in capsys.readouterr().out
    assert (report / "table.md").exists()
    assert main(["compare", str(out), str(out), "--by-directory", "--measure", "requests"]) == 0
    assert "out/random" in capsys.readouterr().out


def test_compare_of_one_start_draws_its_runs_alone(
    simulate, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the tables do; a start without runs is an error."""
    simulate(*LABELLED)
    here, there = tmp_path / "out", tmp_path / "there"
    rows = json.loads((here / "results.json").read_text())
    there.mkdir()
    (there / "results.json").write_text(json.dumps([row | {"start": "far"} for row in rows]))
    drawn = list[Any]()
    monkeypatch.setattr(plots, "draw_pngs", lambda rows, _: drawn.extend(rows))
    monkeypatch.setattr(plots, "draw_html", lambda *_: None)
    both, report = [str(here), str(there)], str(tmp_path / "report")
    assert main(["compare", *both, "--start", "far", "--out", report]) == 0
    assert [row["start"] for row in drawn] == ["far"] * len(rows)
    assert main(["compare", *both, "--start", "near"]) == 2
    assert "no runs to compare" in capsys.readouterr().err


def test_topics_lists_every_level(world: Path, capsys) -> None:
    """With the pages of those below."""
    assert main(["topics", str(world)]) == 0
    assert capsys.readouterr().out == "Nature\t10\nNature.Corals\t10\nOther\t20\n"


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (("--species", "enrgy"), "no species 'enrgy'; choose from "),
        (("--relevant", "Nope"), "no topic 'Nope'"),
        ((), "give --budget"),
        (("--species", "oracle", "--budget", "5"), "needs labels"),
        (("--start", "far", "--budget", "5"), "needs labels"),
        (("--start", "near"), "search, far or search,far"),
        (("--budget", "0"), "a whole number from 1"),
        (("--budget", "5", "--set", "gian=4"), "did you mean gain?"),
        (("--budget", "5", "--set", "gain=-4"), "gain is '-4'; allowed: a number above 0"),
        (("--budget", "5", "--set", "seed=4"), "seed has its own argument"),
        (("--budget", "5", "--set", "gain"), "NAME=VALUE"),
        (("--budget", "5", "--seeds", "ftp://x"), "--seeds is 'ftp://x'"),
        (("--budget", "5", "--query", "the"), "query"),
        (("--split", "dev", "--budget", "5"), "--split needs --topics"),
    ],
)
def test_mistakes_end_with_code_2_and_a_line_that_helps(
    simulate, capsys, arguments: tuple[str, ...], printed: str
) -> None:
    """No traceback."""
    try:
        code = simulate(*arguments)
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert printed in capsys.readouterr().err


def test_a_bad_file_is_named_with_line_and_field(tmp_path: Path, capsys) -> None:
    """A world, a table of topics, and results."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"url": "http://a.test/", "title": 3}\n')
    arguments = ["--query", "coral", "--budget", "5", "--out", str(tmp_path / "out")]
    for processes in ("1", "2"):
        assert main(["sim", str(bad), *arguments, "--processes", processes]) == 2
        printed = capsys.readouterr().err
        assert "line 1" in printed
        assert "title" in printed
    assert main(["sim", str(tmp_path / "none"), *arguments]) == 2
    assert "no such world file" in capsys.readouterr().err
    assert main(["topics", str(tmp_path / "none")]) == 2
    assert main(["compare", str(tmp_path)]) == 2
    assert "no results here" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["sim"], ["compare"], ["topics"], ["serve"], ["world"]])
def test_each_command_has_help_with_examples(arguments: list[str], capsys) -> None:
    """Every command has an explanation, and those with many options have examples."""
    with pytest.raises(SystemExit) as stop:
        main([*arguments, "--help"])
    text = capsys.readouterr().out
    assert stop.value.code == 0
    assert len(text) > 250
    assert " ".join(["  evocrawl", *arguments]) in text


def test_a_closed_pipe_is_no_error(world: Path) -> None:
    """As in `evocrawl topics WORLD | head -1`."""
    code = "import sys; from evocrawl.cli import main; sys.exit(main())"
    command = subprocess.Popen(
        [sys.executable, "-c", code, "topics", str(world)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert command.stdout is not None
    assert command.stderr is not None
    command.stdout.close()
    printed = command.stderr.read()
    command.stderr.close()
    assert (command.wait(), printed) == (0, b"")
