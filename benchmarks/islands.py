"""Compares populations that exchange what they learnt with populations that get every page.

    python benchmarks/islands.py WORLD TOPICS [--split dev] [--topics 4] [--islands 1 4 16]
        [--modes exchange links pages] [--period 10] [--delay 1] [--seeds 1] [--out FILE]

The workers of a crawl, simulated without Redis over a recorded world. Each island has its own
population; all have one budget and take turns. An address belongs to one island, by a checksum, as
if each page had a host of its own: the hardest case, since nearly all links lead to other islands.
A link is shown to the island that its target belongs to.

==========  ========================================================================
mode        an island learns
==========  ========================================================================
exchange    from its own pages, and every `--period` pages of its own from the sums of the others
links       from its own pages alone
pages       from every page of every island, as workers did before
==========  ========================================================================

Links and pages of others arrive `--delay` turns later; a sum is as old as the last exchange of each
of the others. The budget is that of `evocrawl sim`: five requests a relevant page, at most half the
world. Rows already in FILE (JSON lines) are not repeated.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.core.model import Content, Dead, Fetched, Fingerprint, Link, Outcome, Page, Refused
from evocrawl.core.urls.identity import fingerprint
from evocrawl.frontier import PageRecord
from evocrawl.frontier.shared_ranks import RankSharing
from evocrawl.population.assembly import assemble
from evocrawl.population.exchange import PopulationExchange
from evocrawl.simulation.evaluation.measures import recall_auc
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.trials import SEARCH_HITS, Topic, budget_of, read_topics
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species.base import Mergeable, Sharing
from evocrawl.store.cluster.quotas import bounds_per_worker


@dataclass
class Island:
    """A population with its addresses; `inbox` has pages of others and the turn they arrive at."""

    number: int
    of: int
    config: Config
    scorer: PageScorer
    pages: int = 0
    exchanges: int = 0
    cpu_s: float = 0.0
    inbox: deque[tuple[int, Page, int]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.assembly = assemble(
            replace(self.config, memory_links=1_000_000),
            concurrency=1,
            host_limit=lambda _: (1_000_000, 0.0),
            timeout_s=180.0,
            model=self.scorer.model,
        )
        self.population = self.assembly.population
        lifecycle = self.population.lifecycle
        lifecycle.bounds = bounds_per_worker(lifecycle.bounds, self.of)
        self.base = self.population.environment.base
        self.exchange = PopulationExchange(self.population)
        self.shared: list[Mergeable] = [RankSharing(self.base.ranks)]
        self.shared += [
            each.learning.share()
            for each in self.population.species
            if isinstance(each.learning, Sharing)
        ]

    def owns(self, target: Fingerprint) -> bool:
        return crc32(target) % self.of == self.number

    def leave_out(self, page: Page) -> None:
        """Claim the links of a page that lead to other islands."""
        for link in page.links:
            if not self.owns(link.fingerprint):
                self.base.claim(link.fingerprint)

    def receive(self, turn: int, mode: str) -> None:
        """Take the pages, or their links, that have arrived by now."""
        while self.inbox and self.inbox[0][0] <= turn:
            _, page, depth = self.inbox.popleft()
            if mode == "pages":
                self.leave_out(page)
                record = PageRecord(page.url, page.relevance, 0.0, None, depth, page.version)
                if self.base.get(page.fingerprint) is None:
                    self.base.add(page.fingerprint, record)
                self.population.show(page, depth)
            else:
                self.exchange.show(page, depth)

    def send(self, page: Page, depth: int, turn: int, others: list[Island], mode: str) -> None:
        for other in others:
            sent = page
            if mode != "pages":
                own = tuple(link for link in page.links if other.owns(link.fingerprint))
                content = Content(page.content.title, page.content.text[:4000])
                sent = replace(page, links=own, content=content)
            if sent.links or mode == "pages":
                other.inbox.append((turn, sent, depth))


def crawl(
    world: Any, config: Config, seeds: list[Link], islands: int, asked: argparse.Namespace,
    mode: str, scorer: PageScorer, budget: int,
) -> tuple[list[Fingerprint], list[Island], int]:  # fmt: skip
    """Crawl; return the pages in their order, the islands, and the bytes of all parts sent."""
    crew = [Island(number, islands, config, scorer) for number in range(islands)]
    for each in crew:
        each.population.place([seed for seed in seeds if each.owns(seed.fingerprint)])
    parts: dict[int, list[bytes]] = {}
    fetched: list[Fingerprint] = []
    requests = idle = turn = sent = 0
    while requests < budget and idle < islands * (asked.delay + 2):
        turn += 1
        island = crew[turn % islands]
        began_s = process_time()
        island.receive(turn // islands, mode)
        visit = island.population.choose(0.0)
        island.cpu_s += process_time() - began_s
        idle = 0 if visit is not None else idle + 1
        if visit is None:
            continue
        requests += 1
        outcome = outcome_of(world, island, visit.lead.url)
        began_s = process_time()
        island.assembly.budget.spend(visit.id)
        if isinstance(outcome, Fetched):
            page = outcome.page
            fetched.append(page.fingerprint)
            island.leave_out(page)
            island.pages += 1
        island.population.settle(visit.id, outcome)
        if isinstance(outcome, Fetched):
            others = [each for each in crew if each is not island]
            island.send(page, visit.lead.depth, turn // islands + asked.delay, others, mode)
            if mode == "exchange" and islands > 1 and island.pages % asked.period == 0:
                parts[island.number] = [each.pack() for each in island.shared]
                sent += sum(map(len, parts[island.number]))
                for at, each in enumerate(island.shared):
                    known = [row[at] for owner, row in parts.items() if owner != island.number]
                    each.merge([each.unpack(row) for row in known])
                island.exchanges += 1
        island.cpu_s += process_time() - began_s
    return fetched, crew, sent


def outcome_of(world: Any, island: Island, url: str) -> Outcome:
    answer = world.fetch(url, 0.0)
    if isinstance(answer, Dead | Refused):
        return answer
    found = answer.document
    score = island.scorer.score(found)
    energy = island.population.price(score)
    links, content = found.links, found.content(0.0)
    page = Page(found.url, found.fingerprint, score, energy, links, found.version, content)
    return Fetched(page, answer.cost)


def rows_of(world: Any, topics: list[Topic], asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a row for each crawl that is not in the file."""
    known = set()
    if asked.out and asked.out.exists():
        for line in asked.out.read_text().splitlines():
            row = json.loads(line)
            known.add(tuple(row[each] for each in ("topic", "mode", "islands", "seed")))
            yield row
    for topic in topics:
        relevant = world.about(topic.name)
        budget = budget_of(len(relevant), len(world))
        scorer = None
        for seed in range(asked.seeds):
            arguments = {"query": topic.query, "seed": seed, "max_requests": budget}
            config = Config.read({}, arguments)
            scorer = scorer or PageScorer(relevance.Wanted.by(config).make())
            seeds = [Link(u, fingerprint(u)) for u in world.search(topic.query, SEARCH_HITS)]
            for islands in asked.islands:
                for mode in asked.modes if islands > 1 else ["exchange"]:
                    if (topic.name, mode, islands, seed) in known:
                        continue
                    pages, crew, sent = crawl(
                        world, config, seeds, islands, asked, mode, scorer, budget
                    )
                    hits = [n for n, page in enumerate(pages, 1) if page in relevant]
                    row = {
                        "topic": topic.name, "mode": mode, "islands": islands, "seed": seed,
                        "budget": budget, "fetched": len(pages), "bytes": sent,
                        "recall_auc": recall_auc(hits, budget, len(relevant)),
                        "exchanges": sum(each.exchanges for each in crew),
                        "cpu_ms": 1000 * sum(each.cpu_s for each in crew) / max(len(pages), 1),
                    }  # fmt: skip
                    print(json.dumps(row), file=sys.stderr, flush=True)
                    if asked.out:
                        with asked.out.open("a") as file:
                            file.write(json.dumps(row) + "\n")
                    yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world")
    parser.add_argument("file", type=Path, metavar="TOPICS")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--topics", type=int, default=4)
    parser.add_argument("--islands", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--modes", nargs="+", default=["exchange", "links", "pages"])
    parser.add_argument("--period", type=int, default=10)
    parser.add_argument("--delay", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    world = open_world(asked.world)
    rows = list(rows_of(world, read_topics(asked.file, asked.split)[: asked.topics], asked))
    print("| islands | mode | crawls | recall AUC | less one's | CPU ms a page | kB a part |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    alone = {(r["topic"], r["seed"]): r["recall_auc"] for r in rows if r["islands"] == 1}
    for islands, mode in dict.fromkeys((row["islands"], row["mode"]) for row in rows):
        here = [row for row in rows if (row["islands"], row["mode"]) == (islands, mode)]
        less = [row["recall_auc"] - alone[row["topic"], row["seed"]] for row in here]
        parts = sum(row["exchanges"] for row in here)
        kb = sum(row["bytes"] for row in here) / max(parts, 1) / 1000
        print(
            f"| {islands} | {mode} | {len(here)} | {np.mean([r['recall_auc'] for r in here]):.3f} |"
            f" {np.mean(less):+.3f} | {np.mean([r['cpu_ms'] for r in here]):.1f} | {kb:.0f} |"
        )


if __name__ == "__main__":
    main()
