"""Compares workers that each lease hosts of their own with one population, at a polite pace.

    python benchmarks/polite_islands.py WORLD TOPICS [--split ""] [--topics N] [--islands 1 4 16]
        [--others 0 1] [--under-way 16] [--start search] [--selectivity 0.25] [--budget N]
        [--host-delay 1] [--latency 0.5] [--owners host] [--seed 0] [--out FILE]

The islands of `islands.py`, simulated in time: a host has one visit at a time, and `--host-delay`
seconds pass between the starts of two visits there; with 0, a host may have any number. All islands
together have `--under-way` visits under way. Links of other islands arrive after a second. Once a
second each island does what a live worker does with a heartbeat: it exchanges what it has learnt,
if it is time to, and with `--others 1` names its best link, so that the others wait for it.

The budget is shared without portions. *Busiest* is the share of the requests that the busiest
island made, times the islands. Rows already in FILE (JSON lines) are not repeated.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass
from heapq import heappop, heappush
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from island_crew import Crew, Island, Plan
from islands import less

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.core.model import Fingerprint, Link, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.evaluation.measures import recall_auc
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.trials import SEARCH_HITS, Topic, budget_of, far_start, read_topics
from evocrawl.simulation.worlds.link_graph import WebGraph
from evocrawl.simulation.worlds.recorded import Recorded
from evocrawl.store.cluster.best_links import BestLinks

ARRIVAL_S = BEAT_S = 1.0
PERIOD_S, LONGEST_PERIODS, LEAST_GROWTH, WHOLE_PERIOD_AT, WHOLE_PERIOD_AFTER = 5.0, 6, 1 / 4, 40, 10
"""The rule of `evocrawl.store.cluster.learning_exchange`."""
LEAST_PAGES = 8

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pace:
    """What islands do in time; see the options of these names."""

    host_delay_s: float
    waits_for_others: bool


class PoliteCrew(Crew):
    """A crew whose visits take time; `hits` are the requests that found a page of `relevant`."""

    def __init__(self, *of_crew: Any, relevant: Set[Fingerprint], pace: Pace) -> None:
        super().__init__(*of_crew)
        self.hits: list[int] = []
        self.now_s = 0.0
        self._relevant, self._pace = relevant, pace
        self._under_way: list[tuple[float, int, Island, Visit, Any]] = []
        count = len(self._islands)
        self._beats = [(BEAT_S * number / count, number) for number in range(count)]
        self._exchanged = dict.fromkeys(range(count), (-np.inf, 0, 0))
        self._best = [BestLinks(each.population, lambda: self.now_s) for each in self._islands]
        self._chances = dict.fromkeys(range(count), 0.0)

    def crawl(self) -> None:
        """Crawl until the budget is used up, or no island has a link."""
        asked = {each.number for each in self._islands}
        while True:
            turns = [self._islands[each] for each in sorted(asked)]
            while turns:
                turns = [each for each in turns if self._begins(each)]
            times = [each for each in self._times() if each is not None]
            if not times:
                return
            self.now_s = max(self.now_s, min(*times, self._beats[0][0]))
            asked = self._advance()

    def _times(self) -> Iterator[float | None]:
        """Yield when something happens, but for heartbeats."""
        if self._under_way:
            yield self._under_way[0][0]
        if self.requests < self._budget:
            for each in self._islands:
                yield each.population.wakes_at()
                yield each.inbox[0][0] if each.inbox else None

    def _begins(self, island: Island) -> bool:
        """Return whether an island begins a visit."""
        if self.requests >= self._budget:
            return False
        visit = island.population.choose(self.now_s)
        if visit is None:
            return False
        self.requests += 1
        island.requests += 1
        answer = self._world.fetch(visit.lead.url, self.now_s)
        ends_s = self.now_s + answer.cost.seconds
        heappush(self._under_way, (ends_s, self.requests, island, visit, answer))
        return True

    def _advance(self) -> set[int]:
        """Let all happen that is due; return the islands that may begin visits."""
        asked = set()
        while self._under_way and self._under_way[0][0] <= self.now_s:
            _, request, island, visit, answer = heappop(self._under_way)
            known = len(self.fetched)
            self._end(island, visit, answer, self.now_s + ARRIVAL_S)
            self.hits += [request] * any(each in self._relevant for each in self.fetched[known:])
            asked.add(island.number)
        while self._beats[0][0] <= self.now_s:
            at_s, number = heappop(self._beats)
            self._beat(self._islands[number])
            heappush(self._beats, (at_s + BEAT_S, number))
            asked.add(number)
        for island in self._islands:
            if island.inbox and island.inbox[0][0] <= self.now_s:
                island.receive(self.now_s)
                asked.add(island.number)
            wakes_at_s = island.population.wakes_at()
            if wakes_at_s is not None and wakes_at_s <= self.now_s:
                asked.add(island.number)
        return asked

    def _beat(self, island: Island) -> None:
        """Do what a heartbeat does, in its order."""
        if len(self._islands) == 1:
            return
        best = self._best[island.number]
        if self._pace.waits_for_others:
            self._chances[island.number] = best.own()
            best.read(chance for each, chance in self._chances.items() if each != island.number)
            best.wait(self.now_s)
        at_s, pages, times = self._exchanged[island.number]
        periods = (self.now_s - at_s) / PERIOD_S
        has_grown = island.pages > pages * (1 + LEAST_GROWTH)
        least = min(1.0, pages / WHOLE_PERIOD_AT)
        longest = min(1.0, times / WHOLE_PERIOD_AFTER) if best.is_waiting else LONGEST_PERIODS
        if periods >= longest or (has_grown and periods >= least):
            self._send_part(island)
            self._merge(island)
            self._exchanged[island.number] = self.now_s, island.pages, times + 1


def begin(world: Recorded, topic: Topic, start: str, seed: int) -> list[Link]:
    """Return the first links of a crawl; see `evocrawl.simulation.trials`."""
    if start == "search":
        urls = world.search(topic.query, SEARCH_HITS)
    else:
        urls = [far_start(world, WebGraph(world), world.about(topic.name), seed)]
    return [Link(url, fingerprint(url)) for url in urls]


def row_of(
    world: Recorded, topic: Topic, config: Config, scorer: PageScorer, plan: Plan, pace: Pace,
    seeds: list[Link],
) -> Row:  # fmt: skip
    """Return what a crawl has found, and how long it has taken."""
    relevant, budget = world.about(topic.name), config.max_requests or 0
    islands = [Island(number, plan, config, scorer) for number in range(plan.islands)]
    for each in islands:
        each.population.place([seed for seed in seeds if each.owns(seed)])
    crew = PoliteCrew(world, plan, islands, budget, relevant=relevant, pace=pace)
    began_s = process_time()
    crew.crawl()
    return {
        "budget": budget, "requests": crew.requests, "fetched": len(crew.fetched),
        "recall_auc": recall_auc(crew.hits, budget, len(relevant)),
        "recall": len(crew.hits) / len(relevant), "seconds": crew.now_s,
        "busiest": max(each.requests for each in islands) * plan.islands / max(crew.requests, 1),
        "cpu_s": process_time() - began_s,
    }  # fmt: skip


def rows_of(world: Recorded, topics: list[Topic], asked: argparse.Namespace) -> Iterator[Row]:
    """Yield a row for each crawl; those in the file are not repeated."""
    known = []
    if asked.out and asked.out.exists():
        known = [json.loads(line) for line in asked.out.read_text().splitlines()]
    for topic in topics:
        budget = asked.budget or budget_of(len(world.about(topic.name)), len(world))
        given = {"query": topic.query, "seed": asked.seed, "max_requests": budget}
        config = Config.read({}, given | {"selectivity": asked.selectivity})
        scorer = PageScorer(relevance.Wanted.by(config).make())
        seeds = begin(world, topic, asked.start, asked.seed)
        for islands in asked.islands:
            for others in asked.others if islands > 1 else [0]:
                name = {"topic": topic.name, "islands": islands, "others": bool(others),
                        "seed": asked.seed, "start": asked.start, "owners": asked.owners,
                        "under_way": asked.under_way, "selectivity": config.selectivity,
                        "host_delay_s": asked.host_delay}  # fmt: skip
                row = next((each for each in known if name.items() <= each.items()), None)
                if row is None:
                    each, delay_s = max(1, asked.under_way // islands), asked.host_delay
                    plan = Plan(islands, each, "exchange", "equal", asked.owners,
                                int(delay_s > 0), 0, 0, delay_s)  # fmt: skip
                    pace = Pace(asked.host_delay, bool(others))
                    row = name | row_of(world, topic, config, scorer, plan, pace, seeds)
                    if asked.out:
                        with asked.out.open("a") as file:
                            file.write(json.dumps(row) + "\n")
                yield row


def show(rows: list[Row]) -> None:
    """Print a table of all kinds of crawls."""
    kinds = defaultdict[tuple[int, bool], list[Row]](list)
    for row in rows:
        kinds[row["islands"], row["others"]].append(row)
    by_topic = {
        kind: {(row["topic"], row["seed"]): row for row in some} for kind, some in kinds.items()
    }
    print("| islands | wait for others | topics | recall AUC | less one population's |"
          " less without waiting | duration, s | busiest | requests | CPU ms a page |")  # fmt: skip
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for (islands, others), some in kinds.items():
        means = {name: np.mean([row[name] for row in some])
                 for name in ("recall_auc", "seconds", "busiest", "requests", "cpu_s")}  # fmt: skip
        alone = by_topic.get((1, False), {}) if islands > 1 else {}
        before = by_topic.get((islands, False), {}) if others else {}
        print(
            f"| {islands} | {'yes' if others else 'no'} | {len(some)} | {means['recall_auc']:.3f} |"
            f" {less(some, alone)} | {less(some, before)} | {means['seconds']:.0f} |"
            f" {means['busiest']:.2f} | {means['requests']:.0f} |"
            f" {1000 * means['cpu_s'] / means['requests']:.1f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world", type=Path)
    parser.add_argument("file", type=Path, metavar="TOPICS")
    parser.add_argument("--split", default="")
    parser.add_argument("--topics", type=int, help="so many, the smallest first")
    parser.add_argument("--islands", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--others", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--under-way", type=int, default=16)
    parser.add_argument("--start", choices=["search", "far"], default="search")
    parser.add_argument("--selectivity", type=float, default=0.25)
    parser.add_argument("--budget", type=int)
    parser.add_argument("--host-delay", type=float, default=1.0)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--owners", choices=["address", "host"], default="host")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    world = Recorded.read(asked.world, latency_s=asked.latency)
    topics = [
        each for each in read_topics(asked.file, asked.split)
        if len(world.about(each.name)) >= LEAST_PAGES
    ]  # fmt: skip
    topics.sort(key=lambda each: len(world.about(each.name)))
    show([*rows_of(world, topics[: asked.topics], asked)])


if __name__ == "__main__":
    main()
