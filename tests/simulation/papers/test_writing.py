"""The files that an experiment writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from text_webs import QUERY, text_web

from evocrawl.cli import main
from evocrawl.simulation.papers import EXPERIMENTS
from evocrawl.simulation.papers.base import Claim, Experiment, Findings, Plot, Setup, average
from evocrawl.simulation.papers.writing import claims_table, made_before, page, save

FINDINGS = Findings(
    (Claim("more | less", "0.5", "0.4", holds=False, note="it rained"),),
    (Plot("p", "A plot", "x", "y", {"a": [(0.0, 1.0), (1.0, 2.0)]}),),
    ({"seed": 1},),
)
EXPERIMENT = Experiment("one", "A & B 2008", "a title", lambda _: FINDINGS)


def test_a_claim_that_does_not_hold_is_reported(tmp_path: Path) -> None:
    """In the table, with its note, its picture, and every row in the JSON."""
    text = save(EXPERIMENT, Setup(), FINDINGS, tmp_path)
    (picture,) = tmp_path.glob("*.png")
    assert text == (tmp_path / "one.md").read_text()
    assert "| more \\| less | 0.5 | 0.4 | **no** |" in text
    assert "it rained" in text
    assert f"({picture.name})" in text
    assert picture.read_bytes().startswith(b"\x89PNG")
    saved = json.loads((tmp_path / "one.json").read_text())
    assert saved["rows"] == [{"seed": 1}]
    assert saved["claims"][0]["holds"] is False


def test_earlier_results_are_recognised_by_their_setup(tmp_path: Path) -> None:
    """With another number of seeds, or an incomplete file, the experiment is run again."""
    assert made_before(EXPERIMENT, Setup(), tmp_path) is None
    text = save(EXPERIMENT, Setup(), FINDINGS, tmp_path)
    assert made_before(EXPERIMENT, Setup(), tmp_path) == text
    assert made_before(EXPERIMENT, Setup(seeds=(1,)), tmp_path) is None
    (tmp_path / "one.json").write_text("{")
    assert made_before(EXPERIMENT, Setup(), tmp_path) is None


def test_names_of_worlds_are_no_markup() -> None:
    """They come from files of any origin."""
    assert "<script>" not in page(["# s"], "c", "<script>x|`")
    assert claims_table([]).count("\n") == 1


def test_curves_of_different_length_are_averaged_at_the_same_places() -> None:
    """A curve that has ended keeps its last value."""
    assert average([]) == []
    assert average([[(0, 1.0)], []]) == [(0.0, 1.0)]
    line = average([[(0, 0.0), (10, 10.0)], [(0, 2.0)]], points=3)
    assert line == [(0.0, 1.0), (5.0, 1.0), (10.0, 6.0)]


def test_the_command_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The claims as a table; the same in the directory."""
    text_web(tmp_path)
    arguments = [
        "experiment", "energy-4", str(tmp_path / "text.jsonl"), "--query", QUERY,
        "--small", "--runs", "1", "--out", str(tmp_path / "out"),
    ]  # fmt: skip
    assert main(arguments) == 0
    assert "| claim | the paper | ours | holds |" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "energy-4.md", "energy-4.json", "energy-figure-4.png",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["energy-2"], "WORLD"),
        (["energy-2", "nowhere.jsonl", "--query", "x"], "no such world"),
        (["energy-2", "sites:sites=20", "--query", "x", "--relevant", "y"], "--relevant"),
    ],
)
def test_mistakes_are_named(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2, before anything runs."""
    assert main(["experiment", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_number_of_runs_below_1_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the option and the least number."""
    with pytest.raises(SystemExit, match="2"):
        main(["experiment", "energy-2", "sites:sites=20", "--query", "x", "--runs", "0"])
    assert "--runs: '0' is not a whole number from 1" in capsys.readouterr().err


def test_an_unknown_experiment_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The message has all names."""
    with pytest.raises(SystemExit):
        main(["experiment", "nothing"])
    assert next(iter(EXPERIMENTS)) in capsys.readouterr().err
