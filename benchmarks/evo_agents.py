"""Compares the species `evo` with its link model without a population.

    python benchmarks/evo_agents.py WORLD TOPICS [--settings one concurrent sides long misled]
        [--starts search far] [--variants evo bolder bolder_apart] [--half first|second|all]
        [--runs 1] [--processes 1] [--out FILE]

==========  ========================================================================
setting     a trial
==========  ========================================================================
one         one visit at a time, 5 requests for each relevant page; starts search and far
concurrent  sixteen visits under way; starts search and far
sides       a topic of two sides: both queries, the pages of either; start search
long        20 requests for each relevant page; start search
misled      the weights of half of the features have the opposite sign at the start;
            another half for each topic; starts search and far
==========  ========================================================================

No budget is above half the world. Prints a line for each setting and variant: mean recall_auc, its
mean difference to "none", a 95 % bootstrap interval over topics, then seeds, topics won and lost,
and the duration of the crawl at the latency of the world. "none" is the model without a population:
all agents follow it exactly, so there is nothing to select from. "bolder" has higher temperatures,
and "bolder_apart" the same ones without inheritance: a clone gets a new genome, so that energy
selects nothing.

`--half` takes every other topic of the file, from the first or the second on; topics of two sides
join each with the next one, the last with the first. Rows already in FILE (JSON lines) are not
repeated.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from evo_models import misleading, model_of
from trial_rows import Row, stored_rows

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.core.model import Fingerprint
from evocrawl.simulation.evaluation import measures
from evocrawl.simulation.evaluation.bootstrap import difference
from evocrawl.simulation.laboratory import SearchableWorld
from evocrawl.simulation.runner import run
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.trials import SEARCH_HITS, Topic, far_start, read_topics
from evocrawl.simulation.worlds.link_graph import WebGraph
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species import Maker, Species, SpeciesContext
from evocrawl.species.energy import EnergySharing
from evocrawl.species.evo.link_model.prior import Prior
from evocrawl.species.evo.species import evo

ALONE = "none"


@dataclass(frozen=True, slots=True)
class Setting:
    """Setting of trials: concurrent visits, requests per relevant page, starts, sides.

    With `misled` the model begins with a prior that is half wrong.
    """

    concurrency: int = 1
    budget: int = 5
    starts: tuple[str, ...] = ("search", "far")
    sides: int = 1
    misled: bool = False


SETTINGS = {
    "one": Setting(),
    "concurrent": Setting(concurrency=16),
    "sides": Setting(starts=("search",), sides=2),
    "long": Setting(budget=20, starts=("search",)),
    "misled": Setting(misled=True),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One run to make; `topic` joins its sides by +."""

    setting: str
    topic: str
    query: str
    start: str
    seed: int
    variant: str


def variant(
    have: SpeciesContext, before: Prior | None, *, inherits: bool = True, **options: Any
) -> Species:
    """Return the species with another prior, without inheritance, or with other options."""
    species = evo(have.frontier(), have.base, model_of(have, before), have.leads(), **options)
    return species if inherits else replace(species, breeding=EnergySharing())


_BOLD = (0.0, 0.3, 0.6, 1.0)
VARIANTS: dict[str, dict[str, Any]] = {
    "evo": {},
    "bolder": {"temperatures": _BOLD},
    "bolder_apart": {"temperatures": _BOLD, "inherits": False},
    ALONE: {"temperatures": (0.0,)},
}


def maker_of(trial: Trial) -> Maker:
    """Return what makes the species of a trial."""
    wrong = crc32(trial.topic.encode()) + trial.seed
    before = misleading(wrong) if SETTINGS[trial.setting].misled else None
    return partial(variant, before=before, **VARIANTS[trial.variant])


def trials_of(
    settings: Sequence[str],
    topics: Sequence[Topic],
    starts: Sequence[str],
    variants: Sequence[str],
    runs: int,
) -> Iterator[Trial]:
    """Yield the trials, grouped by topic and setting."""
    for name in settings:
        setting = SETTINGS[name]
        for first in range(len(topics)):
            sides = [topics[(first + side) % len(topics)] for side in range(setting.sides)]
            topic, query = "+".join(each.name for each in sides), " ".join(e.query for e in sides)
            kept = [start for start in setting.starts if start in starts]
            for start, seed, each in product(kept, range(runs), variants):
                yield Trial(name, topic, query, start, seed, each)


