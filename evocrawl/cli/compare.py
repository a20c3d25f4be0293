"""``evocrawl compare``: compares the species of one or more directories of results."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from evocrawl.cli.names import COMMANDS
from evocrawl.cli.output import show, write_report
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.evaluation.results import read_results

_EPILOG = """\
examples:
  evocrawl compare birds                          every species with the best
  evocrawl compare birds --against best_first     every species with a baseline
  evocrawl compare birds peers --measure recall_at_T --start search
  evocrawl compare gain4 gain8 --by-directory     one species with two settings

The intervals come from a paired bootstrap over topics, then seeds. "better" means that the
difference for the same topic, start and seed is above zero in the middle 95 % of the resamples.
A topic is won, tied or lost by its mean. See docs/explanation/measures.md."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "compare",
        help=COMMANDS["compare"],
        description="Compare the species of one or more directories of results, with intervals.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    command.add_argument("directories", metavar="DIR", nargs="+", type=Path,
                         help="directory with runs.jsonl or results.json")  # fmt: skip
    command.add_argument("--measure", default="",
                         help="numeric field of the runs (default: recall_auc)")  # fmt: skip
    command.add_argument("--against", metavar="SPECIES", default="",
                         help="species to compare with (default: the best)")  # fmt: skip
    command.add_argument("--start", default="", help="compare only runs from this start")
    command.add_argument("--by-directory", action="store_true",
                         help="put the directory's name before that of the species")  # fmt: skip
    command.add_argument("--out", metavar="DIR", type=Path,
                         help="folder for the table, plots and report.html")  # fmt: skip


def run(asked: argparse.Namespace) -> None:
    """Print the tables, and write the report if --out is given."""
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
