"""`evocrawl dictionary` makes the file that the option `dictionaries` takes."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiny_dictionary as tiny

from evocrawl.cli import main


def test_a_dictionary_is_made_by_its_name_and_used_by_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tiny.write_dictd(tmp_path, "freedict-deu-eng")
    out = tmp_path / "new" / "german.dictionary"
    page = tmp_path / "page.html"
    page.write_text("<html lang=de><title>Korallen</title><body><p>Korallen und Riffe im Meer</p>")

    assert main(["dictionary", source, "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: 10 words of German (de) and ")
    score = ["score", "coral reef", str(page)]
    assert main(score) == 0
    assert "not relevant" in capsys.readouterr().out
    assert main([*score, "--set", f"dictionaries={out}"]) == 0
    shown = capsys.readouterr().out
    assert "The query is in English (en); the page is translated word by word." in shown
    assert ": relevant (" in shown
    assert "reef " in shown


@pytest.mark.parametrize(
    ("names", "more", "problem"),
    [
        (["words"], (), "--languages de en"),
        (["words"], ("--languages", "sv", "?"), "a language tag"),
        (["words"], ("--languages", "sv", "sv"), "between two languages"),
        (["x-deu-eng", "x-fra-eng"], (), "all the same two (x-fra-eng)"),
        (["none-deu-eng"], (), "No such file"),
        (["x-eng-lat"], (), "a dictionary with translations"),
    ],
)
def test_a_mistake_ends_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    names: list[str],
    more: tuple[str, ...],
    problem: str,
) -> None:
    places = [str(tmp_path / "none-deu-eng") if name.startswith("none")
              else tiny.write_dictd(tmp_path, name, {} if "lat" in name else tiny.GERMAN)
              for name in names]  # fmt: skip

    assert main(["dictionary", *places, "--out", str(tmp_path / "out"), *more]) == 2

    shown = capsys.readouterr().err
    assert problem in shown
    assert shown.count("\n") == 1
    assert not (tmp_path / "out").exists()