class Bench:
    """A world, its graph, and the scorer of the latest query."""

    def __init__(self, world: SearchableWorld) -> None:
        self._world = world
        self._graph = cache(lambda: WebGraph(world))
        self._scorers: dict[str, PageScorer] = {}

    def hold(self, trial: Trial) -> Row:
        """Run a trial and return its row."""
        setting = SETTINGS[trial.setting]
        relevant: frozenset[Fingerprint] = frozenset().union(
            *map(self._world.about, trial.topic.split("+"))
        )
        budget = min(setting.budget * len(relevant), len(self._world) // 2)
        arguments = {"query": trial.query, "seed": trial.seed, "max_requests": budget}
        config = Config.read({}, arguments)
        done = run(
            self._world,
            config,
            self._seeds(trial, relevant),
            concurrency=setting.concurrency,
            scorer=self._scorer(config),
            makers=(maker_of(trial),),
        )
        pages = ((s.request, s.fingerprint) for s in done.steps if s.outcome == "fetched")
        hits = measures.hits_of(pages, relevant)
        return asdict(trial) | {
            "recall_auc": measures.recall_auc(hits, budget, len(relevant)),
            "recall": [
                measures.recall(hits, b, len(relevant))
                for b in measures.checkpoints(len(relevant)).values()
            ],
            "simulated_s": done.simulated_s,
        }

    def _seeds(self, trial: Trial, relevant: frozenset[Fingerprint]) -> list[str]:
        if trial.start == "search":
            return self._world.search(trial.query, SEARCH_HITS)
        return [far_start(self._world, self._graph(), relevant, trial.seed)]

    def _scorer(self, config: Config) -> PageScorer:
        if config.query not in self._scorers:
            model = relevance.create(config.relevance, config.query, config.language)
            self._scorers = {config.query: PageScorer(model)}
        return self._scorers[config.query]


@cache
def bench(world: str) -> Bench:
    """Return the bench of a world; each process has one."""
    return Bench(open_world(world))


def hold(trial: Trial, world: str) -> Row:
    """Return the row of a trial."""
    return bench(world).hold(trial)


def key(row: Row) -> Trial:
    """Return the key of the trial of a row."""
    return Trial(**{name: row[name] for name in Trial.__slots__})


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each setting and variant."""
    for setting in dict.fromkeys(row["setting"] for row in rows):
        here = [row for row in rows if row["setting"] == setting]
        for name in dict.fromkeys(row["variant"] for row in here):
            own = [row for row in here if row["variant"] == name]
            mean = np.mean([row["recall_auc"] for row in own])
            took = np.mean([row["simulated_s"] for row in own])
            line = f"{setting:10} {name:20} {len(own):3} runs {mean:.3f}"
            yield f"{line}  {against(own, here)}  {took:.1f} s"


def against(own: Sequence[Row], rows: Sequence[Row]) -> str:
    """Return the difference of a variant to the model alone, over the trials that both have."""
    ours = {(r["topic"], r["seed"], r["start"]): r["recall_auc"] for r in own}
    theirs = {
        (r["topic"], r["seed"], r["start"]): r["recall_auc"] for r in rows if r["variant"] == ALONE
    }
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        return ""
    sides: list[dict[str, dict[int, list[float]]]] = [{}, {}]
    for topic, seed, start in shared:
        for values, side in zip((ours, theirs), sides, strict=True):
            of_seed = side.setdefault(topic, {}).setdefault(seed, [])
            of_seed.append(values[topic, seed, start])
    found = difference(sides[0], sides[1], np.random.default_rng(0))
    mean = found.interval
    return (
        f"{mean.mean:+.4f} [{mean.low:+.3f}, {mean.high:+.3f}] won {found.wins} lost {found.losses}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world")
    parser.add_argument("topics", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--half", choices=("first", "second", "all"), default="all")
    parser.add_argument("--settings", nargs="+", choices=tuple(SETTINGS), default=list(SETTINGS))
    parser.add_argument("--starts", nargs="+", default=["search", "far"])
    parser.add_argument("--variants", nargs="+", choices=tuple(VARIANTS), default=["evo"])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("evo_agents.jsonl"))
    given = parser.parse_args()
    step = {"first": slice(0, None, 2), "second": slice(1, None, 2), "all": slice(None)}
    topics = read_topics(given.topics, given.split)[step[given.half]]
    variants = list(dict.fromkeys((ALONE, *given.variants)))
    wanted = list(trials_of(given.settings, topics, given.starts, variants, given.runs))
    with (
        ProcessPoolExecutor(given.processes, multiprocessing.get_context("spawn")) as pool,
        stored_rows(given.out) as (rows, store),
    ):
        done = {key(row) for row in rows}
        futures = [pool.submit(hold, each, given.world) for each in wanted if each not in done]
        for future in as_completed(futures):
            store([future.result()])
    by_key = {key(row): row for row in rows}
    print(*table([by_key[each] for each in wanted]), sep="\n")


if __name__ == "__main__":
    main()
