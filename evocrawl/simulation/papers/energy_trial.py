"""The trial that the experiments of Mouton & Marteau 2008 share, and its measures."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlsplit

import numpy as np

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.papers.base import Plot, Setup, average, mean_and_spread
from evocrawl.simulation.runner import Run, Step, run
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.worlds.answers import AnsweringWorld

PAPER = "Mouton & Marteau 2008"
COST = 0.5
_HITS = 50
_SEEDS = 3


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the compared crawlers."""

    name: str
    settings: dict[str, object]


class Trial:
    """Web, query, seeds and budget, the same for all crawlers of an experiment."""

    def __init__(self, setup: Setup) -> None:
        assert setup.world is not None
        self.setup = setup
        self.world = setup.world
        self.founders = 20 if setup.small else 200
        self.pages = 280 if setup.small else 25_000
        self.scorer = PageScorer(relevance.create("tfidf", setup.query, calibrated=False))
        self.seeds = seeds_for(self.world, setup.query)
        self.labels = self.world.about(setup.topic) if setup.topic else None
        self._mean_relevance: float | None = None

    @property
    def rho(self) -> float:
        """The ρ at which a mean page of a breadth-first crawl pays exactly for its visit."""
        if self._mean_relevance is None:
            done = self.run(Kind("r̄", {"species": "breadth_first"}), 0)
            scores = [step.relevance for step in done.steps if step.relevance is not None]
            self._mean_relevance = max(float(np.mean(scores)), 1e-6)
        return COST / self._mean_relevance

    def run(self, kind: Kind, seed: int) -> Run:
        """Run one crawl."""
        self.setup.progress(f"{kind.name}, seed {seed}")
        options = {
            "query": self.setup.query,
            "relevance": "tfidf",
            "calibrated": False,
            "seed": seed,
            "max_requests": self.pages,
            "agents": self.founders,
            "cost": COST,
            **kind.settings,
        }
        config = Config.read({}, options)
        return run(self.world, config, self.seeds, scorer=self.scorer)

    def all(self, *kinds: Kind) -> dict[str, list[Run]]:
        """Run the crawls of every kind, one for each seed."""
        return {kind.name: [self.run(kind, seed) for seed in self.setup.seeds] for kind in kinds}

    def is_relevant(self, step: Step) -> bool:
        """Return whether a page is relevant, by labels if there is a topic, else by its score."""
        if step.relevance is None:
            return False
        if self.labels is not None:
            return step.fingerprint in self.labels
        return step.relevance >= 0.12


def seeds_for(world: AnsweringWorld, query: str, count: int = _SEEDS) -> list[str]:
    """Return the best pages of a search, at most `count`, from as many hosts as possible."""
    hits = world.search(query, _HITS)
    by_host = sorted(hits, key=lambda url: urlsplit(url).netloc)
    best = {host: min(urls, key=hits.index)
            for host, urls in groupby(by_host, key=lambda url: urlsplit(url).netloc)}  # fmt: skip
    first = sorted(best.values(), key=hits.index)[:count]
    return first + [url for url in hits if url not in first][: count - len(first)]


def largest(done: Run) -> float:
    """Return the largest number of agents alive at the same time."""
    return max(step.agents for step in done.steps)


def _part(done: Run, begin: float, end: float) -> tuple[Step, ...]:
    count = len(done.steps)
    return done.steps[int(begin * count) : max(int(end * count), int(begin * count) + 1)]


def mean_agents(done: Run, begin: float, end: float) -> float:
    """Return the mean number of agents between two shares of the visits, in [0, 1]."""
    return float(np.mean([step.agents for step in _part(done, begin, end)]))


def share_at(done: Run, least: float, begin: float, end: float) -> float:
    """Return the share of these visits with `least` agents or more."""
    return float(np.mean([step.agents >= least for step in _part(done, begin, end)]))


def share_full(trial: Trial, done: Run, least: float) -> float:
    """Return the share of visits with `least` agents or more, until most of the topic is found."""
    hits = np.cumsum([trial.is_relevant(step) for step in done.steps])
    end = int(np.searchsorted(hits, 0.9 * hits[-1])) + 1
    return share_at(done, least, 0.0, end / len(done.steps))


def precision(trial: Trial, done: Run) -> list[float]:
    """Return the precision after each fetched page."""
    hits = np.cumsum([trial.is_relevant(each) for each in done.steps if each.outcome == "fetched"])
    shares: list[float] = (hits / np.arange(1, len(hits) + 1)).tolist()
    return shares


def alike(
    trial: Trial, some: list[Run], others: list[Run]
) -> list[tuple[list[float], list[float]]]:
    """Return the precision of the two runs of each seed, over the pages that both have."""
    pairs = []
    for one, other in zip(some, others, strict=True):
        first, second = precision(trial, one), precision(trial, other)
        shorter = min(len(first), len(second))
        pairs.append((first[:shorter], second[:shorter]))
    return pairs


def fates(trial: Trial, runs: Collection[Run]) -> str:
    """Return a text on how many runs died out, and when."""
    dead = [each for each in runs if each.stop_reason == "extinct"]
    text = f"{len(dead)} of {len(runs)} died out"
    if dead:
        text += f", after {mean_and_spread([len(each.steps) for each in dead], 0)} visits"
    return f"{text}; {trial.founders} founders, budget {trial.pages}"


def population_plot(name: str, runs: dict[str, list[Run]]) -> Plot:
    """Plot the agents over the requests, the runs of a kind averaged."""
    lines = {
        kind: average([[(s.request, float(s.agents)) for s in each.steps] for each in some])
        for kind, some in runs.items()
    }
    return Plot(f"energy-{name}", f"{PAPER}, {name.replace('-', ' ')}", "requests", "agents", lines)


def precision_plot(trial: Trial, name: str, runs: dict[str, list[Run]]) -> Plot:
    """Plot the precision over the pages, the runs of a kind averaged."""
    lines = {
        kind: average([[*enumerate(precision(trial, each), 1)] for each in some])
        for kind, some in runs.items()
    }
    return Plot(f"energy-{name}", f"{PAPER}, {name.replace('-', ' ')}", "pages", "precision", lines)


def rows(trial: Trial, runs: dict[str, list[Run]]) -> list[Row]:
    """Return a row for each run."""
    return [
        {
            "kind": kind,
            "seed": seed,
            "visits": len(done.steps),
            "requests": done.requests,
            "stop_reason": done.stop_reason,
            "largest": largest(done),
            "final": done.steps[-1].agents,
            "precision": precision(trial, done)[-1],
        }
        for kind, some in runs.items()
        for seed, done in zip(trial.setup.seeds, some, strict=True)
    ]
