"""``evocrawl experiment``: repeats a published experiment and checks its claims."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from evocrawl.cli.arguments import some_path, whole_number
from evocrawl.cli.names import COMMANDS
from evocrawl.cli.world_argument import NAMES, identified
from evocrawl.core.errors import SettingError
from evocrawl.simulation.evaluation.results import write_atomically
from evocrawl.simulation.papers import EXPERIMENTS
from evocrawl.simulation.papers.base import Experiment, Setup
from evocrawl.simulation.papers.writing import claims_table, made_before, page, save
from evocrawl.simulation.worlds.registry import open_world

ALL = "all"
PAGE = "reproduction.md"

_EPILOG = f"""\
experiments:
{{names}}

examples:
  evocrawl experiment biocrawler --out experiments
  evocrawl experiment energy-4 pages.jsonl.gz --query "bird species" --out experiments
  evocrawl experiment all pages.jsonl.gz --query "matrix array function" --out experiments

For each experiment, DIR gets NAME.md (the claims), NAME.json (every run) and the plots. `all` also
writes {PAGE}, and skips experiments whose results are already in DIR. The default scale is
that of the paper and takes minutes; --small takes seconds and only shows that everything works.

{NAMES}"""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    names = "\n".join(
        f"  {each.name:<20} {each.title}{' (needs WORLD)' if each.needs_text else ''}"
        for each in EXPERIMENTS.values()
    )
    command = commands.add_parser(
        "experiment",
        help=COMMANDS["experiment"],
        description="Repeat a published experiment. Print each claim, the figure of the paper, the "
        "measured figure, and whether the claim holds.",
        epilog=_EPILOG.format(names=names),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    command.add_argument("name", metavar="NAME", choices=[*EXPERIMENTS, ALL],
                         help="an experiment from the list below, or all")  # fmt: skip
    command.add_argument("world", metavar="WORLD", nargs="?", default="",
                         help="world for the experiments that need text")  # fmt: skip
    command.add_argument(
        "--query",
        metavar="Q",
        default="",
        help="topic of the crawls, for the experiments that need text",
    )
    command.add_argument("--relevant", metavar="TOPIC", default="",
                         help="label of the relevant pages (default: pages are relevant by the "
                         "scores of the crawl)")  # fmt: skip
    command.add_argument(
        "--runs",
        metavar="K",
        type=whole_number(1),
        default=5,
        help="number of seeds, 1 to K (default: 5)",
    )
    command.add_argument(
        "--small", action="store_true", help="run at a small scale, for a first look"
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        type=some_path,
        help="folder for the results (default: write nothing)",
    )


def run(asked: argparse.Namespace) -> None:
    """Run the chosen experiments."""
    chosen = [*EXPERIMENTS.values()] if asked.name == ALL else [EXPERIMENTS[asked.name]]
    setup = _setup(asked, chosen)
    sections = []
    for experiment in chosen:
        known = None
        if asked.name == ALL and asked.out is not None:
            known = made_before(experiment, setup, asked.out)
        if known is not None:
            print(f"{experiment.name}: results exist, skipped")
            sections.append(known)
            continue
        print(f"{experiment.name}: {experiment.title} ({experiment.paper})", flush=True)
        findings = experiment.run(setup)
        _clear()
        print(f"\n{claims_table(findings.claims)}\n", flush=True)
        if asked.out is not None:
            sections.append(save(experiment, setup, findings, asked.out))
    if asked.out is not None and asked.name == ALL:
        write_atomically(asked.out / PAGE, page(sections, "evocrawl experiment all", _about(setup)))


def _setup(asked: argparse.Namespace, chosen: Sequence[Experiment]) -> Setup:
    texts = [each.name for each in chosen if each.needs_text]
    if texts and not (asked.world and asked.query):
        raise SettingError(
            "WORLD", asked.world or None, f"a world, with --query, for {', '.join(texts)}"
        )
    world = open_world(identified(asked.world)) if texts else None
    if world is not None and asked.relevant and asked.relevant not in world.topics():
        raise SettingError("--relevant", asked.relevant, "a topic of the world (evocrawl topics)")
    return Setup(
        tuple(range(1, asked.runs + 1)),
        asked.small,
        world,
        asked.query,
        asked.relevant,
        _show_progress,
    )


def _about(setup: Setup) -> str:
    if setup.world is None:
        return ""
    return f"{setup.world.name} ({len(setup.world)} pages), query “{setup.query}”"


def _show_progress(activity: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K  {activity}", end="", file=sys.stderr, flush=True)


def _clear() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
