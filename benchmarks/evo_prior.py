"""Fits the prior of the link model's weights over topics of recorded worlds, and writes it.

    python benchmarks/evo_prior.py OUT.json WORLD:TOPICS [WORLD:TOPICS …] [--split dev] [--runs 1]
        [--leave-out TOPIC …] [--examples FILE.npz] [--why TEXT]

The species `evo` crawls every topic from both starts with the prior in use now. The
script keeps the features of each followed link with the label of its page, and sometimes those of
random waiting links. All runs and all worlds have the same weight; good and bad links of a run are
weighted as in a crawl. The mean is that of a logistic regression with a ridge towards the prior set
by hand, since weights fitted to one world without the ridge were worse on the other world. The
precision is the mean curvature of `EXAMPLES` examples, plus one on the diagonal. The features of
`prior.NOT_FITTED` keep their weights: they are 0 for all but the first links of most crawls.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Collection
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evocrawl.core.model import Fingerprint, Page
from evocrawl.relevance.vectors.model import query_vectors_of
from evocrawl.simulation.laboratory import Laboratory
from evocrawl.simulation.trials import Topic, Trial, TrialError, read_topics
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species import SPECIES, Species, SpeciesContext, evo_with
from evocrawl.species.evo.link_model import FEATURES, LinkModel, prior

EXAMPLES = 60
"""Weight of the prior in examples."""
RIDGE = 30.0
_PER_WORLD = 1000.0
_PER_RUN = 200.0
_EVERY, _DRAWN = 10, 20
_STARTS: tuple[Literal["search", "far"], ...] = ("search", "far")

Examples = tuple[np.ndarray, np.ndarray, np.ndarray]


class Recorder(LinkModel):
    """A link model that keeps features with their addresses."""

    def __init__(self, have: SpeciesContext) -> None:
        shipped: Any = have.links()
        super().__init__(
            have.relevance.link,
            shipped._reader._hasher._reader,
            have.relevant_at,
            prior.shipped(),
            vectors=query_vectors_of(have.relevance),
        )
        self.kept: list[tuple[np.ndarray, Fingerprint]] = []
        self.rows: dict[Fingerprint, int] = {}
        self.rng = np.random.default_rng(0)

    def observe_page(self, page: Page, row: int | None) -> dict[Fingerprint, int]:
        if row is not None:
            self.kept.append((self.features(np.array([row]))[0], page.fingerprint))
        rows = super().observe_page(page, row)
        self.rows |= rows
        if self.evidence.tries % _EVERY == 0:
            self.draw()
        return rows

    def draw(self) -> None:
        """Keep some of the waiting links."""
        is_open = self.evidence.targets["is_open"]
        waiting = [(target, row) for target, row in self.rows.items() if is_open[row]]
        places = self.rng.permutation(len(waiting))[:_DRAWN]
        drawn = [waiting[place] for place in places]
        if drawn:
            features = self.features(np.array([row for _, row in drawn]))
            self.kept += [(x, target) for x, (target, _) in zip(features, drawn, strict=True)]


def species_of(have: SpeciesContext, recorders: list[Recorder]) -> Species:
    """Return `evo` with a model that keeps examples, and add the model to `recorders`."""
    recorders.append(Recorder(have))
    return evo_with(have, recorders[-1])


def crawled(world: str, topic: Topic, runs: int) -> Examples:
    """Return features, labels and weights of all runs of a topic."""
    laboratory = opened(world)
    parts = []
    recorders: list[Recorder] = []

    SPECIES["recording"] = partial(species_of, recorders=recorders)
    for start in _STARTS:
        for seed in range(runs):
            trial = Trial(
                query=topic.query, species="recording", topic=topic.name, start=start, seed=seed
            )
            try:
                laboratory.run(trial)
            except TrialError:
                continue
            parts.append(weighed(recorders.pop(), laboratory.world.about(topic.name)))
    xs, ys, ws = (np.concatenate(each) for each in zip(*parts, strict=True))
    return xs, ys, ws


def weighed(recorder: Recorder, relevant: Collection[Fingerprint]) -> Examples:
    """Return the examples of a run; their weights add up to `_PER_RUN`."""
    xs = np.array([x for x, _ in recorder.kept])
    ys = np.array([float(target in relevant) for _, target in recorder.kept])
    bad = min(1.0, (ys.sum() + 3) / max((1 - ys).sum(), 1))
    ws = ys + (1 - ys) * bad
    return xs, ys, ws * _PER_RUN / ws.sum()


@cache
def opened(world: str) -> Laboratory:
    """Return the laboratory of a world; each process has one."""
    return Laboratory(open_world(world))


def fit(xs: np.ndarray, ys: np.ndarray, ws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean, and the curvature per unit of weight."""
    by_hand = prior.by_hand().mean
    mean = by_hand.copy()
    penalty = RIDGE * np.eye(len(mean))
    # The bias is the rate of good links; it has no ridge.
    penalty[0, 0] = 1e-2
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(xs @ mean, -20, 20)))
        curvature = (xs * (ws * p * (1 - p))[:, None]).T @ xs
        step = np.linalg.solve(
            curvature + penalty, xs.T @ (ws * (ys - p)) - penalty @ (mean - by_hand)
        )
        mean = mean + np.clip(step, -1, 1)
    return mean, curvature / ws.sum()


