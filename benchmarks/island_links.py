"""Compares what islands know of links with what one model knows that hears every page.

    python benchmarks/island_links.py WORLD TOPICS [--split dev] [--topics 4] [--islands 16]
                                      [--period 10] [--seed 0]

One population crawls, with as many visits under way as there are islands. Its pages, in rounds of
so many, teach one model, and the models of islands as in `islands.py`: the island that an address
belongs to has fetched it; the others get its links to their addresses a round later. So all models
have the same pages and links, also where they would choose others. Before each round, from the
third one, the unvisited links of each island are ranked by that island's model and by the one
model.

*AUC* is the mean area under the ROC curve of such a ranking for relevant pages: 0.5 is chance;
*first* the share of rankings whose first link leads to a relevant page. In further rows, some
features of the links, or the weights, are those of the one model: what the difference comes from.
The 95 % intervals are over topics.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from island_crew import Crew, Island, Plan

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.core.model import Fetched, Fingerprint, Link, Outcome, Page, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.trials import SEARCH_HITS, budget_of, read_topics
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species.evo.link_model.features import FEATURES

PARTS = {
    "words": ("words_max", "words_mean"),
    "query": ("anchor", "context", "url"),
    "nearness": ("near_query",),
    "profile": ("anchor_profile", "context_profile", "url_profile", "anchor_profile_x_parent"),
    "linking pages": (
        "parent_max", "parent_mean", "parent_sum", "parent_like_max", "parent_like_mean",
        "parent_title", "anchor_x_parent", "links",
    ),
    "distance": ("distance",),
    "other links of these pages": ("hub", "near", "new_parent", "path"),
    "host and folder": ("host", "folder", "new_host", "new_folder", "barren", "alive", "upward"),
}  # fmt: skip
"""Groups of features."""

Vector = npt.NDArray[np.float64]
Visited = tuple[Fingerprint, Page]
Qualities = list[tuple[float, bool]]


def visits_of(world: Any, plan: Plan, config: Config, scorer: PageScorer) -> list[Visited]:
    """Return the pages of a crawl in order, each with the target of the link to it."""
    island, found = Island(0, plan, config, scorer), list[Visited]()

    def note(visit: Visit, outcome: Outcome) -> None:
        if isinstance(outcome, Fetched):
            found.append((visit.lead.fingerprint, outcome.page))

    island.population.on_outcome.append(note)
    hits = world.search(config.query, SEARCH_HITS)
    island.population.place([Link(url, fingerprint(url)) for url in hits])
    Crew(world, plan, [island], config.max_requests or 0).crawl()
    return found


def exchange(islands: Sequence[Island]) -> None:
    """Let each island use the sums of the others."""
    for at in range(len(islands[0].shared)):
        rows = [each.shared[at].pack() for each in islands]
        parts = [islands[0].shared[at].unpack(row) for row in rows]
        for island in islands:
            island.shared[at].merge([*parts[: island.number], *parts[island.number + 1 :]])


def teach(islands: Sequence[Island], one: Any, visits: Sequence[Visited]) -> None:
    """Show the pages of a round to their owners and the one model, then to the other islands."""
    sent = []
    for target, page in visits:
        owner = next(each for each in islands if each.owns(Link(page.url, target)))
        model = owner.learning.model
        sent.append((owner, page, model.read_digest(model.digest(page))))
        for each in (model, one):
            each.observe_page(page, each.row_of(target))
    for owner, page, digest in sent:
        for other in islands:
            links = tuple(link for link in page.links if other.owns(link))
            if links and other is not owner:
                other.learning.model.observe_foreign_pages([replace(page, links=links)], [digest])


def ranked(island: Island, one: Any, links: Sequence[Fingerprint]) -> Iterator[tuple[str, Vector]]:
    """Yield the scores of links by the one model, by the island's, and by mixtures of the two."""
    model = island.learning.model
    x, of_one = (each.features(np.array([each.row_of(link) for link in links]))
                 for each in (model, one))  # fmt: skip
    yield "one model", of_one @ one.mean
    yield "islands", x @ model.mean
    yield "weights", x @ one.mean
    yield "all features", of_one @ model.mean
    for part, names in PARTS.items():
        columns = [FEATURES.index(name) for name in names]
        mixed = x.copy()
        mixed[:, columns] = of_one[:, columns]
        yield part, mixed @ model.mean


