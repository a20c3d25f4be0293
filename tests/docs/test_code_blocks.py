"""The commands and settings of the documentation are understood by the programs that they name."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from code_blocks import Block, blocks_of, commands_of, settings_of

from evocrawl.cli import parser
from evocrawl.core.config.config import Config
from evocrawl.core.errors import SettingError

ROOT = Path(__file__).parents[2]
WRONG_ON_PURPOSE = ROOT / "docs" / "guide" / "mistakes.md"
PAGES = [
    page
    for page in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    )
    if page != WRONG_ON_PURPOSE
]

each_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)


def options_of(arguments: list[str], flag: str) -> dict[str, str]:
    """Return the values that a command of Scrapy gives as ``-a n=value`` or ``-s N=value``."""
    pairs = [value.partition("=") for name, value in pairwise(arguments) if name == flag]
    return {name: value for name, _, value in pairs}


def check_crawl(arguments: list[str]) -> None:
    """Read the options of a crawl as the crawl does; raises SettingError."""
    if arguments[:1] != ["crawl"]:
        return
    settings = options_of(arguments, "-s")
    ours = {name: value for name, value in settings.items() if name.startswith("EVOCRAWL_")}
    Config.read(ours, options_of(arguments, "-a") if "evospider" in arguments else {})


@each_page
def test_each_command_of_evocrawl_has_arguments_that_it_knows(page: Path) -> None:
    for block in blocks_of(page):
        for arguments in commands_of(block, "evocrawl"):
            try:
                parser(arguments).parse_args(arguments)
            except SystemExit as end:
                assert end.code == 0, f"line {block.line}: evocrawl {' '.join(arguments)}"


@each_page
def test_each_crawl_has_options_and_values_that_are_allowed(page: Path) -> None:
    """Of evospider and, by settings, of other spiders."""
    for block in blocks_of(page):
        for arguments in commands_of(block, "scrapy"):
            check_crawl(arguments)
        Config.read(settings_of(block), {})


def test_wrong_commands_are_found() -> None:
    """Over several lines, behind a variable, before a redirection."""
    text = """x=1 evocrawl report coral.sqlite \\
    --outt coral.html > log &
evocrawl sim … --set relevance=NAME
scrapy crawl evospider -a query=coral -a max_request=5 2> log
"""
    block = Block("sh", text, 1)
    assert list(commands_of(block, "evocrawl")) == [
        ["report", "coral.sqlite", "--outt", "coral.html"]
    ]
    (crawl,) = commands_of(block, "scrapy")
    with pytest.raises(SettingError, match="did you mean max_requests"):
        check_crawl(crawl)
    assert settings_of(Block("", "ADDONS = {}\nEVOCRAWL_QUERY = 'coral'\n", 1)) == {
        "EVOCRAWL_QUERY": "coral",
    }