def collected(tasks: list[tuple[str, Topic]], runs: int, kept: Path | None) -> dict[str, Examples]:
    """Return the examples of each topic, from the file `kept` if it exists."""
    if kept and kept.exists():
        stored = np.load(kept)
        return {t.name: tuple(stored[f"{t.name}/{part}"] for part in "xyw") for _, t in tasks}
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        futures = [pool.submit(crawled, world, topic, runs) for world, topic in tasks]
        done = [future.result() for future in futures]
    by_topic = {topic.name: each for (_, topic), each in zip(tasks, done, strict=True)}
    if kept:
        arrays: dict[str, Any] = {
            f"{name}/{part}": values
            for name, each in by_topic.items()
            for part, values in zip("xyw", each, strict=True)
        }
        np.savez_compressed(kept, **arrays)
    return by_topic


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("worlds", nargs="+", metavar="WORLD:TOPICS")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--leave-out", nargs="*", default=[])
    parser.add_argument(
        "--examples",
        type=Path,
        help="npz to save or reuse the examples",
    )
    parser.add_argument("--why", default="", help="provenance to note in the file")
    given = parser.parse_args()
    tasks = [
        (world, topic)
        for world, _, topics in (each.rpartition(":") for each in given.worlds)
        for topic in read_topics(Path(topics), given.split)
    ]
    by_topic = collected(tasks, given.runs, given.examples)
    worlds = {topic.name: world for world, topic in tasks if topic.name not in given.leave_out}
    shares = {world: _PER_WORLD / sum(by_topic[n][2].sum() for n, w in worlds.items() if w == world)
              for world in worlds.values()}  # fmt: skip
    kept = [(*by_topic[name][:2], by_topic[name][2] * shares[w]) for name, w in worlds.items()]
    xs, ys, ws = (np.concatenate(each) for each in zip(*kept, strict=True))
    mean, curvature = fit(xs, ys, ws)
    for name, weight in sorted(zip(FEATURES, mean, strict=True), key=lambda each: -abs(each[1])):
        print(f"{name:26} {weight:+.2f}")
    precision = EXAMPLES * curvature + np.eye(len(mean))
    made = prior.with_weights_by_hand(prior.Prior(mean, precision))
    content = {
        "what": "prior of the link model's second level; made by benchmarks/evo_prior.py",
        "provenance": given.why,
        "fitted_on": list(worlds),
        "examples": len(ys),
        "features": FEATURES,
        "mean": [round(float(each), 3) for each in made.mean],
        "precision": [[round(float(each), 3) for each in row] for row in made.precision],
    }
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(value)}" for name, value in content.items()
    )
    given.out.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
