"""Compares link models in crawls of `evo`: without and with word vectors, and mixtures of both.

    python benchmarks/hypotheses.py WORLD TOPICS [--split dev] [--start search far] [--runs 1]
        [--variants words mixture …] [--every 1] [--share 1.0] [--out FILE]

    words          the species as it is
    vectors        with six features by word vectors: the cosines of anchor, context and URL to
                   the query and to the good pages; weights by hand, precision 20
    strong         the same with twice these weights
    weak           the same as `vectors` with precision 1
    mixture        `words` and `vectors`, weighted by how well each ranks the visits
    equal          `words` and `vectors` with equal weights
    barren         `words`, with a feature for hosts on which no page was good

`--every 3` takes every third topic, `--share 0.3` that part of the budget. Prints for each variant
the mean recall_auc by start, and the mean paired difference to `words` with its 95 % bootstrap
interval over topics. Rows already in FILE (JSON lines) are not repeated. One process.

The models are in `mixed_link_model.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from mixed_link_model import WEAK, extended, hypothesis
from trial_rows import Row, interval, parser_of, spent_ms, stored_rows

from evocrawl.simulation.laboratory import Laboratory
from evocrawl.simulation.trials import Trial, budget_of, read_topics, trials_of
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species import SPECIES, Species, SpeciesContext

Key = tuple[str, str, str, int, float]


def variants() -> dict[str, Callable[[SpeciesContext], Species]]:
    """Return every variant by name."""
    words, vectors = hypothesis(share=0.88), hypothesis(near=1, share=0.12)
    alone = {
        "vectors": hypothesis(near=1),
        "strong": hypothesis(near=2),
        "weak": hypothesis(near=1, precision=WEAK),
        "barren": hypothesis(barren=-1.0),
    }
    equal = [replace(each, share=0.5) for each in (words, vectors)]
    return {
        "words": partial(extended, hypotheses=[words]),
        "mixture": partial(extended, hypotheses=[words, vectors]),
        "equal": partial(extended, hypotheses=equal, rate=0.0),
        **{name: partial(extended, hypotheses=[each]) for name, each in alone.items()},
    }


def key(row: Row) -> Key:
    """Return the key of the trial of a row."""
    return row["species"], row["topic"], row["start"], row["seed"], row["share"]


def ran(laboratory: Laboratory, trial: Trial, share: float) -> Row:
    """Run a trial with a share of its budget and return its row."""
    if share < 1:
        world = laboratory.world
        whole = budget_of(len(world.about(trial.topic)), len(world))
        trial = replace(trial, budget=max(1, int(share * whole)))
    row = laboratory.run(trial)
    kept = ("species", "topic", "start", "seed", "recall_auc", "recall_at_T", "recall_at_5T")
    return {name: row.get(name) for name in kept} | {
        "share": share,
        "ms": spent_ms(row),
    }


def table(rows: list[Row]) -> Iterator[str]:
    """Yield a line for each variant."""
    by_key = {key(row): row["recall_auc"] for row in rows}
    for name in dict.fromkeys(row["species"] for row in rows):
        own = [row for row in rows if row["species"] == name]
        ms = np.mean([row["ms"] for row in own])
        parts = [f"{name:10}"]
        for starts in (("search",), ("far",), ("search", "far")):
            by_topic = defaultdict(list)
            aucs = []
            for row in own:
                base = by_key.get(("words", *key(row)[1:]))
                if row["start"] in starts and base is not None:
                    by_topic[row["topic"]].append(row["recall_auc"] - base)
                    aucs.append(row["recall_auc"])
            if aucs:
                parts.append(f"{'+'.join(starts)} {np.mean(aucs):.3f} {interval(by_topic)}")
        yield "  ".join([*parts, f"{ms:.1f} ms"])


def main() -> None:
    parser = parser_of(__doc__, "hypotheses.jsonl")
    parser.add_argument("--variants", nargs="+", default=["words", "mixture"])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0)
    given = parser.parse_args()
    SPECIES.update(variants())
    laboratory = Laboratory(open_world(given.world))
    topics = [*read_topics(given.topics, given.split)][:: given.every]
    with stored_rows(given.out) as (rows, store):
        done = {key(row) for row in rows}
        for each in trials_of(topics, given.variants, given.start, range(given.runs)):
            if (each.species, each.topic, each.start, each.seed, given.share) not in done:
                store([ran(laboratory, each, given.share)])
    print(*table([row for row in rows if row["share"] == given.share]), sep="\n")


if __name__ == "__main__":
    main()
