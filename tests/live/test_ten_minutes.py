"""The commands of the tutorial run as they are written, one after the other.

The port alone is another one, since a second test run may use the tutorial's.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ports import free_port

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "ten-minutes.md"
PORT = "8923"


@pytest.mark.takes_s(55)
def test_each_command_of_the_tutorial_runs_as_written(tmp_path: Path) -> None:
    """In an empty folder; the crawl finds pages about the query, is continued, and is exported."""
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)
    assert len(blocks) == 6
    commands = "".join(blocks)
    assert PORT in commands
    commands = commands.replace(PORT, str(free_port()))
    script = f"set -e\ntrap 'kill $!' EXIT\n{commands}trap - EXIT\n"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    environment.pop("SCRAPY_PROJECT", None)
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True,
        timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text().splitlines()]
    urls = [line["url"] for line in lines]
    assert len(set(urls)) == len(urls) > 50
    relevant = [line["url"] for line in lines if line["relevance"] >= 0.5]
    assert "http://www.sqlite.org/lang_transaction.html" in relevant
    with (tmp_path / "corpus.csv").open(newline="", encoding="utf-8") as file:
        assert {row["url"] for row in csv.DictReader(file)} == set(urls)
    assert "The crawl has ended: its budget of requests is used up." in done.stderr
    assert "the next 1 000 requests would bring" in done.stderr
    assert "lang_transaction.html" in done.stdout  # the explanation
    assert "breadth_first" in done.stdout  # the table
    assert "<html" in (tmp_path / "transactions.html").read_text(encoding="utf-8")
