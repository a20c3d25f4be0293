"""Compares populations that exchange what they learnt with one population, at one budget for all.

    python benchmarks/islands.py WORLD TOPICS [--split dev] [--topics 4] [--names PART …]
        [--islands 1 4 16] [--under-way 1 4 16] [--modes exchange pages] [--turns equal best]
        [--owners address] [--per-host 0] [--period 10] [--delay 1] [--seeds 1] [--out FILE]

The workers of a crawl, simulated without Redis over a recorded world. Each island has its own
population; all have one budget. An address belongs to one island, and a link is shown to the island
that its target belongs to. With `--owners address` a checksum of the address decides, as if each
page had a host of its own: the hardest case, since nearly all links lead to other islands. With
`--owners host` it is a checksum of the host.

==========  ========================================================================
mode        an island learns
==========  ========================================================================
exchange    from its own pages, and from the sums of the others
links       from its own pages alone
pages       from every page of every island
==========  ========================================================================

In a round of equal turns each island makes one request, if it has a link. With `--turns best` the
island whose best link is worth most makes each request: a bound for all ways to share the budget.
Links and pages of others arrive `--delay` rounds later. Sums are exchanged as by live workers: when
the rounds have grown by a quarter, at the latest after `--period` rounds.

One population has `--under-way` visits at a time: it is as far behind as so many islands are. With
`--per-host N` no host has more than N of them. The budget is that of `evocrawl sim`: five requests
a relevant page, at most half the world. *Busiest* is the share of the requests that the busiest
island made, times the islands: by so much longer a crawl takes than with equal shares. Rows already
in FILE (JSON lines) are not repeated.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from island_crew import Crew, Island, Plan

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.core.model import Link
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.evaluation.measures import recall_auc
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.trials import SEARCH_HITS, Topic, budget_of, read_topics
from evocrawl.simulation.worlds.registry import open_world


def row_of(world: Any, topic: Topic, config: Config, scorer: PageScorer, plan: Plan) -> Any:
    """Return what a crawl has found and cost."""
    relevant = world.about(topic.name)
    budget = config.max_requests or 0
    islands = [Island(number, plan, config, scorer) for number in range(plan.islands)]
    seeds = [Link(url, fingerprint(url)) for url in world.search(topic.query, SEARCH_HITS)]
    for each in islands:
        each.population.place([seed for seed in seeds if each.owns(seed)])
    crew = Crew(world, plan, islands, budget)
    crew.crawl()
    hits = [n for n, page in enumerate(crew.fetched, 1) if page in relevant]
    busiest = max(each.requests for each in islands) * plan.islands / max(crew.requests, 1)
    cpu_ms = 1000 * sum(each.cpu_s for each in islands) / max(crew.requests, 1)
    return {
        "topic": topic.name, "seed": config.seed, **asdict(plan), "budget": budget,
        "requests": crew.requests, "recall_auc": recall_auc(hits, budget, len(relevant)),
        "busiest": busiest, "cpu_ms": cpu_ms, "parts": crew.parts, "bytes": crew.sent,
    }  # fmt: skip


def rows_of(world: Any, topics: list[Topic], asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a row for each crawl; those in the file are not repeated."""
    known = []
    if asked.out and asked.out.exists():
        known = [json.loads(line) for line in asked.out.read_text().splitlines()]
    for topic in topics:
        budget = budget_of(len(world.about(topic.name)), len(world))
        scorer = None
        for seed in range(asked.seeds):
            arguments = {"query": topic.query, "seed": seed, "max_requests": budget}
            config = Config.read({}, arguments)
            scorer = scorer or PageScorer(relevance.Wanted.by(config).make())
            for plan in Plan.all_of(asked):
                name = {"topic": topic.name, "seed": seed, **asdict(plan)}
                row = next((each for each in known if name.items() <= each.items()), None)
                if row is None:
                    row = row_of(world, topic, config, scorer, plan)
                    print(json.dumps(row), file=sys.stderr, flush=True)
                    if asked.out:
                        with asked.out.open("a") as file:
                            file.write(json.dumps(row) + "\n")
                yield row


def less(rows: list[dict[str, Any]], others: dict[Any, dict[str, Any]]) -> str:
    """Return the mean difference of recall AUC to others' by topic, with its 95 % interval."""
    by_topic = defaultdict(list)
    for row in rows:
        other = others.get((row["topic"], row["seed"]))
        if other is not None:
            by_topic[row["topic"]].append(row["recall_auc"] - other["recall_auc"])
    means = [float(np.mean(each)) for each in by_topic.values()]
    if not means:
        return ""
    half = 1.96 * np.std(means, ddof=1) / len(means) ** 0.5 if len(means) > 1 else np.nan
    return f"{np.mean(means):+.3f} ± {half:.3f}"


def show(rows: list[dict[str, Any]]) -> None:
    """Print a table of all kinds of crawls."""
    names = ("islands", "under_way", "mode", "turns")
    kinds = defaultdict(list)
    for row in rows:
        kinds[tuple(row[each] for each in names)].append(row)
    of_one = {
        under_way: {(row["topic"], row["seed"]): row for row in kind}
        for (islands, under_way, *_), kind in kinds.items()
        if islands == 1
    }
    print("| islands | under way | mode | turns | crawls | recall AUC | less one population's |"
          " less one's with as many under way | busiest | CPU ms a page | kB a part |")  # fmt: skip
    print("| ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for (islands, under_way, mode, turns), kind in kinds.items():
        parts = max(sum(row["parts"] for row in kind), 1)
        print(
            f"| {islands} | {islands * under_way} | {mode} | {turns} | {len(kind)} |"
            f" {np.mean([row['recall_auc'] for row in kind]):.3f} | {less(kind, of_one.get(1, {}))}"
            f" | {less(kind, of_one.get(islands * under_way, {}))} |"
            f" {np.mean([row['busiest'] for row in kind]):.2f} |"
            f" {np.mean([row['cpu_ms'] for row in kind]):.1f} |"
            f" {sum(row['bytes'] for row in kind) / parts / 1000:.0f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world")
    parser.add_argument("file", type=Path, metavar="TOPICS")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--topics", type=int, default=4, help="so many, the smallest first")
    parser.add_argument("--names", nargs="+", default=[""], help="parts of the topics' names")
    parser.add_argument("--islands", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--under-way", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--modes", nargs="+", default=["exchange", "pages"])
    parser.add_argument("--turns", nargs="+", default=["equal"])
    parser.add_argument("--owners", choices=["address", "host"], default="address")
    parser.add_argument("--per-host", type=int, default=0)
    parser.add_argument("--period", type=int, default=10)
    parser.add_argument("--delay", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    world = open_world(asked.world)
    topics = [
        each for each in read_topics(asked.file, asked.split)
        if any(part in each.name for part in asked.names)
    ]  # fmt: skip
    topics.sort(key=lambda each: len(world.about(each.name)))
    show([*rows_of(world, topics[: asked.topics], asked)])


if __name__ == "__main__":
    main()
