"""``evocrawl world``: generates a synthetic web, measures it and saves it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from evocrawl.cli.arguments import some_path
from evocrawl.cli.names import COMMANDS
from evocrawl.core.config.option import Option
from evocrawl.core.files import check_writable, make_folder_of
from evocrawl.simulation.evaluation.results import write_atomically
from evocrawl.simulation.worlds.made_up.base import Compared
from evocrawl.simulation.worlds.made_up.news import News
from evocrawl.simulation.worlds.made_up.sites import Sites
from evocrawl.simulation.worlds.made_up.spec import (
    KINDS,
    NUMBERS,
    REWIRED,
    SEED,
    Kind,
    WorldSpec,
    defaults,
    query_of,
)
from evocrawl.simulation.worlds.registry import PAGES, open_world
from evocrawl.simulation.worlds.writer import save_world

TOPICS_FILE = "topics.tsv"
_FILE_ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst")
_SPLITS = ("dev", "check")

_ABOUT: dict[Kind, str] = {
    "sites": "Sites after BioCrawler (Batzios et al. 2008): few sites have relevant pages, the "
    "robots.txt of some forbids everything, some links are dead. One topic: semantic.",
    "news": "A news web after the foragers paper (Palotai, Farkas & Lőrincz): a scale-free small "
    "world with 50 topics; pages appear and change over some days.",
}

_EPILOG = """\
examples:
  measure a world without saving it:
    evocrawl world sites --sites 100 --semantic 0.05 --seed 3
  save a folder with pages.jsonl.gz and topics.tsv; one file; a world with rewired links:
    evocrawl world news --pages 5000 --seed 3 --out paper
    evocrawl world news --pages 5000 --seed 3 --out paper.jsonl.gz
    evocrawl world news --pages 5000 --seed 3 --rewired --out rewired

For the numbers and their defaults: evocrawl world sites --help, evocrawl world news --help.

You do not have to save a world: every command that takes a WORLD also takes a name such as
sites:sites=100,semantic=0.05,seed=3, the first of these examples. Save a file to share a world or
to use it in other programs. A file holds the web at time 0, while news:… changes with time."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "world",
        help=COMMANDS["world"],
        description="Generate a synthetic web. The output shows each number that you gave beside\n"
        "its measured value. The same numbers and seed give the same web.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = command.add_subparsers(title="kinds", metavar="KIND", dest="kind", required=True)
    for kind in KINDS:
        _add_kind(kinds, kind)


def _add_kind(kinds: Any, kind: Kind) -> None:
    command = kinds.add_parser(kind, help=_ABOUT[kind], description=_ABOUT[kind])
    command.set_defaults(run=run)
    numbers = command.add_argument_group("numbers")
    for name, default in defaults(kind).items():
        _add_number(numbers, name, NUMBERS[name], default)
    _add_number(numbers, "seed", SEED, 0)
    if kind == "news":
        command.add_argument("--rewired", action="store_const", const="1", help=REWIRED.meaning)
    command.add_argument(
        "--out", metavar="FILE|DIR", type=some_path,
        help="file to save (.jsonl, .jsonl.gz or .jsonl.zst), or folder for pages.jsonl.gz and "
        "topics.tsv (default: save nothing)",
    )  # fmt: skip


def _add_number(group: Any, name: str, number: Option, default: float) -> None:
    meaning = f"{number.meaning}: {number.allowed} (default {str(default).removesuffix('.0')})"
    flag = f"--{name.replace('_', '-')}"
    group.add_argument(flag, metavar="N", dest=name, help=meaning)


def run(asked: argparse.Namespace) -> None:
    """Generate the world, print its measures, and save it if --out is given."""
    names = (*defaults(asked.kind), "seed", "rewired")
    given = {name: text for name in names if (text := getattr(asked, name, None)) is not None}
    plan = WorldSpec.of(asked.kind, given)
    if asked.out is not None:
        _prepare(asked.out)
    world = plan.make()
    print(table(world.compared(np.random.default_rng(plan.seed))))
    when = "" if asked.kind == "sites" else " at some time"
    print(f"\n{len(world)} pages can be fetched{when}")
    where = shlex.quote(str(_save(world, asked.out))) if asked.out else plan.name
    if asked.out and asked.kind == "news":
        print(f"{plan.name} is the same world, but changes with time")
    if world.topics():
        topic = world.topics()[0]
        # Most news pages have no links: a search may return only such pages.
        start = " --start far" if asked.kind == "news" else ""
        print(f'\nto crawl it:\n  evocrawl sim {where} --relevant {topic} \\\n'
              f'      --query "{query_of(world, topic)}"{start} --out results')  # fmt: skip


def table(compared: tuple[Compared, ...]) -> str:
    """Return a table of the requested and the measured numbers."""
    lines = [f"{'':20} {'asked':>10} {'measured':>10}"]
    for each in compared:
        asked = "" if each.asked is None else f"{each.asked:.6g}"
        lines.append(f"{each.measure:20} {asked:>10} {each.measured:>10.6g}")
    return "\n".join(lines)


def _is_file(out: Path) -> bool:
    return out.name.endswith(_FILE_ENDINGS) and not out.is_dir()


def _prepare(out: Path) -> None:
    """Make the folder that the world is saved to. Raises OSError before the world is made."""
    if _is_file(out):
        check_writable(out)
    else:
        make_folder_of(out / PAGES)


def _save(world: Sites | News, out: Path) -> Path:
    """Write the world to a file, or the world and its topics to a folder; return `out`."""
    if _is_file(out):
        print(f"{out}: {save_world(world, out)} lines")
        return out
    pages = out / f"{PAGES}.jsonl.gz"
    print(f"{pages}: {save_world(world, pages)} lines")
    # Only topics of the saved pages: pages that appear later are not in the file.
    topics = open_world(out).topics()
    write_atomically(out / TOPICS_FILE, _topics(world, topics))
    print(f"{out / TOPICS_FILE}: {len(topics)} topics, every second one for tuning (dev)")
    return out


def _topics(world: Sites | News, topics: Collection[str]) -> str:
    """Return the topics as a TSV file for ``evocrawl sim --topics``; the splits alternate."""
    lines = [
        f"{_SPLITS[place % 2]}\t{topic}\t{query_of(world, topic)}\n"
        for place, topic in enumerate(topics)
    ]
    return "".join(["split\ttopic\tquery\n", *lines])
