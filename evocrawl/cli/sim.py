"""``evocrawl sim``: runs trials of species in a world and compares their results."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from evocrawl import relevance
from evocrawl.cli.arguments import number, some_path, whole_number
from evocrawl.cli.names import COMMANDS
from evocrawl.cli.output import show, write_report
from evocrawl.cli.pace import paced
from evocrawl.cli.world_argument import NAMES, add_world, identified
from evocrawl.core.config.hints import address_hint, did_you_mean
from evocrawl.core.errors import SettingError
from evocrawl.core.urls.identity import identity
from evocrawl.simulation.campaign import missing, run_trials
from evocrawl.simulation.evaluation.results import ResultsError, ResultTable
from evocrawl.simulation.pace import Pace
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
from evocrawl.species import SPECIES, registry

_EPILOG = f"""\
examples:
  one topic, from the first 3 pages of a search, with 5 seeds and the default budget
  (5 requests for each relevant page, at most half the pages of the world):
    evocrawl sim pages.jsonl.gz --query "bird species" --relevant Science.Biology.Birds \\
        --species evo,energy,best_first --runs 5 --out birds

  all topics of a file, with near and far starting pages:
    evocrawl sim pages.jsonl.gz --topics topics.tsv --split dev --start search,far --out dev

  a world without labels: pages are scored by their words only:
    evocrawl sim pages.jsonl.gz --query "coral bleaching" --budget 500 --out corals

  a synthetic world, whose own words are the query:
    evocrawl sim sites:sites=200,seed=3 --relevant semantic --out sites

{NAMES}

In a changing world, the fetches advance the time.

