"""Each mistake in the arguments of `evocrawl` ends in one line with exit code 2."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from evocrawl.cli import main

SITES = "sites:sites=5,pages_per_site=3"
SIM = ("sim", SITES, "--relevant", "semantic", "--out", "out")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working directory with files that the commands cannot use."""
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("empty.jsonl").touch()
    Path("broken.jsonl").write_text('{"url": ')
    Path("broken.json").write_text("{")
    Path("text").write_text("x")
    Path("columns.tsv").write_text("topic\tquery\n")
    Path("bad").mkdir()
    Path("bad/results.json").write_text("[{")
    with sqlite3.connect("other.sqlite") as database:
        database.execute("CREATE TABLE t (x)")
    database.close()
    with sqlite3.connect("old.sqlite") as database:
        database.execute("PRAGMA application_id = 0x65766F63")
        database.execute("PRAGMA user_version = 1")
    database.close()
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "problem", "advice"),
    [
        ((), "COMMAND", "evocrawl --help"),
        (("simm",), "'simm'", "did you mean sim?"),
        (("--versoin",), "--versoin", "did you mean --version?"),
        (("sim",), "WORLD, --out", "evocrawl sim --help"),
        (("sim", SITES, "--out", "out"), "no topic", "--relevant TOPIC"),
        ((*SIM, "--budgt", "3"), "--budgt", "did you mean --budget?"),
        ((*SIM, "--budget", "-3"), "'-3'", "a whole number from 1"),
        ((*SIM, "--budget", "1e2"), "'1e2'", "did you mean 100?"),
        ((*SIM, "--runs", "two"), "'two'", "a whole number from 1"),
        ((*SIM, "--species", "evoo"), "'evoo'", "did you mean evo?"),
        ((*SIM, "--seeds", "www.example.com"), "'www.ex", "did you mean https://www.example.com?"),
        ((*SIM, "--set", "gian=3"), "gian", "did you mean gain?"),
        ((*SIM[:-1], "text"), "text: this is a file", "give a folder"),
        (("sim", "sites:site=5", "--out", "out"), "'sites:site=5'", "did you mean sites?"),
        (("sim", "sites:sites=-5", "--out", "out"), "'-5'", "a whole number from 1"),
        (("sim", "sites:sites=5,sites=6", "--out", "out"), "sites=6'", "sites is twice"),
        ((*SIM[:-1], ""), "''", "not a path"),
        (("sim", SITES, "--relevant", "semantic", "--out", "text"), "text: this is", "a folder"),
        (("world", "sites", "--out", " "), "' '", "not a path"),
        (("world", "sites", "--out", "text"), "text: ", "Not a directory"),
        (("world", "news", "--out", "text/x.jsonl"), "text: ", "Not a directory"),
        (("compare", "bad", "--out", ""), "''", "not a path"),
        (("mcp", "--folder", ""), "''", "not a path"),
        (("sim", SITES, "--topics", "none.tsv", "--out", "out"), "none.tsv", "No such file"),
        (("sim", SITES, "--topics", "folder", "--out", "out"), "folder", "Is a directory"),
        (("sim", SITES, "--topics", "columns.tsv", "--out", "out"), "columns.tsv: line 1", "split"),
        (("sim", SITES, "--topics", "broken.json", "--out", "out"), "broken.json", "columns split"),
        (("topics", "none"), "none", "a synthetic world is sites:… or news:…"),
        (("topics", "sqlite-doc"), "sqlite-doc: no such", "did you mean sqlite-docs?"),
        (("topics", "folder"), "folder", "no pages.jsonl"),
        (("topics", "broken.jsonl"), "broken.jsonl, line 1", "JSON"),
        (("topics", "empty.jsonl"), "empty.jsonl", "no page"),
        (("topics", SITES, "more"), "'more'", "one argument too many"),
        (("serve", SITES, "--port", "99999"), "'99999'", "a whole number from 0 to 65535"),
        (("serve", SITES, "--port", "web"), "'web'", "a whole number from 0 to 65535"),
        (("serve", SITES, "--speed", "nan"), "'nan'", "a number from 0"),
        (("export", "none.sqlite", "--out", "x"), "none.sqlite", "give the SQLite file"),
        (("export", "folder", "--out", "x"), "folder: this is a folder", "give the SQLite file"),
        (("export", "text", "--out", "x"), "text: not a ", "give the file of a crawl"),
        (("export", "other.sqlite", "--out", "x"), "other.sqlite: not a state", "give the file"),
        (("export", "old.sqlite", "--out", "x"), "version 1", "with the evocrawl that made it"),
        (("export", "old.sqlite", "--out", "text"), "text: this file exists", "--force"),
        (("export", "x", "--out", "y", "--format", "exel"), "'exel'", "jsonl, csv, parquet"),
        (("compare", "folder"), "folder", "evocrawl sim --out"),
        (("compare", "text"), "text: this is a file", "evocrawl sim --out"),
        (("compare", "bad"), "results.json", "not JSON"),
        (("experiment", "bio"), "'bio'", "biocrawler"),
        (("experiment", "energy-4"), "WORLD", "--query"),
        (("world", "site"), "'site'", "did you mean sites?"),
        (("world", "sites", "--semantic", "2"), "semantic is '2'", "from 0 to 1"),
    ],
)
def test_a_mistake_ends_in_one_line_that_says_what_to_write(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], problem: str, advice: str
) -> None:
    """The line has the wrong word and the right one; no other line is printed."""
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = stop.code
    printed = capsys.readouterr()
    (line,) = printed.err.splitlines()
    assert code == 2
    assert line.startswith("evocrawl")
    assert ": error: " in line
    assert problem in line
    assert advice in line
    assert printed.out == ""


def test_control_characters_of_an_argument_reach_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A name that a script has read from a file may have escape sequences."""
    assert main(["topics", "a\x1b[2Jb\n\u202ec"]) == 2
    assert capsys.readouterr().err.rstrip("\n").isprintable()


_LOADED = """
import json, sys
from evocrawl.cli import main
try:
    main({arguments})
except SystemExit:
    pass
print(json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}})))
"""
HEAVY = {"numpy", "scrapy", "twisted", "lxml", "resiliparse", "wordfreq", "rich", "asyncio"}


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["simm"]])
def test_version_help_and_mistakes_import_nothing_heavy(arguments: list[str]) -> None:
    """They respond at once."""
    code = _LOADED.format(arguments=arguments)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert loaded & HEAVY == set()
    assert "evocrawl" in loaded
