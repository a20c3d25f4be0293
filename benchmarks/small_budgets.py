"""Measures what species find with few requests, from the home page of one site.

    python benchmarks/small_budgets.py WORLD TOPICS [--split check] [--budgets 12 30 100]
        [--species evo best_first_anchor …] [--sites 2] [--least 15] [--runs 1] [--out FILE]

For each topic, each of the `--sites` hosts with the most pages of the topic is a trial, if it has
`--least` of them. The seed is the host's home page: of the pages in its outermost folder, the one
named index. All links may be followed, also those to other hosts. Prints a line for each species
and budget: mean number of relevant pages found, what the first species has above it, with the 95 %
bootstrap interval over topics, topics won and lost. Rows already in FILE (JSON lines) are not
repeated.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from urllib.parse import urlsplit

import numpy as np
from trial_rows import Row, interval, parser_of, stored_rows

from evocrawl.simulation.laboratory import Laboratory
from evocrawl.simulation.trials import Topic, Trial, read_topics
from evocrawl.simulation.worlds.registry import open_world

Key = tuple[str, str, str, int, int]


def home_pages(laboratory: Laboratory) -> dict[str, str]:
    """Return the home page of each host."""
    homes: dict[str, str] = {}
    for document in laboratory.world.documents():
        host = urlsplit(document.url).netloc
        homes[host] = min(homes.get(host, document.url), document.url, key=_depth)
    return homes


def _depth(url: str) -> tuple[int, bool, int]:
    """Return a key that is least for the home page of a host."""
    folder, _, name = urlsplit(url).path.rpartition("/")
    return folder.count("/"), name.partition(".")[0] not in ("", "index"), len(url)


def seeds_of(
    laboratory: Laboratory, homes: dict[str, str], topic: Topic, sites: int, least: int
) -> list[str]:
    """Return the home pages of the hosts with the most pages of a topic."""
    about = laboratory.world.about(topic.name)
    pages = (each for each in laboratory.world.documents() if each.fingerprint in about)
    counts = Counter(urlsplit(each.url).netloc for each in pages)
    return [homes[host] for host, count in counts.most_common(sites) if count >= least]


def key(row: Row) -> Key:
    """Return the key of the trial of a row."""
    return row["species"], row["topic"], row["seeds"][0], row["seed"], row["budget"]


def table(rows: list[Row], species: list[str], budgets: list[int]) -> Iterator[str]:
    """Yield a line for each species and budget."""
    found = {key(row): row["relevant"] for row in rows}
    for budget in budgets:
        for name in species:
            own = {each: n for each, n in found.items() if each[0] == name and each[4] == budget}
            by_topic: dict[str, list[float]] = defaultdict(list)
            for each, count in own.items():
                by_topic[each[1]].append(float(found[species[0], *each[1:]] - count))
            mean = np.mean([*own.values()])
            ahead = "" if name == species[0] else interval(by_topic)
            yield f"{budget:5} {name:20} {mean:6.2f} of {len(own)} trials  {ahead}"


def main() -> None:
    parser = parser_of(__doc__, "small_budgets.jsonl")
    peers = ["evo", "best_first_anchor", "shark_search", "best_first", "ache", "energy"]
    parser.add_argument("--species", nargs="+", default=[*peers, "breadth_first"])
    parser.add_argument("--budgets", nargs="+", type=int, default=[12, 30, 100])
    parser.add_argument("--sites", type=int, default=2)
    parser.add_argument("--least", type=int, default=15)
    given = parser.parse_args()
    laboratory = Laboratory(open_world(given.world))
    homes = home_pages(laboratory)
    with stored_rows(given.out) as (rows, store):
        done = {key(row) for row in rows}
        for topic in read_topics(given.topics, given.split):
            for url in seeds_of(laboratory, homes, topic, given.sites, given.least):
                for seed in range(given.runs):
                    for name in given.species:
                        for budget in given.budgets:
                            if (name, topic.name, url, seed, budget) not in done:
                                store([_run(laboratory, topic, url, name, seed, budget)])
        print(*table(rows, given.species, given.budgets), sep="\n")


def _run(
    laboratory: Laboratory, topic: Topic, url: str, species: str, seed: int, budget: int
) -> Row:
    trial = Trial(
        query=topic.query, species=species, topic=topic.name, start="given", seed=seed,
        budget=budget, seeds=(url,),
    )  # fmt: skip
    row = laboratory.run(trial)
    return {name: row[name] for name in ("species", "topic", "seeds", "seed", "budget", "relevant")}


if __name__ == "__main__":
    main()
