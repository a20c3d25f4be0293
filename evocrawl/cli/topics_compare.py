"""``evocrawl topics`` and ``evocrawl compare``: look at a world, and at results."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from evocrawl.cli.output import show, write_report
from evocrawl.cli.world_argument import NAMES, add_world, identified
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.evaluation.results import read_results
from evocrawl.simulation.worlds.made_up.spec import query_of
from evocrawl.simulation.worlds.registry import open_world

_TOPICS = f"""\
examples:
  evocrawl topics pages.jsonl.gz
  evocrawl topics news:pages=5000,seed=3 | head -3

{NAMES}

A line has topic and pages, apart by tabs; in a made-up world also a query: words are made up
there, and these three are the most frequent of the topic."""

_COMPARE = """\
examples:
  evocrawl compare birds                          every species against the best
  evocrawl compare birds --against best_first     against a baseline
  evocrawl compare birds peers --measure recall_at_T --start search
  evocrawl compare gain4 gain8 --by-directory     one species under two settings

An interval is a paired bootstrap over topics, then seeds: "better" means that the difference of
the same topic, start and seed is above zero in 95 % of the resamples' middle. Topics are won,
tied or lost by their mean. See docs/measures.md."""


def add_to(commands: Any) -> None:
    """Add the commands to the parser of all commands."""
    topics = commands.add_parser(
        "topics",
        help="list the topics of a world",
        description="List the topics that pages of a world are labelled with, and how many pages\n"
        "each has, those of the levels below included.",
        epilog=_TOPICS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    topics.set_defaults(run=list_topics)
    add_world(topics)
    compare = commands.add_parser(
        "compare",
        help="compare the results of one or more directories",
        description="Compare the species of one or more result directories, with intervals.",
        epilog=_COMPARE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    compare.set_defaults(run=compare_results)
    compare.add_argument("directories", metavar="DIR", nargs="+", type=Path,
                         help="a directory with runs.jsonl or results.json")  # fmt: skip
    compare.add_argument("--measure", default="", help="a numeric field of the runs (recall_auc)")
    compare.add_argument("--against", metavar="SPECIES", default="",
                         help="the species to compare with (the best)")  # fmt: skip
    compare.add_argument("--start", default="", help="runs of this start only")
    compare.add_argument("--by-directory", action="store_true",
                         help="put the directory's name before that of the species")  # fmt: skip
    compare.add_argument("--out", metavar="DIR", type=Path,
                         help="write the table, plots and report.html there too")  # fmt: skip


def list_topics(asked: argparse.Namespace) -> None:
    """Print topic, number of pages and, where words are made up, a query, by tabs."""
    identified(asked.world)
    world = open_world(asked.world)
    for topic in sorted(world.topics()):
        query = query_of(world, topic)
        told = [_on_one_line(topic), str(len(world.about(topic))), *([query] if query else [])]
        print("\t".join(told))
    if not world.topics():
        print(
            f"{world.name} has no labels: evocrawl sim takes --query and --budget", file=sys.stderr
        )


def _on_one_line(text: str) -> str:
    """A stranger wrote the labels of a file: nothing in them shall move the terminal's cursor."""
    return text if text.isprintable() else ascii(text)


def compare_results(asked: argparse.Namespace) -> None:
    """Print the tables, and write the report where asked to."""
    rows: list[Row] = []
    for directory in asked.directories:
        for row in read_results(directory):
            if asked.by_directory:
                row["species"] = f"{directory.name}/{row['species']}"
            rows.append(row)
    options = {"measure": asked.measure, "against": asked.against, "start": asked.start}
    show(rows, **options)
    if asked.out:
        write_report(rows, asked.out, **options)
