"""Compares the species `evo` with its link model without a population.

    python benchmarks/evo_agents.py WORLD TOPICS [--settings one concurrent sides long misled
        changed] [--starts search far] [--variants evo bolder bolder_apart]
        [--against none] [--half first|second|all] [--runs 1] [--processes 1] [--out FILE]

==========  ========================================================================
setting     a trial
==========  ========================================================================
one         one visit at a time, 5 requests for each relevant page; starts search and far
concurrent  sixteen visits under way; starts search and far
sides       a topic of two sides: both queries, the pages of either; start search
long        20 requests for each relevant page; start search
misled      the weights of half of the features have the opposite sign at the start;
            another half for each topic; starts search and far
changed     a topic of two sides, of which the first is relevant until half of the budget is
            used, and the second from then on; starts search and far, of the first side
==========  ========================================================================

No budget is above half the world. Prints a line for each setting and variant: mean recall_auc, its
mean difference to the variant `--against` ("none" by default, the model without a population), a
95 % bootstrap interval over topics, topics won and lost, and the duration of the crawl at the
latency of the world. `evo_variants` describes the variants.

In `changed` the crawl's query has the words of both sides. Pages are judged by the query of the
first side in the first half of the budget and by that of the second one from then on: as on a web
whose pages on a subject are replaced, no page of the first side is relevant any more. The budget is
5 requests for each page of a side on average. The score is not recall_auc but the share of the
second side that is found, on average over the requests after the change.

`--half` takes every other topic of the file, from the first or the second on; topics of two sides
join each with the next one, the last with the first. Rows already in FILE (JSON lines) are not
repeated.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache, lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from evo_models import misleading
from evo_variants import ALONE, VARIANTS, variant
from trial_rows import Row, stored_rows

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.core.model import Fingerprint
from evocrawl.population.assembly import Assembly
from evocrawl.simulation.evaluation import measures
from evocrawl.simulation.evaluation.bootstrap import difference
from evocrawl.simulation.laboratory import SearchableWorld
from evocrawl.simulation.runner import Run, run
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.trials import SEARCH_HITS, Topic, far_start, read_topics
from evocrawl.simulation.worlds.base import Document
from evocrawl.simulation.worlds.link_graph import WebGraph
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species import Maker


@dataclass(frozen=True, slots=True)
class Setting:
    """Setting of trials: concurrent visits, requests per relevant page, starts, sides.

    With `misled` the model begins with a prior that is half wrong; with `changes` the second side
    takes the place of the first one in mid-crawl.
    """

    concurrency: int = 1
    budget: int = 5
    starts: tuple[str, ...] = ("search", "far")
    sides: int = 1
    misled: bool = False
    changes: bool = False


SETTINGS = {
    "one": Setting(),
    "concurrent": Setting(concurrency=16),
    "sides": Setting(starts=("search",), sides=2),
    "long": Setting(budget=20, starts=("search",)),
    "misled": Setting(misled=True),
    "changed": Setting(sides=2, changes=True),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One run to make; `topic` joins its sides by +, `query` theirs by a tab."""

    setting: str
    topic: str
    query: str
    start: str
    seed: int
    variant: str


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
            topic, query = "+".join(each.name for each in sides), "\t".join(e.query for e in sides)
            kept = [start for start in setting.starts if start in starts]
            for start, seed, each in product(kept, range(runs), variants):
                yield Trial(name, topic, query, start, seed, each)


class ChangingScorer(PageScorer):
    """Scores pages by the first of two scorers, once it has turned by the second one.

    Its model, which reads links, is that of a third scorer.
    """

    def __init__(self, of_links: PageScorer, of_pages: Sequence[PageScorer], turn_at: int) -> None:
        super().__init__(of_links.model)
        self._of_pages = of_pages
        self._turn_at = turn_at
        self._turned = False

    def note(self, assembly: Assembly) -> None:
        """Turn when `turn_at` requests are spent."""
        self._turned = assembly.budget.spent >= self._turn_at

    def score(self, document: Document, now_s: float = 0.0) -> float:
        """Return the score of `document` by the scorer of the moment."""
        return self._of_pages[self._turned].score(document, now_s)


