"""``evocrawl topics`` and ``evocrawl compare``: look at a world, and at results."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from evocrawl.cli.output import show, write_report
from evocrawl.evaluation.results import Row, read_results
from evocrawl.simulation.recorded import Recorded

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
        description="List the topics that pages of a world are labelled with, and how many pages "
        "each has, those of the levels below included.",
    )
    topics.set_defaults(run=list_topics)
    topics.add_argument("world", metavar="WORLD", help="a world file: JSON lines, .gz or .zst")
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
    """Print topic and number of pages, by tabs."""
    world = Recorded.read(asked.world)
    for topic in sorted(world.topics()):
        print(f"{topic}\t{len(world.about(topic))}")


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
