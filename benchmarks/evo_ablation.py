"""Measures the parts of the species `evo`: runs it without one part, on the same trials.

    python benchmarks/evo_ablation.py WORLD TOPICS [--split dev] [--start search far] [--runs 1]
        [--variants evo no_profile …] [--processes 2] [--concurrency 1] [--first N] [--out FILE]

`--first 50` makes the first 50 requests of each trial, or as many as the topic has pages;
`--per-page 2` makes 2 for each page of the topic in the place of 5, `--budget 200` makes 200 in
each trial. They need a FILE of their own. A variant may be another species, as best_first_anchor.
Prints a line for each variant: mean recall_auc by start, mean recall at T, the mean paired
difference to `evo` with its 95 % bootstrap interval over topics, topics won and lost, processor
time of choosing and settling a request. Rows already in FILE (JSON lines) are not repeated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from evo_models import model_of
from trial_rows import Row, interval, key, parser_of, run_trials, spent_ms

from evocrawl.simulation.laboratory import Laboratory
from evocrawl.simulation.pace import Pace
from evocrawl.simulation.trials import Trial, read_topics, trials_of
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species import SPECIES, Species, SpeciesContext, evo_with
from evocrawl.species.evo.link_model import FEATURES, Tuning, prior

Key = tuple[str, str, str, int]
GROUPS = {
    "query": ("anchor", "context", "url", "anchor_x_parent", "parent_title"),
    "parent": ("parent_max", "parent_mean", "parent_sum", "anchor_x_parent"),
    "rates": ("host", "folder", "path", "hub", "near"),
    "novelty": ("new_host", "new_folder", "new_parent"),
}
"""Features that are left out together."""


def variant(have: SpeciesContext, without: tuple[str, ...] = (), **options: Any) -> Species:
    """Return the species without some parts, or with other options."""
    before = prior.by_hand() if "prior" in without else prior.shipped()
    model = model_of(have, before, Tuning(frozenset(without)))
    return evo_with(have, model, **options)


def variants() -> dict[str, Callable[[SpeciesContext], Species]]:
    """Return every variant by name."""
    parts = {part: (part,) for part in ("profile", "fit", "words", "prior", *FEATURES)}
    made: dict[str, Callable[[SpeciesContext], Species]] = {
        f"no_{name}": partial(variant, without=left_out)
        for name, left_out in {**parts, **GROUPS}.items()
    }
    made["evo"] = variant
    for tau in (0.0, 0.3, 1.0):
        made[f"temperature_{tau}"] = partial(variant, temperatures=(tau,))
    made["bolder"] = partial(variant, temperatures=(0.0, 0.3, 0.6, 1.0))
    return made


@cache
def opened(world: str, concurrency: int) -> Laboratory:
    """Return the laboratory of a world; each process has one."""
    SPECIES.update(variants())
    return Laboratory(open_world(world), Pace(concurrency))


def hold(
    trial: Trial,
    world: str,
    concurrency: int,
    first: int | None,
    per_page: int | None,
    budget: int | None,
) -> Row:
    """Run a trial and return its row."""
    laboratory = opened(world, concurrency)
    pages = len(laboratory.world.about(trial.topic))
    if budget is not None:
        trial = replace(trial, budget=budget)
    if per_page is not None:
        trial = replace(trial, budget=per_page * pages)
    if first is not None:
        trial = replace(trial, budget=min(first, pages))
    row = laboratory.run(trial)
    kept = ("species", "topic", "start", "seed", "recall_auc", "recall_at_T", "oracle_auc")
    return {name: row.get(name) for name in kept} | {"ms": spent_ms(row)}


def table(rows: list[Row]) -> Iterator[str]:
    """Yield a line for each variant."""
    by_trial = {key(row): row for row in rows}
    for name in dict.fromkeys(row["species"] for row in rows):
        own = [row for row in rows if row["species"] == name]
        starts = " ".join(
            f"{start} {np.mean([r['recall_auc'] for r in own if r['start'] == start]):.3f}"
            for start in sorted({row["start"] for row in own})
        )
        first = np.mean([row["recall_at_T"] or 0 for row in own])
        ms = np.mean([row["ms"] for row in own])
        yield f"{name:26} {starts}  at T {first:.3f}  {difference(own, by_trial)}  {ms:.2f} ms"


def difference(own: list[Row], by_trial: dict[Key, Row]) -> str:
    """Return the paired difference of a variant's rows to those of evo."""
    by_topic: dict[str, list[float]] = defaultdict(list)
    for row in own:
        other = by_trial.get(("evo", *key(row)[1:]))
        if other is not None:
            by_topic[row["topic"]].append(row["recall_auc"] - other["recall_auc"])
    return interval(by_topic) if by_topic else ""


def main() -> None:
    parser = parser_of(__doc__, "evo_ablation.jsonl")
    parser.add_argument("--variants", nargs="+", default=["evo"])
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--first", type=int)
    parser.add_argument("--per-page", type=int)
    parser.add_argument("--budget", type=int)
    given = parser.parse_args()
    topics = read_topics(given.topics, given.split)
    trials = trials_of(topics, given.variants, given.start, range(given.runs))
    held = partial(
        hold,
        world=given.world,
        concurrency=given.concurrency,
        first=given.first,
        per_page=given.per_page,
        budget=given.budget,
    )
    rows = run_trials(trials, held, given.processes, given.out)
    print(*table(rows), sep="\n")


if __name__ == "__main__":
    main()
