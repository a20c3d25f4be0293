"""Parses the argument WORLD of the commands, and explains it in their help."""

from __future__ import annotations

import argparse

from evocrawl.core.config.hints import did_you_mean
from evocrawl.simulation.worlds.registry import BROUGHT, identity_of
from evocrawl.simulation.worlds.world_file import WorldError

NAMES = """\
a WORLD is
  pages.jsonl.gz           a file: JSON lines, plain, .gz or .zst
  wikis/                   a folder with pages.jsonl, or with start.jsonl and changes.jsonl for
                           a web that changes; each may be .gz or .zst
  sqlite-docs              203 pages of SQLite's documentation, which come with evocrawl
  sites:sites=100,seed=3   synthetic: a few sites have relevant pages, some forbid crawlers, some
                           links are dead
  news:pages=5000,seed=3   synthetic: a small world of news pages that appear and change
`evocrawl world sites --help` and `evocrawl world news --help` explain the numbers."""


def add_world(command: argparse.ArgumentParser) -> None:
    """Add the argument WORLD."""
    command.add_argument("world", metavar="WORLD",
                         help="a file, a folder or a synthetic world: see below")  # fmt: skip


def identified(spec: str) -> str:
    """Return the absolute path or the full name of a world. Raises WorldError or SettingError."""
    try:
        return identity_of(spec)
    except FileNotFoundError:
        hint = did_you_mean(spec, BROUGHT) or "a synthetic world is sites:… or news:…"
        problem = f"no such world file or folder; {hint} (see evocrawl world --help)"
        raise WorldError(spec, 0, "", problem) from None
