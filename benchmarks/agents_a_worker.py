"""Compares workers that share the bounds of one population with workers that each have all of them.

    python benchmarks/agents_a_worker.py WORLD [TOPICS] [--topics N] [--budget 2000] [--islands 16]
        [--selectivity 0] [--species evo] [--host-delay 1] [--latency 1] [--seconds 30] [--out FILE]

The islands of `polite_islands.py`, each of which may have 16 visits under way (`--under-way`) as a
worker with Scrapy's defaults: so the number of agents decides how many it has. WORLD is a recorded
world with its TOPICS, or a synthetic one as in `evocrawl sim`, such as `sites:sites=800,seed=3`,
whose topic is called by the three words that set its pages apart.

*Found* is how many of the relevant pages the crawl has by `--seconds` and at its end, where its
requests are used up; *recall AUC* is by requests. Rows already in FILE (JSON lines) are not
repeated.
"""

from __future__ import annotations

import argparse
import json
from bisect import bisect
from collections import Counter
from pathlib import Path
from typing import Any

from island_crew import Island, Plan
from polite_islands import LEAST_PAGES, Pace, PoliteCrew, begin

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.simulation.evaluation.measures import recall_auc
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.trials import Topic, read_topics
from evocrawl.simulation.worlds.recorded import Recorded
from evocrawl.simulation.worlds.registry import open_world

_WORDS = 3
Row = dict[str, Any]


class TimedCrew(PoliteCrew):
    """A crew that notes when it has found each relevant page."""

    def __init__(self, *of_crew: Any, **more: Any) -> None:
        super().__init__(*of_crew, **more)
        self.found_at_s: list[float] = []

    def _end(self, *visit: Any) -> None:
        known = len(self.fetched)
        super()._end(*visit)
        if any(each in self._relevant for each in self.fetched[known:]):
            self.found_at_s.append(self.now_s)


def topic_of(world: Any) -> Topic:
    """Return the topic of a synthetic world, with the words that set its pages apart."""
    name = world.topics()[0]
    good, bad = Counter[str](), Counter[str]()
    for each in world.documents():
        counts = good if each.fingerprint in world.about(name) else bad
        counts.update({*each.text.replace(".", "").split()})
    share = len(world.about(name)) / len(world)
    words = sorted(good, key=lambda word: share * bad[word] - (1 - share) * good[word])
    return Topic("", name, " ".join(words[:_WORDS]))


def row_of(world: Any, topic: Topic, asked: argparse.Namespace, islands: int, whole: bool) -> Row:
    """Return what a crawl has found, and how long it has taken."""
    given = {"query": topic.query, "max_requests": asked.budget, "species": asked.species}
    config = Config.read({}, given | {"selectivity": asked.selectivity})
    scorer = PageScorer(relevance.Wanted.by(config).make())
    delay_s, under_way = asked.host_delay, asked.under_way
    plan = Plan(islands, under_way, "exchange", "equal", "host", int(delay_s > 0), 0, 0, delay_s)
    crowd = [Island(number, plan, config, scorer) for number in range(islands)]
    seeds, relevant = begin(world, topic, "search", 0), world.about(topic.name)
    for each in crowd:
        if whole:
            bounds = PopulationBounds(config.agents, config.lower_bound, config.upper_bound)
            each.population.lifecycle.bounds = bounds
        each.population.place([seed for seed in seeds if each.owns(seed)])
    pace = Pace(delay_s, waits_for_others=islands > 1)
    crew = TimedCrew(world, plan, crowd, asked.budget, relevant=relevant, pace=pace)
    crew.crawl()
    return {
        "recall_auc": recall_auc(crew.hits, asked.budget, len(relevant)), "seconds": crew.now_s,
        "relevant": len(relevant), "found_at_s": crew.found_at_s,
    }  # fmt: skip


def show(rows: list[Row], seconds: float) -> None:
    """Print a table, a line for each topic and kind of crawl."""
    print(
        f"| topic | islands | bounds | recall AUC | found by {seconds:g} s | found | duration, s |"
    )
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    for row in rows:
        times, of = row["found_at_s"], row["relevant"]
        bounds = "all for each" if row["whole"] else "shares" if row["islands"] > 1 else ""
        print(
            f"| {row['topic']} | {row['islands']} | {bounds} |"
            f" {row['recall_auc']:.3f} | {bisect(times, seconds)} of {of} | {len(times)} |"
            f" {row['seconds']:.0f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world")
    parser.add_argument("file", type=Path, nargs="?", metavar="TOPICS")
    parser.add_argument("--topics", type=int, help="so many, the smallest first")
    parser.add_argument("--budget", type=int, default=2000)
    parser.add_argument("--islands", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--under-way", type=int, default=16)
    parser.add_argument("--selectivity", type=float, default=0.0)
    parser.add_argument("--species", default="evo")
    parser.add_argument("--host-delay", type=float, default=1.0)
    parser.add_argument("--latency", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if asked.file is None:
        world: Any = open_world(f"{asked.world},latency_s={asked.latency}")
        topics = [topic_of(world)]
    else:
        world = Recorded.read(Path(asked.world), latency_s=asked.latency)
        topics = [
            each for each in read_topics(asked.file, "")
            if len(world.about(each.name)) >= LEAST_PAGES
        ]  # fmt: skip
        topics.sort(key=lambda each: len(world.about(each.name)))
    known = []
    if asked.out and asked.out.exists():
        known = [json.loads(line) for line in asked.out.read_text().splitlines()]
    rows = list[Row]()
    options = ("world", "budget", "under_way", "selectivity", "species", "host_delay", "latency")
    for topic in topics[: asked.topics]:
        for islands in asked.islands:
            for whole in (False, True)[: 1 + (islands > 1)]:
                name = {"topic": topic.name, "islands": islands, "whole": whole}
                name |= {each: getattr(asked, each) for each in options}
                row = next((each for each in known if name.items() <= each.items()), None)
                if row is None:
                    row = name | row_of(world, topic, asked, islands, whole)
                    if asked.out:
                        with asked.out.open("a") as file:
                            file.write(json.dumps(row) + "\n")
                rows.append(row)
    show(rows, asked.seconds)


if __name__ == "__main__":
    main()