DIR gets runs.jsonl (one line for each run, with its curves), results.json (without curves), a
table, PNG plots and report.html. Repeat the command to run only the trials that are missing."""


DEFAULT_SPECIES = ("evo", "best_first", "breadth_first")
"""The default species of a crawl, and two baselines."""
_SHOWN_TOPICS = 3


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "sim",
        help=COMMANDS["sim"],
        description="Let species crawl a world without a network and compare what they find.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run, when_stopped="finished runs are kept")
    add_world(command)
    _add_topic(command)
    _add_start(command)
    _add_runs(command)


def _add_topic(command: argparse.ArgumentParser) -> None:
    asked = command.add_argument_group(
        "topic (give --query or --topics; synthetic worlds need only --relevant)"
    )
    which = asked.add_mutually_exclusive_group()
    which.add_argument("--query", metavar="Q", help="topic of the crawl, in plain words")
    which.add_argument(
        "--topics", metavar="FILE", type=some_path, help="TSV file with columns split, topic, query"
    )
    asked.add_argument(
        "--relevant", metavar="TOPIC", default="",
        help="with --query: label of the relevant pages (see evocrawl topics); used to measure "
        "the crawl, never shown to the crawler",
    )  # fmt: skip
    asked.add_argument(
        "--split", metavar="NAME", default="", help="with --topics: use only lines of this split"
    )


def _add_start(command: argparse.ArgumentParser) -> None:
    begin = command.add_argument_group(
        "starting pages (give one of these; default: --start search)"
    )
    start = begin.add_mutually_exclusive_group()
    start.add_argument(
        "--seeds", metavar="URL", nargs="+", default=[], help="start from these pages"
    )
    start.add_argument(
        "--seeds-by-search", metavar="K", type=whole_number(1),
        help="start from the first K results of a search in the world",
    )  # fmt: skip
    start.add_argument(
        "--start", metavar="search|far", type=_starts, default=("search",),
        help="search: the first 3 results of a search; far: one page at least 2 links away from "
        "any relevant page; both: search,far",
    )  # fmt: skip


def _add_runs(command: argparse.ArgumentParser) -> None:
    how = command.add_argument_group("the runs")
    how.add_argument(
        "--species", metavar="A,B,C", type=_species,
        default=DEFAULT_SPECIES,
        help=f"species to compare, from {', '.join(SPECIES)} "
        f"(default: {','.join(DEFAULT_SPECIES)})",
    )  # fmt: skip
    how.add_argument(
        "--budget", metavar="N", type=whole_number(1),
        help="requests for each run (default, for worlds with labels: 5 for each relevant page, "
        "at most half the pages of the world)",
    )  # fmt: skip
    how.add_argument("--runs", metavar="K", type=whole_number(1), default=5,
                     help="runs for each species, topic and start, with seeds 0 to K - 1 "
                     "(default: 5)")  # fmt: skip
    how.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], type=_setting,
                     help="option of evocrawl, such as wander_share=0.2; repeatable")  # fmt: skip
    how.add_argument("--concurrency", metavar="N", type=whole_number(1), default=1,
                     help="number of simultaneous visits (default: 1)")  # fmt: skip
    how.add_argument("--host-delay", metavar="S", type=number(0.0),
                     help="one visit at a time at a host, S seconds between two starts, as in a "
                     "polite crawl (default: no limit for a host)")  # fmt: skip
    how.add_argument("--processes", metavar="N", type=whole_number(1), default=os.cpu_count() or 1,
                     help="number of parallel processes; each holds the world in memory "
                     "(default: number of processors)")  # fmt: skip
    how.add_argument(
        "--out", metavar="DIR", type=some_path, required=True, help="folder for the results"
    )
    how.add_argument("--no-plots", dest="plots", action="store_false",
                     help="write no PNG files and no report.html")  # fmt: skip


def run(asked: argparse.Namespace) -> None:
    """Run the trials whose results are not in DIR; print the table of all."""
    if asked.out.is_file():
        raise ResultsError(f"{asked.out}: this is a file; give a folder")
    world = identified(asked.world)
    trials = _trials(asked)
    _check(trials)
    table = ResultTable(asked.out)
    pace = Pace(asked.concurrency, asked.host_delay)
    # Runs at different paces are different runs.
    identity = f"{world} at {pace}"
    todo = missing(trials, table, identity)
    processes = min(asked.processes, max(len(todo), 1))
    rows = run_trials(
        todo,
        identity,
        partial(open_world, world),
        table,
        processes=processes,
        pace=pace,
    )
    if len(todo) < len(trials):
        print(f"{len(trials) - len(todo)} of {len(trials)} runs exist already", file=sys.stderr)
    try:
        for _ in paced(rows, len(todo), processes):
            pass
    finally:
        table.write_results()
    wanted = {trial.key(identity) for trial in trials}
    show([row for row in table.rows if row["trial"] in wanted])
    write_report(table.rows, asked.out, plots=asked.plots)


def _trials(asked: argparse.Namespace) -> list[Trial]:
    settings, seeds = tuple(asked.set), range(asked.runs)
    if asked.topics and asked.relevant:
        raise TrialError("--relevant needs --query: the file of --topics names its own topics")
    if asked.split and not asked.topics:
        raise TrialError("--split needs --topics")
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
    query = (
        asked.query if asked.query is not None else _synthetic_query(asked.world, asked.relevant)
    )
    return [Topic("", asked.relevant, query)]


def _synthetic_query(spec: str, topic: str) -> str:
    """Return a query for `topic` of a synthetic world. Raises TrialError, with its topics."""
    synthetic = made_up_by(spec)
    if synthetic is None:
        raise TrialError(
            "no topic: give --query Q, with --relevant TOPIC if the pages have labels "
            "(see evocrawl topics), or give --topics FILE"
        )
    world = synthetic.make()
    if topic in world.topics():
        return query_of(world, topic)
    known = world.topics()
    more = (
        f", … ({len(known)} in all: evocrawl topics {spec})" if len(known) > _SHOWN_TOPICS else ""
    )
    raise TrialError(
        f"no topic for this synthetic world: give --relevant TOPIC, one of "
        f"{', '.join(known[:_SHOWN_TOPICS]) or 'none'}{more}; its own words are the query unless "
        "you give --query or --topics FILE"
    )


def _check(trials: Sequence[Trial]) -> None:
    """Raise the errors that are known before the first run."""
    for query, _, labelled in {(each.query, each.settings, bool(each.topic)): None
                                      for each in trials}:  # fmt: skip
        one = next(each for each in trials if each.query == query)
        config = one.config(one.budget or 1)
        relevance.Wanted.by(config).make()
        if not labelled and one.budget is None:
            raise TrialError("without --relevant there is no default budget: give --budget")
    for each in trials:
        if not each.topic and (each.species == "oracle" or each.start == "far"):
            what = "the species oracle" if each.species == "oracle" else "the start far"
            raise TrialError(f"{what} needs labels: give --relevant TOPIC (see evocrawl topics)")


def _species(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    known = registry.known()
    for name in names:
        if name not in known and ":" not in name:
            hint = did_you_mean(name, known)
            raise argparse.ArgumentTypeError(
                f"no species {name!r}; choose from {', '.join(known)}"
                + (f"; {hint}" if hint else "")
            )
    if not names:
        raise argparse.ArgumentTypeError("must be names of species, separated by commas")
    return names


def _starts(text: str) -> tuple[str, ...]:
    starts = tuple(dict.fromkeys(text.split(",")))
    if not set(starts) <= {"search", "far"}:
        raise argparse.ArgumentTypeError("must be search, far or search,far")
    return starts


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("must be NAME=VALUE")
    if name in ("query", "seeds", "species", "seed", "max_requests"):
        raise argparse.ArgumentTypeError(f"{name} has its own argument")
    return name.strip(), value


def _url(text: str) -> str:
    try:
        return identity(text)
    except ValueError as error:
        raise SettingError("--seeds", text, "http or https URLs", address_hint(text)) from error