def quality(scores: Vector, are_good: npt.NDArray[np.bool_]) -> tuple[float, bool]:
    """Return the share of pairs of a good and another link in the right order; ties count half.

    Return also whether the first link is good.
    """
    good, others = scores[are_good], scores[~are_good]
    above = np.sign(good[:, None] - others)
    return float((above.mean() + 1) / 2), bool(are_good[int(np.argmax(scores))])


def qualities_of(world: Any, topic: Any, asked: argparse.Namespace) -> Mapping[str, Qualities]:
    """Return the qualities of each ranking of a topic's crawl."""
    relevant: AbstractSet[Fingerprint] = world.about(topic.name)
    arguments = {"query": topic.query, "seed": asked.seed,
                 "max_requests": budget_of(len(relevant), len(world))}  # fmt: skip
    config = Config.read({}, arguments)
    scorer = PageScorer(relevance.Wanted.by(config).make())
    alone = Plan(1, asked.islands, "exchange", "equal", "address", 0, 0, 0)
    visits = visits_of(world, alone, config, scorer)
    plan = replace(alone, islands=asked.islands, under_way=1, period=asked.period, delay=1)
    islands = [Island(number, plan, config, scorer) for number in range(asked.islands)]
    one = Island(0, alone, config, scorer).learning.model
    found, visited = dict[Fingerprint, Link](), set[Fingerprint]()
    qualities, next_exchange = defaultdict[str, Qualities](list), 1
    for at in range(0, len(visits), asked.islands):
        number = at // asked.islands
        if number == next_exchange:
            exchange(islands)
            next_exchange += min(asked.period, max(1, number // 4))
        for island in islands if number > 1 else ():
            links = [each for each, link in found.items() if island.owns(link)]
            links = [each for each in links if each not in visited]
            are_good = np.array([each in relevant for each in links], bool)
            if 0 < are_good.sum() < len(links):
                for name, scores in ranked(island, one, links):
                    qualities[name].append(quality(scores, are_good))
        part = visits[at : at + asked.islands]
        teach(islands, one, part)
        visited.update(target for target, _ in part)
        visited.update(page.fingerprint for _, page in part)
        found.update((link.fingerprint, link) for _, page in part for link in page.links)
    return qualities


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world")
    parser.add_argument("file", type=Path, metavar="TOPICS")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--topics", type=int, default=4, help="so many, the smallest first")
    parser.add_argument("--islands", type=int, default=16)
    parser.add_argument("--period", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    world = open_world(asked.world)
    topics = read_topics(asked.file, asked.split)
    topics.sort(key=lambda each: len(world.about(each.name)))
    means = defaultdict[str, list[Vector]](list)
    for topic in topics[: asked.topics]:
        for name, qualities in qualities_of(world, topic, asked).items():
            means[name].append(np.mean(qualities, axis=0))
    print("| from the one model | AUC | less the islands' | first | less the islands' |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, of_topics in means.items():
        less = np.array(of_topics) - means["islands"]
        half = np.full(2, np.nan)
        if len(less) > 1:
            half = 1.96 * np.std(less, axis=0, ddof=1) / len(less) ** 0.5
        columns = zip(np.mean(of_topics, axis=0), less.mean(axis=0), half, strict=True)
        shown = " | ".join(f"{mean:.4f} | {by:+.4f} ± {most:.4f}" for mean, by, most in columns)
        print(f"| {name} | {shown} |")


if __name__ == "__main__":
    main()
