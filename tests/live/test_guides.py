"""The commands of the guides run as they are written, on the web that comes with evocrawl.

`tests/docs/code_blocks.py` reads them. Crawls are processes of their own; other commands run in
this one.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import processes
import pytest

from evocrawl.cli import main
from evocrawl.simulation.server.world_server import serve
from evocrawl.simulation.worlds.registry import open_world

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "docs"))

from code_blocks import blocks_of, commands_of  # noqa: E402 - the folder was added above

GUIDES = {
    "archive": ["warcs", "pages.warc.gz", "found.csv"],
    "corpus": ["first.md", "taught.sqlite", "pages", "datatrove.jsonl", "datasheet.json"],
    "monitor": ["news.jsonl"],
    "own-relevance": ["long.sqlite", "long/results.json"],
    "own-species": ["compared/results.json", "shallow.sqlite"],
    "research": ["final/results.json"],
    "small-budget": ["small.md"],
}  # fmt: skip


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    """Return the address of a proxy that answers as www.sqlite.org."""
    with serve(open_world("sqlite-docs"), 0) as proxy:
        yield proxy.url


@pytest.mark.parametrize("name", GUIDES)
def test_the_commands_of_a_guide_run_as_written(
    name: str, web: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in (ROOT / "examples" / "parts").glob("*.py"):
        shutil.copy(part, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # simulations run in this process
    environment = {
        **os.environ,
        "http_proxy": web,
        "SCRAPY_SETTINGS_MODULE": "evocrawl.adapter.settings",
    }
    for block in blocks_of(ROOT / "docs" / "guide" / f"{name}.md"):
        if block.language != "sh":
            continue
        for arguments in commands_of(block, "scrapy"):
            done = processes.run("scrapy", arguments, cwd=tmp_path, environment=environment)
            assert done.returncode == 0, done.stderr
            assert "Traceback" not in done.stderr
        for arguments in commands_of(block, "evocrawl"):
            assert main(arguments) == 0, arguments
    for made in GUIDES[name]:
        path = tmp_path / made
        assert any(path.iterdir()) if path.is_dir() else path.stat().st_size, made
