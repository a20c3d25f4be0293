"""Measures what each relevance model does to the crawls of a species: paired runs on one world.

    python benchmarks/relevance_effect.py WORLD TOPICS [--split dev] [--start search far] [--runs 1]
        [--models tfidf bm25 …] [--species evo energy] [--minutes 30] [--out FILE]

The model decides what the species learns and eats; recall AUC is measured by the topics' labels, so
that every model is judged alike. Prints the mean recall AUC of each model, and its mean paired
difference to `tfidf` with the 95 % bootstrap interval over topics, then seeds. Rows already in FILE
(JSON lines) are not repeated; after `--minutes` of processor time no further topic begins. A model
is compared over the crawls that it shares with `tfidf`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from trial_rows import Row, parser_of, stored_rows

from evocrawl.core.config.config import Config
from evocrawl.simulation.evaluation.bootstrap import difference, interval
from evocrawl.simulation.laboratory import Laboratory
from evocrawl.simulation.trials import Topic, TrialError, read_topics, trials_of
from evocrawl.simulation.worlds.registry import open_world

BASE = "tfidf"
MODELS = (BASE, "bm25", "vectors", "tfidf+vectors", "bm25+vectors", Config().relevance)
KEY = ("model", "species", "topic", "start", "seed")


def rows_of(
    laboratory: Laboratory, topic: Topic, start: Any, seed: int, model: str, species: list[str]
) -> Iterator[Row]:
    """Yield a row for each species; none for a topic that cannot be begun this way."""
    for trial in trials_of([topic], species, [start], [seed], settings=(("relevance", model),)):
        try:
            row = laboratory.run(trial)
        except TrialError:
            return
        key = (model, trial.species, topic.name, start, seed)
        kept = {name: row[name] for name in ("recall_auc", "requests")}
        yield dict(zip(KEY, key, strict=True)) | kept


def table(rows: list[Row]) -> Iterator[str]:
    """Yield a line for each species and model, over the pairs that all models have."""
    values: dict[tuple[str, str], dict[str, dict[int, list[float]]]] = {}
    for row in sorted(rows, key=lambda row: str(row["start"])):
        by_topic = values.setdefault((row["species"], row["model"]), defaultdict(dict))
        by_topic[row["topic"]].setdefault(row["seed"], []).append(row["recall_auc"])
    yield "| species | model | recall AUC | difference to `tfidf` | topics better, worse | pairs |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for (species, model), own in sorted(values.items(), key=lambda each: each[0][0], reverse=True):
        cells = f"| `{species}` | `{model}` | {interval(own, np.random.default_rng(0))} |"
        if model == BASE:
            yield f"{cells} | | |"
            continue
        found = difference(own, values[species, BASE], np.random.default_rng(0))
        much = found.interval
        yield (f"{cells} {much.mean:+.3f} [{much.low:+.3f}, {much.high:+.3f}] |"
               f" {found.wins}, {found.losses} | {found.pairs} |")  # fmt: skip


def main() -> None:
    """Run what is missing and print the table."""
    parser = parser_of(__doc__, "relevance_effect.jsonl")
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--species", nargs="+", default=["evo", "energy"])
    parser.add_argument("--minutes", type=float, default=30.0)
    given = parser.parse_args()
    laboratory = Laboratory(open_world(given.world))
    topics = read_topics(given.topics, given.split)
    end = 60 * given.minutes
    with stored_rows(given.out) as (rows, store):
        done = {tuple(row[name] for name in KEY) for row in rows}
        runs = product(range(given.runs), given.start, topics, given.models)
        for seed, start, topic, model in runs:
            species = [each for each in given.species
                       if (model, each, topic.name, start, seed) not in done]  # fmt: skip
            if species and time.process_time() < end:
                store(rows_of(laboratory, topic, start, seed, model, species))
    print(*table(rows), sep="\n")


if __name__ == "__main__":
    main()
