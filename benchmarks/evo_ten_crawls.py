"""Judges the population of the species `evo` in ten crawls of like topics, one after the other.

    python benchmarks/evo_ten_crawls.py WORLD TOPICS [--variants evo evo_pool …] [--against none]
        [--same] [--runs 1] [--out FILE]

Like topics are those of a category, the part of a label before its first dot, that have 10 to 120
pages; a label without a dot belongs to the category of all such labels. A category with ten of them
or more makes a chain: the seed of the run draws ten and their order. The query of a topic is that
of the topics file or else the words of its label; topics of other splits of the file are left out.

Each crawl begins with the first results of a search and has 3 requests for each page of its topic.
In the variants with a pool, its founders descend from the agents that the crawl before it has left
alive. Each variant exists a second time with the ending "_learnt": there a crawl begins with the
link model that the crawl before it has written (`learnt`, `learn_to`), else with the shipped prior.
`evo_variants` describes the other variants.

With `--same` a chain is two crawls of each topic of the file, the second one from a page far from
the topic.

Prints lines for all crawls, the last five and the tenth, or for the second one: mean recall_auc,
its mean difference to that of `--against`, a 95 % bootstrap interval over topics, topics won and
lost, and the mean temperature of the agents alive at the end. Chains already in FILE (JSON lines)
are not repeated.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import numpy as np
from evo_agents import against, scorer_of
from evo_variants import ALONE, POOLED, VARIANTS, survivors, variant
from trial_rows import Row, stored_rows

from evocrawl.core.config.config import Config
from evocrawl.population.assembly import Assembly
from evocrawl.simulation.evaluation import measures
from evocrawl.simulation.laboratory import SearchableWorld
from evocrawl.simulation.runner import run
from evocrawl.simulation.trials import SEARCH_HITS, Topic, far_start, read_topics
from evocrawl.simulation.worlds.link_graph import WebGraph
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species.evo.genome import Genome

CRAWLS = 10
LEARNT = "_learnt"
_PAGES = range(10, 121)
_REQUESTS_PER_PAGE = 3


@dataclass(frozen=True, slots=True)
class Chain:
    """Crawls of topics, one after the other, all from a search or all but the first from far."""

    category: str
    seed: int
    topics: tuple[Topic, ...]
    goes_far: bool = False


def like_topics(world: SearchableWorld, listed: Sequence[Topic], split: str) -> list[list[Topic]]:
    """Return the topics of each category that has enough of them."""
    by_label = {topic.name: topic for topic in listed}
    categories: dict[str, list[Topic]] = {}
    for label in world.topics():
        words = label.rpartition(".")[2].replace("_", " ")
        topic = by_label.get(label, Topic(split, label, words))
        if topic.split == split and len(world.about(label)) in _PAGES:
            categories.setdefault(category_of(label), []).append(topic)
    return [topics for topics in categories.values() if len(topics) >= CRAWLS]


def category_of(label: str) -> str:
    """Return the part of a label before its first dot, "" for a label without one."""
    return label.partition(".")[0] if "." in label else ""


def chains_of(categories: Sequence[Sequence[Topic]], runs: int) -> Iterator[Chain]:
    """Yield a chain for each seed and category."""
    for seed in range(runs):
        for topics in categories:
            category = category_of(topics[0].name)
            rng = np.random.default_rng((seed, crc32(category.encode())))
            drawn = rng.permutation(len(topics))[:CRAWLS]
            yield Chain(category, seed, tuple(topics[each] for each in drawn))


class Bench:
    """A world, its graph, and the scorers of the latest queries."""

    def __init__(self, world: SearchableWorld) -> None:
        self._world = world
        self._graph = cache(lambda: WebGraph(world))
        self._scorer = lru_cache(CRAWLS)(scorer_of)

    def hold(self, chain: Chain, name: str) -> Iterator[Row]:
        """Yield a row for each crawl of a chain by a variant."""
        genomes: list[Genome] = []
        with TemporaryDirectory() as folder:
            learnt = Path(folder, "learnt.npz")
            for number, topic in enumerate(chain.topics):
                config = Config.read({}, {"query": topic.query, "seed": chain.seed})
                if name.endswith(LEARNT):
                    before = str(learnt) if number else ""
                    config = replace(config, learnt=before, learn_to=str(learnt))
                start = "far" if number and chain.goes_far else "search"
                seeds = self._seeds(topic, start, chain.seed + number)
                auc, genomes = self._crawl(config, topic, seeds, name, genomes)
                temperatures = [genome.temperature for genome in genomes]
                yield {
                    "category": chain.category,
                    "seed": chain.seed,
                    "variant": name,
                    "number": number,
                    "topic": topic.name,
                    "start": start,
                    "recall_auc": auc,
                    "temperature": float(np.mean(temperatures)) if temperatures else None,
                }

    def _seeds(self, topic: Topic, start: str, seed: int) -> list[str]:
        if start == "search":
            return self._world.search(topic.query, SEARCH_HITS)
        return [far_start(self._world, self._graph(), self._world.about(topic.name), seed)]

    def _crawl(
        self,
        config: Config,
        topic: Topic,
        seeds: Sequence[str],
        name: str,
        ancestors: Sequence[Genome],
    ) -> tuple[float, list[Genome]]:
        """Return the recall_auc of a crawl, and the genomes of its survivors."""
        relevant = self._world.about(topic.name)
        budget = _REQUESTS_PER_PAGE * len(relevant)
        latest: list[Assembly] = []
        options = {**VARIANTS, **POOLED}[name.removesuffix(LEARNT)]
        done = run(
            self._world,
            replace(config, max_requests=budget),
            seeds,
            scorer=self._scorer(topic.query),
            makers=(partial(variant, ancestors=ancestors, **options),),
            before_choice=lambda assembly: latest.__setitem__(slice(None), [assembly]),
        )
        pages = ((s.request, s.fingerprint) for s in done.steps if s.outcome == "fetched")
        auc = measures.recall_auc(measures.hits_of(pages, relevant), budget, len(relevant))
        return auc, survivors(latest[0])


PARTS = {"all": range(CRAWLS), "last five": range(5, CRAWLS), "tenth": range(9, CRAWLS)}
PARTS_OF_SAME = {"second": range(1, 2)}


def table(
    rows: Sequence[Row], reference: str, parts: Mapping[str, Collection[int]]
) -> Iterator[str]:
    """Yield a line for each part of the chains and each variant."""
    for part, numbers in parts.items():
        here = [row for row in rows if row["number"] in numbers]
        others = [row for row in here if row["variant"] == reference]
        for name in dict.fromkeys(row["variant"] for row in here):
            own = [row for row in here if row["variant"] == name]
            mean = np.mean([row["recall_auc"] for row in own])
            heat = [row["temperature"] for row in own if row["temperature"] is not None]
            line = f"{part:10} {name:14} {len(own):3} crawls {mean:.3f}  {against(own, others)}"
            yield f"{line}  temperature {np.mean(heat):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world")
    parser.add_argument("topics", type=Path)
    parser.add_argument("--split", default="dev")
    names = [each + end for each in (*VARIANTS, *POOLED) for end in ("", LEARNT)]
    parser.add_argument("--variants", nargs="+", choices=names, default=["evo", "evo_pool"])
    parser.add_argument("--against", choices=names, default=ALONE)
    parser.add_argument("--same", action="store_true")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("evo_ten_crawls.jsonl"))
    given = parser.parse_args()
    world = open_world(given.world)
    if given.same:
        topics, seeds = read_topics(given.topics, given.split), range(given.runs)
        chains = [Chain(each.name, seed, (each, each), True) for seed in seeds for each in topics]
    else:
        categories = like_topics(world, read_topics(given.topics), given.split)
        chains = [*chains_of(categories, given.runs)]
    variants = list(dict.fromkeys((given.against, *given.variants)))
    bench = Bench(world)
    with stored_rows(given.out) as (rows, store):
        done = {(row["category"], row["seed"], row["variant"]) for row in rows}
        for chain in chains:
            for name in variants:
                if (chain.category, chain.seed, name) not in done:
                    store([*bench.hold(chain, name)])
    kept = [row for row in rows if row["seed"] < given.runs and row["variant"] in variants]
    parts = PARTS_OF_SAME if given.same else PARTS
    print(*table(kept, given.against, parts), sep="\n")


if __name__ == "__main__":
    main()
