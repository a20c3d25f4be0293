"""``evocrawl topics``: lists the topics of a world."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from evocrawl.cli.names import COMMANDS
from evocrawl.cli.world_argument import NAMES, add_world, identified
from evocrawl.simulation.worlds.made_up.spec import query_of
from evocrawl.simulation.worlds.registry import open_world

_EPILOG = f"""\
examples:
  evocrawl topics pages.jsonl.gz
  evocrawl topics news:pages=5000,seed=3 | head -3

{NAMES}

Each line has a topic and its number of pages, separated by a tab. In a synthetic world a third
column has a query: the three most frequent words of the topic."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "topics",
        help=COMMANDS["topics"],
        description="List the topics of the pages of a world, and the number of pages of each.\n"
        "A topic includes the pages of the levels below it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    add_world(command)


def run(asked: argparse.Namespace) -> None:
    """Print topic, number of pages and, for a synthetic world, a query, separated by tabs."""
    identified(asked.world)
    world = open_world(asked.world)
    for topic in sorted(world.topics()):
        query = query_of(world, topic)
        columns = [_on_one_line(topic), str(len(world.about(topic))), *([query] if query else [])]
        print("\t".join(columns))
    if not world.topics():
        print(
            f"{world.name} has no labels: evocrawl sim takes --query and --budget", file=sys.stderr
        )


def _on_one_line(text: str) -> str:
    """Escape a label from a file if it has control characters, which could move the cursor."""
    return text if text.isprintable() else ascii(text)
