"""``evocrawl sim``: hold trials in a world, and say which species did better."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from evocrawl import relevance
from evocrawl.cli.output import show, write_report
from evocrawl.cli.world_argument import NAMES, add_world, identified
from evocrawl.core.errors import SettingError
from evocrawl.core.urls.identity import identity
from evocrawl.simulation.campaign import hold_all, missing
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.evaluation.results import ResultTable
from evocrawl.simulation.trials import (
    SEARCH_HITS,
    Start,
    Topic,
    Trial,
    TrialError,
    read_topics,
    trials_of,
)
from evocrawl.simulation.worlds.made_up.spec import query_of
from evocrawl.simulation.worlds.registry import made_up_by, open_world
from evocrawl.species import SPECIES

_EPILOG = f"""\
examples:
  one topic, from the first three pages of a search, 5 seeds, the budget by the rule
  (5 requests for each relevant page, at most half the world):
    evocrawl sim pages.jsonl.gz --query "bird species" --relevant Science.Biology.Birds \\
        --species energy,best_first,breadth_first --runs 5 --out birds

  all topics of a file, from near and from far:
    evocrawl sim pages.jsonl.gz --topics topics.tsv --split dev --start search,far --out dev

  no labels: pages are judged by their words alone:
    evocrawl sim pages.jsonl.gz --query "coral bleaching" --budget 500 --out corals

  a made-up web, asked for its relevant pages by its own made-up words:
    evocrawl sim sites:sites=200,seed=3 --relevant semantic --out sites

{NAMES}

In a world that changes, time goes by with the fetches.

