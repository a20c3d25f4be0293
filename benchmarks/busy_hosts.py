"""What it brings to wait for a busy host that has better links: requests against time.

    python benchmarks/busy_hosts.py pages.jsonl.gz topics.tsv [--split dev] [--start search far]
        [--runs 1] [--selectivity 0 0.25 0.5 1] [--others best_first_anchor …] [--budget N]
        [--latency 0.5] [--processes 2]

Trials of `evo` with sixteen visits under way, one at a time at a host, a second between two starts
there, as in a polite crawl. A line for each selectivity: the area under the recall curve, recalls
after T/2, T, 2T and 5T requests, the duration, and the recall when the crawl of the first
selectivity has ended, which is the one that never waits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from trial_rows import Row, interval, parser_of, run_trials

from evocrawl.simulation.laboratory import Laboratory
from evocrawl.simulation.pace import Pace
from evocrawl.simulation.trials import Trial, read_topics, trials_of
from evocrawl.simulation.worlds.recorded import Recorded

CONCURRENCY = 16
HOST_DELAY_S = 1.0
LEAST_PAGES = 8
AT = ("T/2", "T", "2T", "5T")


@cache
def opened(world: str, latency_s: float) -> Laboratory:
    """Return the laboratory of a world; each process has one."""
    return Laboratory(Recorded.read(world, latency_s=latency_s), Pace(CONCURRENCY, HOST_DELAY_S))


def hold(trial: Trial, world: str, latency_s: float) -> Row:
    """Run a trial and return its row; its species is named with the selectivity."""
    name = "evo" if trial.settings else trial.species
    row = opened(world, latency_s).run(replace(trial, species=name))
    kept = ("topic", "start", "seed", "recall_auc", "topic_pages", "hits_s", "simulated_s")
    recalls = {name: row.get(f"recall_at_{name}") for name in AT}
    return {"species": trial.species} | {name: row[name] for name in kept} | {"recalls": recalls}


def settings_of(name: str) -> tuple[tuple[str, str], ...]:
    """Return the settings of a trial that is named with a selectivity, or with another species."""
    selectivity = name.partition("selectivity ")[2]
    return (("selectivity", selectivity),) if selectivity else ()


def table(rows: list[Row], start: str) -> Iterator[str]:
    """Yield a line for each selectivity; the first one is compared with."""
    held = {(r["species"], r["topic"], r["seed"]): r for r in rows if r["start"] == start}
    names = list(dict.fromkeys(name for name, *_ in held))
    for name in names:
        pairs = [(row, held.get((names[0], *key[1:]))) for key, row in held.items()
                 if key[0] == name]  # fmt: skip
        yield f"{start:6} {name:16} " + line([(own, first) for own, first in pairs if first])


def line(pairs: list[tuple[Row, Row]]) -> str:
    """Return what rows show beside those of the crawl that never waits."""
    by_topic: dict[str, list[float]] = defaultdict(list)
    for own, first in pairs:
        by_topic[own["topic"]].append(own["recall_auc"] - first["recall_auc"])
    areas = [own["recall_auc"] for own, _ in pairs]
    recalls = np.array([[own["recalls"][at] for at in AT] for own, _ in pairs], float)
    ends = np.array([(own["simulated_s"], first["simulated_s"]) for own, first in pairs])
    then = [np.searchsorted(own["hits_s"], first["simulated_s"]) / own["topic_pages"]
            for own, first in pairs]  # fmt: skip
    return (
        f"{len(pairs):3} trials {np.mean(areas):.3f} {np.nanmean(recalls, 0).round(3)}  "
        f"{interval(by_topic)}  {ends[:, 0].mean():.0f} s, "
        f"{np.median(ends[:, 0] / ends[:, 1]):.2f} times; recall then {np.mean(then):.3f}"
    )


def main() -> None:
    parser = parser_of(__doc__, "busy_hosts.jsonl")
    parser.add_argument("--selectivity", nargs="+", default=["0", "0.25", "0.5", "1"])
    parser.add_argument("--others", nargs="*", default=[])
    parser.add_argument("--budget", type=int)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    world = Recorded.read(Path(given.world))
    topics = [
        each for each in read_topics(given.topics, given.split)
        if len(world.about(each.name)) >= LEAST_PAGES
    ]  # fmt: skip
    names = [f"selectivity {each}" for each in given.selectivity]
    trials = [
        replace(trial, budget=given.budget, settings=settings_of(trial.species))
        for trial in trials_of(topics, [*names, *given.others], given.start, range(given.runs))
    ]
    held = partial(hold, world=given.world, latency_s=given.latency)
    rows = run_trials(trials, held, given.processes, given.out)
    for start in given.start:
        print(*table(rows, start), sep="\n")


if __name__ == "__main__":
    main()
