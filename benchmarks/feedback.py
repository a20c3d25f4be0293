"""What marks of a user bring: crawls of `evo` on a recorded world, with and without them.

After a fifth of the budget the user marks the ten pages that are on top of the ranked results, by
their labels. Each arm is a crawl of the same topic, start and seed:

- none: no marks
- links: the model of links learns from the marks
- both: the relevance model learns, too

    python benchmarks/feedback.py WORLD TOPICS [--split dev] [--starts search,far] [--out FILE]

The table has the area under the recall curve over the whole budget, the recall at its end, and the
harvest rate after the marks.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evocrawl import relevance
from evocrawl.core.model import Fingerprint
from evocrawl.population.assembly import Assembly
from evocrawl.population.steering import mark
from evocrawl.simulation.evaluation import measures
from evocrawl.simulation.runner import run
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.trials import Topic, Trial, budget_of, far_start, read_topics
from evocrawl.simulation.worlds.base import Document, World
from evocrawl.simulation.worlds.link_graph import WebGraph
from evocrawl.simulation.worlds.registry import open_world

ARMS = ("none", "links", "both")
MARKS = 10
AFTER = 0.2
_SHOWN = ("auc", "recall", "harvest_after")


class Reader(PageScorer):
    """Scores pages anew each time, and keeps the pages that were read, with their scores."""

    def __init__(self, model: relevance.base.Relevance) -> None:
        super().__init__(model)
        self.read: dict[Fingerprint, tuple[float, Document]] = {}

    def score(self, document: Document, now_s: float = 0.0) -> float:
        score = self.model.page(document.content(now_s))
        self.read[document.fingerprint] = score, document
        return score


class User:
    """Marks the ten best pages by their labels, once."""

    def __init__(self, arm: str, at: int, reader: Reader, labels: frozenset[Fingerprint]) -> None:
        self.arm = arm
        self.at = at
        self.reader = reader
        self.labels = labels
        self.is_done = arm == "none"
        self.good = 0

    def __call__(self, crawl: Assembly) -> None:
        if self.is_done or crawl.budget.spent < self.at:
            return
        self.is_done = True
        if self.arm == "links":
            crawl.population.on_mark.clear()
        ranked = sorted(self.reader.read.values(), key=lambda each: -each[0])[:MARKS]
        for _, document in ranked:
            is_good = document.fingerprint in self.labels
            self.good += is_good
            content = document.content(0.0)
            mark(crawl.population, document.fingerprint, content, relevant=is_good)


def hold(world: World, topic: Topic, seeds: Sequence[str], arm: str, seed: int) -> dict[str, float]:
    """Return the measures of one crawl."""
    labels = frozenset(world.about(topic.name))
    budget = budget_of(len(labels), len(world))
    config = Trial(query=topic.query, species="evo", seed=seed).config(budget)
    reader = Reader(relevance.create(config.relevance, config.query, config.language))
    at = int(AFTER * budget)
    user = User(arm, at, reader, labels)
    done = run(world, config, seeds, scorer=reader, before_choice=user)
    fetched = ((each.request, each.fingerprint) for each in done.steps if each.outcome == "fetched")
    hits = measures.hits_of(fetched, labels)
    later = sum(hit > at for hit in hits) / max(done.requests - at, 1)
    return {
        "auc": measures.recall_auc(hits, budget, len(labels)),
        "recall": measures.recall(hits, budget, len(labels)),
        "harvest_after": later,
        "marked_good": user.good,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("world")
    parser.add_argument("topics", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--starts", default="search,far")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    world = open_world(asked.world)
    graph = WebGraph(world)
    rows = []
    for topic in read_topics(asked.topics, asked.split):
        labels = world.about(topic.name)
        for start in asked.starts.split(","):
            for seed in range(asked.seeds):
                found = (
                    world.search(topic.query, 3)
                    if start == "search"
                    else [far_start(world, graph, labels, seed)]
                )
                for arm in ARMS:
                    row = {"topic": topic.name, "start": start, "seed": seed, "arm": arm}
                    rows.append(row | hold(world, topic, found, arm, seed))
                    print(rows[-1], file=sys.stderr, flush=True)
                if asked.out:
                    asked.out.write_text(json.dumps(rows, indent=1))
    show(rows)


def show(rows: Sequence[dict[str, object]]) -> None:
    """Print means, and means of the paired differences to the crawls without marks."""
    print("| start | marks | AUC | recall | harvest after | AUC gained [95 %] | better |")
    print("|---|---|---|---|---|---|---|")
    rng = np.random.default_rng(0)
    for start in dict.fromkeys(str(row["start"]) for row in rows):
        here = [row for row in rows if row["start"] == start]
        base = np.array([row["auc"] for row in here if row["arm"] == "none"], float)
        for arm in ARMS:
            mine = [row for row in here if row["arm"] == arm]
            means = [
                np.mean([row[key] for row in mine]) for key in ("auc", "recall", "harvest_after")
            ]
            gained = np.array([row["auc"] for row in mine], float)[: len(base)] - base[: len(mine)]
            drawn = rng.choice(gained, (10_000, len(gained))).mean(1)
            low, high = np.quantile(drawn, (0.025, 0.975))
            print(
                f"| {start} | {arm} | {means[0]:.3f} | {means[1]:.3f} | {means[2]:.3f} | "
                f"{gained.mean():+.3f} [{low:+.3f}, {high:+.3f}] | "
                f"{(gained > 0).sum()}/{len(gained)} |"
            )


if __name__ == "__main__":
    main()