DIR gets runs.jsonl (a line for each run, with its curves), results.json (without), a table,
PNG plots and report.html. The same command again makes only the runs that are missing."""


_SHOWN_TOPICS = 3


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "sim",
        help="let species crawl a world, and compare them",
        description="Let species crawl a world without a network, and compare what they find.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run, when_stopped="finished runs are kept")
    add_world(command)
    asked = command.add_argument_group(
        "what to look for (one of the first two; in a made-up world --relevant will do)"
    )
    which = asked.add_mutually_exclusive_group()
    which.add_argument("--query", metavar="Q", help="what the crawl is about, in plain words")
    which.add_argument(
        "--topics", metavar="FILE", type=Path, help="a table of split, topic and query, by tabs"
    )
    asked.add_argument(
        "--relevant", metavar="TOPIC", default="",
        help="with --query: the label of the relevant pages (see evocrawl topics); the crawler "
        "never sees it",
    )  # fmt: skip
    asked.add_argument(
        "--split", metavar="NAME", default="", help="with --topics: the lines of this split only"
    )
    begin = command.add_argument_group("where to begin (one of these; default: --start search)")
    start = begin.add_mutually_exclusive_group()
    start.add_argument("--seeds", metavar="URL", nargs="+", default=[], help="these pages")
    start.add_argument(
        "--seeds-by-search", metavar="K", type=_positive,
        help="the K pages that a search of the world ranks first",
    )  # fmt: skip
    start.add_argument(
        "--start", metavar="search|far", type=_starts, default=("search",),
        help="search: the first 3 pages of a search; far: one page at least 2 links away from "
        "what is relevant; both: search,far",
    )  # fmt: skip
    how = command.add_argument_group("the runs")
    how.add_argument(
        "--species", metavar="A,B,C", type=_species,
        default=("energy", "best_first", "breadth_first"), help=f"of {', '.join(SPECIES)}",
    )  # fmt: skip
    how.add_argument(
        "--budget", metavar="N", type=_positive,
        help="requests a run may make; with labels by default 5 for each relevant page, at most "
        "half the world",
    )  # fmt: skip
    how.add_argument("--runs", metavar="K", type=_positive, default=5,
                     help="runs of each kind, of seeds 0 to K - 1 (default 5)")  # fmt: skip
    how.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], type=_setting,
                     help="an option, such as wander_share=0.2; may be repeated")  # fmt: skip
    how.add_argument("--concurrency", metavar="N", type=_positive, default=1,
                     help="visits under way at once (default 1)")  # fmt: skip
    how.add_argument("--processes", metavar="N", type=_positive, default=os.cpu_count() or 1,
                     help="runs at once, each process with the world in memory "
                     "(default: the processors)")  # fmt: skip
    how.add_argument("--out", metavar="DIR", type=Path, required=True, help="where results go")
    how.add_argument("--no-plots", dest="plots", action="store_false",
                     help="write no PNG files and no report.html")  # fmt: skip


def run(asked: argparse.Namespace) -> None:
    """Hold the trials that are asked for and not in DIR yet; show the table."""
    world = identified(asked.world)
    trials = _trials(asked)
    _check(trials)
    table = ResultTable(asked.out)
    # Runs of another concurrency are other runs.
    identity = f"{world} at {asked.concurrency}"
    todo = missing(trials, table, identity)
    rows = hold_all(
        todo,
        identity,
        partial(open_world, world),
        table,
        processes=min(asked.processes, max(len(todo), 1)),
        concurrency=asked.concurrency,
    )
    try:
        for _ in _with_progress(rows, len(todo), len(trials)):
            pass
    finally:
        table.write_results()
    wanted = {trial.key(identity) for trial in trials}
    show([row for row in table.rows if row["trial"] in wanted])
    write_report(table.rows, asked.out, plots=asked.plots)


def _trials(asked: argparse.Namespace) -> list[Trial]:
    settings, seeds = tuple(asked.set), range(asked.runs)
    if asked.topics and asked.relevant:
        raise TrialError("--relevant goes with --query; the file of --topics names its own topics")
    if asked.split and not asked.topics:
        raise TrialError("--split goes with --topics")
    starts: tuple[Start, ...] = ("given",) if asked.seeds else asked.start
    return trials_of(
        _topics(asked),
        asked.species,
        starts,
        seeds,
        budget=asked.budget,
        settings=settings,
        urls=tuple(_url(url) for url in asked.seeds),
        hits=asked.seeds_by_search or SEARCH_HITS,
    )


def _topics(asked: argparse.Namespace) -> list[Topic]:
    if asked.topics:
        return read_topics(asked.topics, asked.split)
    query = asked.query if asked.query is not None else _made_up_query(asked.world, asked.relevant)
    return [Topic("", asked.relevant, query)]


def _made_up_query(spec: str, topic: str) -> str:
    """Return what asks a made-up world for `topic`; raises TrialError that tells what is there."""
    made_up = made_up_by(spec)
    if made_up is None:
        raise TrialError(
            "say what to look for: --query Q, with --relevant TOPIC where pages have labels "
            "(see evocrawl topics), or --topics FILE"
        )
    world = made_up.make()
    if topic in world.topics():
        return query_of(world, topic)
    known = world.topics()
    more = (
        f", … ({len(known)} in all: evocrawl topics {spec})" if len(known) > _SHOWN_TOPICS else ""
    )
    raise TrialError(
        f"say what to look for in this made-up world: --relevant TOPIC, one of "
        f"{', '.join(known[:_SHOWN_TOPICS]) or 'none'}{more}; its own words are the query unless "
        "--query or --topics FILE gives another"
    )


def _check(trials: Sequence[Trial]) -> None:
    """Raise what can be raised before any run is made."""
    for query, settings, labelled in {(each.query, each.settings, bool(each.topic)): None
                                      for each in trials}:  # fmt: skip
        one = next(each for each in trials if each.query == query)
        config = one.config(one.budget or 1)
        relevance.create(config.relevance, query, dict(settings).get("language", ""))
        if not labelled and one.budget is None:
            raise TrialError("without --relevant there is no rule for the budget: give --budget")
    for each in trials:
        if not each.topic and (each.species == "oracle" or each.start == "far"):
            what = "the species oracle" if each.species == "oracle" else "the start far"
            raise TrialError(f"{what} needs labels: give --relevant TOPIC (see evocrawl topics)")


def _with_progress(rows: Iterable[Row], todo: int, total: int) -> Iterable[Row]:
    if todo < total:
        print(f"{total - todo} of {total} runs were made before", file=sys.stderr)
    try:
        from tqdm import tqdm
    except ImportError:
        return rows
    return cast("Iterable[Row]", tqdm(rows, total=todo, unit="run", disable=not todo))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("a whole number from 1")
    return number


def _species(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in SPECIES:
            raise argparse.ArgumentTypeError(f"no species {name!r}; there are {', '.join(SPECIES)}")
    if not names:
        raise argparse.ArgumentTypeError("names of species, apart by commas")
    return names


def _starts(text: str) -> tuple[str, ...]:
    starts = tuple(dict.fromkeys(text.split(",")))
    if not set(starts) <= {"search", "far"}:
        raise argparse.ArgumentTypeError("search, far, or search,far")
    return starts


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("NAME=VALUE")
    if name in ("query", "seeds", "species", "seed", "max_requests"):
        raise argparse.ArgumentTypeError(f"{name} has an argument of its own")
    return name.strip(), value


def _url(text: str) -> str:
    try:
        return identity(text)
    except ValueError as error:
        raise SettingError("--seeds", text, "http or https URLs") from error