class Bench:
    """A world, its graph, and the scorers of the latest queries."""

    def __init__(self, world: SearchableWorld) -> None:
        self._world = world
        self._graph = cache(lambda: WebGraph(world))
        self._scorer = lru_cache(3)(scorer_of)

    def hold(self, trial: Trial) -> Row:
        """Run a trial and return its row."""
        changes = SETTINGS[trial.setting].changes
        sides = [frozenset(self._world.about(side)) for side in trial.topic.split("+")]
        relevant = frozenset().union(*sides)
        budget = self._budget(trial, sum(map(len, sides)) // 2 if changes else len(relevant))
        done = self._crawl(trial, sides[0] if changes else relevant, budget)
        pages = [(s.request, s.fingerprint) for s in done.steps if s.outcome == "fetched"]
        hits = measures.hits_of(pages, relevant)
        auc = measures.recall_auc(hits, budget, len(relevant))
        if changes:
            found = measures.hits_within(measures.hits_of(pages, sides[1]), budget)
            auc = float(found[budget // 2 :].mean()) / len(sides[1])
        return asdict(trial) | {
            "recall_auc": auc,
            "recall": [
                measures.recall(hits, b, len(relevant))
                for b in measures.checkpoints(len(relevant)).values()
            ],
            "simulated_s": done.simulated_s,
        }

    def _budget(self, trial: Trial, pages: int) -> int:
        return min(SETTINGS[trial.setting].budget * pages, len(self._world) // 2)

    def _crawl(self, trial: Trial, begin_near: Collection[Fingerprint], budget: int) -> Run:
        """Run the crawl; a search is for the side that is relevant at the start."""
        queries, changes = trial.query.split("\t"), SETTINGS[trial.setting].changes
        arguments = {"query": " ".join(queries), "seed": trial.seed, "max_requests": budget}
        config = Config.read({}, arguments)
        scorer = self._scorer(config.query)
        more: dict[str, Any] = {}
        if changes:
            scorer = ChangingScorer(scorer, [*map(self._scorer, queries)], budget // 2)
            more = {"before_choice": scorer.note}
        if trial.start == "search":
            seeds = self._world.search(queries[0] if changes else config.query, SEARCH_HITS)
        else:
            seeds = [far_start(self._world, self._graph(), begin_near, trial.seed)]
        return run(
            self._world,
            config,
            seeds,
            concurrency=SETTINGS[trial.setting].concurrency,
            scorer=scorer,
            makers=(maker_of(trial),),
            **more,
        )


def scorer_of(query: str) -> PageScorer:
    """Return a scorer of pages by the default relevance."""
    return PageScorer(relevance.Wanted.by(Config.read({}, {"query": query})).make())


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


def table(rows: Sequence[Row], reference: str = ALONE) -> Iterator[str]:
    """Yield a line for each setting and variant."""
    for setting in dict.fromkeys(row["setting"] for row in rows):
        here = [row for row in rows if row["setting"] == setting]
        others = [row for row in here if row["variant"] == reference]
        for name in dict.fromkeys(row["variant"] for row in here):
            own = [row for row in here if row["variant"] == name]
            mean = np.mean([row["recall_auc"] for row in own])
            took = np.mean([row["simulated_s"] for row in own])
            line = f"{setting:10} {name:20} {len(own):3} runs {mean:.3f}"
            yield f"{line}  {against(own, others)}  {took:.1f} s"


def against(own: Sequence[Row], others: Sequence[Row]) -> str:
    """Return the difference of a variant to another one, over the trials that both have."""
    values: list[dict[tuple[str, int, str], float]] = [
        {(r["topic"], r["seed"], r["start"]): r["recall_auc"] for r in rows}
        for rows in (own, others)
    ]
    shared = sorted(values[0].keys() & values[1].keys())
    if not shared:
        return ""
    sides: list[dict[str, dict[int, list[float]]]] = [{}, {}]
    for topic, seed, start in shared:
        for each, side in zip(values, sides, strict=True):
            of_seed = side.setdefault(topic, {}).setdefault(seed, [])
            of_seed.append(each[topic, seed, start])
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
    parser.add_argument("--against", choices=tuple(VARIANTS), default=ALONE)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("evo_agents.jsonl"))
    given = parser.parse_args()
    step = {"first": slice(0, None, 2), "second": slice(1, None, 2), "all": slice(None)}
    topics = read_topics(given.topics, given.split)[step[given.half]]
    variants = list(dict.fromkeys((given.against, *given.variants)))
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
    print(*table([by_key[each] for each in wanted], given.against), sep="\n")


if __name__ == "__main__":
    main()
