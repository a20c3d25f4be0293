"""Measures the share of the budget that goes into traps, with and without the defence.

    python benchmarks/traps.py pages.jsonl.gz --topics topics.tsv --split dev --most 3

One in twenty pages of the world links to a trap of
`evocrawl.simulation.worlds.made_up.trap_sites`, whose words come from pages of the world about the
topic. The budget is the default of ``evocrawl sim``; the crawl starts at the first three pages of a
search. Shares are means over the topics.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from evocrawl.core.config.config import Config
from evocrawl.simulation.runner import Run, run
from evocrawl.simulation.trials import Topic, read_topics
from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.made_up.trap_sites import TRAPS
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.simulation.worlds.trapped import Trapped, is_trap
from evocrawl.species import SPECIES


def crawl(
    world: AnsweringWorld, topic: Topic, species: str, budget: int, relevance: str, *, novelty: bool
) -> Run:
    """Crawl once; `relevance` is the model, "" for the default of the species."""
    settings = {
        "query": topic.query,
        "species": species,
        "max_requests": budget,
        "novelty": novelty,
        **({"relevance": relevance} if relevance else {}),
    }
    return run(world, Config.read({}, settings), world.search(topic.query, 3))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("world", type=Path)
    parser.add_argument("--topics", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--most", type=int, default=3, help="topics, the first of the file")
    parser.add_argument("--budget", type=int, default=400, help="requests of a run")
    parser.add_argument("--species", nargs="+", default=["evo", "energy", "best_first"])
    parser.add_argument("--relevance", default="", help="the model; that of the species if not set")
    parser.add_argument("--trap", nargs="+", default=[trap.name for trap in TRAPS])
    asked = parser.parse_args()
    if not set(asked.species) <= set(SPECIES):
        parser.error(f"--species: of {', '.join(SPECIES)}")
    world = open_world(asked.world)
    topics = read_topics(asked.topics, asked.split)[: asked.most]
    head = [f"{species}{way}" for species in asked.species for way in (", off", "")]
    print("| trap | " + " | ".join(head) + " |\n| --- " + "| ---: " * len(head) + "|")
    for trap in TRAPS:
        if trap.name not in asked.trap:
            continue
        cells = []
        for species in asked.species:
            for novelty in (False, True):
                shares, finds = [], []
                for topic in topics:
                    done = crawl(
                        Trapped(world, trap, topic.query), topic, species, asked.budget,
                        asked.relevance, novelty=novelty,
                    )  # fmt: skip
                    inside = sum(is_trap(step.url) for step in done.steps)
                    shares.append(inside / done.requests)
                    about = world.about(topic.name)
                    finds.append(len({step.fingerprint for step in done.steps} & set(about)))
                cells.append(f"{sum(shares) / len(shares):.1%} ({sum(finds) / len(finds):.0f})")
        print(f"| {trap.name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
