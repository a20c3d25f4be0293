"""Mouton & Marteau 2008: population control, figures 2 to 6.

Two hundred agents begin at three relevant pages and crawl a web of texts; the energy models differ.
Silent in the paper and chosen here: C = 0.5 (its example), the values of ρ by the mean relevance r̄
of a first crawl of the same web (ρ·r̄/C is what a mean page earns for what a visit costs), and
what counts as a population that "explodes": ten times the founders. The budget is the paper's
25 000 pages or as many as can be reached from the seeds: a graph crawled to its end.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from urllib.parse import urlsplit

import numpy as np

from evocrawl import relevance
from evocrawl.config import Config
from evocrawl.evaluation.results import Row
from evocrawl.experiments.base import Claim, Experiment, Findings, Plot, Setup, mean_and_spread
from evocrawl.experiments.series import average
from evocrawl.simulation.answers import AnsweringWorld
from evocrawl.simulation.judge import Judge
from evocrawl.simulation.runner import Run, Step, run

PAPER = "Mouton & Marteau 2008"
COST = 0.5
EXPLODES = 10
_HITS = 50
_SEEDS = 3

_CLOSED = (
    "The paper crawled the open Web for a while; here the web is closed and the budget more than "
    "it holds. A population without a lower bound dies out at the latest when the pages better "
    "than most of those seen are used up, whatever balance there was before."
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the crawlers compared."""

    name: str
    settings: dict[str, object]


class _Trial:
    """A web, a query, its seeds and a budget: what all crawlers of an experiment share."""

    def __init__(self, setup: Setup) -> None:
        assert setup.world is not None
        self.setup = setup
        self.world = setup.world
        self.founders = 20 if setup.small else 200
        self.pages = 400 if setup.small else 25_000
        self.judge = Judge(relevance.create("tfidf", setup.query))
        self.seeds = seeds_for(self.world, setup.query)
        self.labels = self.world.about(setup.topic) if setup.topic else None
        self._mean_relevance: float | None = None

    @property
    def rho(self) -> float:
        """The ρ at which a mean page of a breadth-first crawl just pays for its visit."""
        if self._mean_relevance is None:
            done = self.run(_Kind("r̄", {"species": "breadth_first"}), 0)
            scores = [step.relevance for step in done.steps if step.relevance is not None]
            self._mean_relevance = max(float(np.mean(scores)), 1e-6)
        return COST / self._mean_relevance

    def run(self, kind: _Kind, seed: int) -> Run:
        """Make one crawl."""
        self.setup.told(f"{kind.name}, seed {seed}")
        options = {
            "query": self.setup.query,
            "seed": seed,
            "max_pages": self.pages,
            "agents": self.founders,
            "cost": COST,
            **kind.settings,
        }
        config = Config.read({}, options)
        return run(self.world, config, self.seeds, judge=self.judge)

    def all(self, *kinds: _Kind) -> dict[str, list[Run]]:
        """Make the crawls of every kind, once a seed."""
        return {kind.name: [self.run(kind, seed) for seed in self.setup.seeds] for kind in kinds}

    def is_relevant(self, step: Step) -> bool:
        """By the labels where the topic is given, else by the crawl's own score."""
        if step.relevance is None:
            return False
        if self.labels is not None:
            return step.fingerprint in self.labels
        return step.relevance >= 0.12


def seeds_for(world: AnsweringWorld, query: str, count: int = _SEEDS) -> list[str]:
    """Return the best pages of a search, of as many hosts as may be, at most `count`."""
    hits = world.search(query, _HITS)
    by_host = sorted(hits, key=lambda url: urlsplit(url).netloc)
    best = {host: min(urls, key=hits.index)
            for host, urls in groupby(by_host, key=lambda url: urlsplit(url).netloc)}  # fmt: skip
    first = sorted(best.values(), key=hits.index)[:count]
    return first + [url for url in hits if url not in first][: count - len(first)]


def _unbuffered(name: str, **settings: object) -> _Kind:
    return _Kind(name, {"buffer": False, **settings})


def _linear(trial: _Trial, share: float, word: str) -> _Kind:
    return _unbuffered(f"ρ·r̄ = {share:g} C ({word})", energy="linear", gain=share * trial.rho)


_PAIRS = ((0.25, 4.0), (0.5, 8.0), (1.0, 8.0))


def _sigmoid(cost: float, gain: float) -> _Kind:
    return _unbuffered(f"C = {cost:g}, G = {gain:g}", cost=cost, gain=gain)


def figure_2(setup: Setup) -> Findings:
    """Three ρ of the linear model: one dies out, one explodes, one stays usable."""
    trial = _Trial(setup)
    kinds = [
        _linear(trial, 0.3, "poor"), _linear(trial, 1.0, "even"), _linear(trial, 4.0, "rich"),
    ]  # fmt: skip
    runs = trial.all(*kinds)
    poor, even, rich = (runs[kind.name] for kind in kinds)
    claims = (
        Claim(
            "with a small ρ the population dies out",
            "dies very quickly",
            _fates(trial, poor),
            all(each.stop_reason == "extinct" for each in poor),
        ),
        Claim(
            "with a great ρ it explodes",
            "increases brutally",
            f"largest {mean_and_spread([_largest(each) for each in rich], 0)}",
            all(_largest(each) > EXPLODES * trial.founders for each in rich),
        ),
        Claim(
            "in between there is a ρ that stays usable",
            "remains usable",
            _fates(trial, even) + f"; largest {mean_and_spread([_largest(e) for e in even], 0)}",
            all(
                each.stop_reason != "extinct" and _largest(each) <= EXPLODES * trial.founders
                for each in even
            ),
            "a mean page pays for its visit exactly; nothing else was tried. " + _CLOSED,
        ),
    )
    return Findings(claims, (_population_plot("figure-2", runs),), _rows(trial, runs))


def figure_3(setup: Setup) -> Findings:
    """Three (C, G) of the sigmoid model: neither extinction nor explosion."""
    trial = _Trial(setup)
    runs = trial.all(*(_sigmoid(cost, gain) for cost, gain in _PAIRS))
    every = [each for some in runs.values() for each in some]
    largest = max(map(_largest, every))
    grown = [_mean_agents(each, 0.25, 0.5) > trial.founders for each in every]
    claims = (
        Claim(
            "no population dies out",
            "none of three",
            _fates(trial, every),
            all(each.stop_reason != "extinct" for each in every),
            _CLOSED,
        ),
        Claim(
            "no population explodes",
            "variations remain controllable",
            f"largest of all: {largest:.0f}, founders {trial.founders}",
            largest <= EXPLODES * trial.founders,
        ),
        Claim(
            "the population increases with the precision",
            "in all three cases",
            f"above the founders in the second quarter: {sum(grown)} of {len(grown)} runs",
            all(grown),
        ),
    )
    return Findings(claims, (_population_plot("figure-3", runs),), _rows(trial, runs))


def figure_4(setup: Setup) -> Findings:
    """At the same C the sigmoid model (G = 8) has a higher precision than the linear one."""
    trial = _Trial(setup)
    linear, sigmoid = _linear(trial, 1.0, "linear"), _sigmoid(COST, 8.0)
    runs = trial.all(linear, sigmoid)
    pairs = _alike(trial, runs[sigmoid.name], runs[linear.name])
    first, second = ([float(np.mean(pair[side])) for pair in pairs] for side in (0, 1))
    pages = [float(len(pair[0])) for pair in pairs]
    claims = (
        Claim(
            "the sigmoid model's precision is higher than the linear model's",
            "sigmoid (G = 8) above linear at the same C",
            f"mean precision over the first {mean_and_spread(pages, 0)} pages, where both crawl: "
            f"sigmoid {mean_and_spread(first)}, linear {mean_and_spread(second)}",
            float(np.mean(first)) > float(np.mean(second)),
        ),
    )
    return Findings(claims, (_precision_plot(trial, "figure-4", runs),), _rows(trial, runs))


def _buffer_kinds(trial: _Trial) -> tuple[_Kind, _Kind]:
    upper = trial.founders * 5 // 4
    bounds = {"lower_bound": trial.founders // 4, "upper_bound": upper}
    return (
        _Kind("with buffer", {"gain": 30.0, **bounds}),
        _unbuffered("without buffer", gain=30.0),
    )


def figure_5(setup: Setup) -> Findings:
    """G = 30: bounded by UB = 250 with the energy buffer, brutal swings without it."""
    trial = _Trial(setup)
    kinds = _buffer_kinds(trial)
    runs = trial.all(*kinds)
    bounded, free = (runs[kind.name] for kind in kinds)
    upper, lower = trial.founders * 5 // 4, trial.founders // 4
    late = [_mean_agents(each, 0.95, 1.0) for each in bounded]
    claims = (
        Claim(
            "with the buffer the population keeps to the upper bound",
            f"bounded by {upper}" if not setup.small else "bounded by UB",
            f"largest {max(map(_largest, bounded)):.0f}, UB {upper}",
            max(map(_largest, bounded)) <= upper,
        ),
        Claim(
            "most of the time it is at the upper bound, while the topic lasts",
            "tends to be equal most of the time to the upper boundary",
            "share of these visits at 90 % of UB or more: "
            + mean_and_spread([_share_full(trial, each, 0.9 * upper) for each in bounded], 2),
            all(_share_full(trial, each, 0.9 * upper) > 0.5 for each in bounded),
            "the topic lasts until nine tenths of the relevant pages of the run are found; over "
            "the first half of all visits the share is "
            + mean_and_spread([_share_at(each, 0.9 * upper, 0.0, 0.5) for each in bounded], 2),
        ),
        Claim(
            "without the buffer it swings brutally",
            "brutal variations",
            f"largest {mean_and_spread([_largest(each) for each in free], 0)}, "
            f"founders {trial.founders}",
            all(_largest(each) > 2 * upper for each in free),
        ),
        Claim(
            "when the topic is exhausted it sinks to the lower bound",
            "tends to be equal to the lower boundary",
            f"mean over the last twentieth {mean_and_spread(late, 0)}, LB {lower}",
            all(value <= lower + 0.25 * (upper - lower) for value in late),
        ),
    )
    return Findings(claims, (_population_plot("figure-5", runs),), _rows(trial, runs))


def figure_6(setup: Setup) -> Findings:
    """The buffer costs a little precision at first; the difference goes to zero."""
    trial = _Trial(setup)
    kinds = _buffer_kinds(trial)
    runs = trial.all(*kinds)
    pairs = _alike(trial, *(runs[kind.name] for kind in kinds))
    early, late = (
        [
            with_buffer[place] - without[place]
            for with_buffer, without in pairs
            for place in (int(share * (len(without) - 1)),)
        ]
        for share in (0.1, 1.0)
    )
    claims = (
        Claim(
            "with the buffer the precision starts a little lower",
            "a little lower than its counterpart",
            f"difference after a tenth of the pages that both crawl {mean_and_spread(early)}",
            float(np.mean(early)) <= 0,
        ),
        Claim(
            "the difference goes to zero",
            "progressively reduced to zero",
            f"difference at the end {mean_and_spread(late)}",
            abs(float(np.mean(late))) <= max(0.02, abs(float(np.mean(early))) / 2),
        ),
    )
    return Findings(claims, (_precision_plot(trial, "figure-6", runs),), _rows(trial, runs))


def _largest(done: Run) -> float:
    return max(step.agents for step in done.steps)


def _part(done: Run, begin: float, end: float) -> tuple[Step, ...]:
    count = len(done.steps)
    return done.steps[int(begin * count) : max(int(end * count), int(begin * count) + 1)]


def _mean_agents(done: Run, begin: float, end: float) -> float:
    return float(np.mean([step.agents for step in _part(done, begin, end)]))


def _share_at(done: Run, least: float, begin: float, end: float) -> float:
    return float(np.mean([step.agents >= least for step in _part(done, begin, end)]))


def _share_full(trial: _Trial, done: Run, least: float) -> float:
    """The share of visits with `least` agents or more, until most of the topic has been found."""
    hits = np.cumsum([trial.is_relevant(step) for step in done.steps])
    end = int(np.searchsorted(hits, 0.9 * hits[-1])) + 1
    return _share_at(done, least, 0.0, end / len(done.steps))


def _precision(trial: _Trial, done: Run) -> list[float]:
    hits = np.cumsum([trial.is_relevant(each) for each in done.steps if each.outcome == "fetched"])
    precision: list[float] = (hits / np.arange(1, len(hits) + 1)).tolist()
    return precision


def _alike(
    trial: _Trial, some: list[Run], others: list[Run]
) -> list[tuple[list[float], list[float]]]:
    """The precision of the runs of each seed over as many pages as both have."""
    pairs = []
    for one, other in zip(some, others, strict=True):
        first, second = _precision(trial, one), _precision(trial, other)
        shorter = min(len(first), len(second))
        pairs.append((first[:shorter], second[:shorter]))
    return pairs


def _fates(trial: _Trial, runs: Collection[Run]) -> str:
    dead = [each for each in runs if each.stop_reason == "extinct"]
    told = f"{len(dead)} of {len(runs)} died out"
    if dead:
        told += f", after {mean_and_spread([len(each.steps) for each in dead], 0)} visits"
    return f"{told}; {trial.founders} founders, budget {trial.pages}"


def _population_plot(name: str, runs: dict[str, list[Run]]) -> Plot:
    lines = {
        kind: average([[(s.request, float(s.agents)) for s in each.steps] for each in some])
        for kind, some in runs.items()
    }
    return Plot(f"energy-{name}", f"{PAPER}, {name.replace('-', ' ')}", "requests", "agents", lines)


def _precision_plot(trial: _Trial, name: str, runs: dict[str, list[Run]]) -> Plot:
    lines = {
        kind: average([[*enumerate(_precision(trial, each), 1)] for each in some])
        for kind, some in runs.items()
    }
    return Plot(f"energy-{name}", f"{PAPER}, {name.replace('-', ' ')}", "pages", "precision", lines)


def _rows(trial: _Trial, runs: dict[str, list[Run]]) -> list[Row]:
    return [
        {
            "kind": kind,
            "seed": seed,
            "visits": len(done.steps),
            "requests": done.requests,
            "stop_reason": done.stop_reason,
            "largest": _largest(done),
            "final": done.steps[-1].agents,
            "precision": _precision(trial, done)[-1],
        }
        for kind, some in runs.items()
        for seed, done in zip(trial.setup.seeds, some, strict=True)
    ]


_experiment = partial(Experiment, paper=PAPER, needs_text=True)
EXPERIMENTS: tuple[Experiment, ...] = (
    _experiment("energy-2", title="Variations of the population, linear model", run=figure_2),
    _experiment("energy-3", title="Variations of the population, sigmoid model", run=figure_3),
    _experiment("energy-4", title="Precision of the two energy models", run=figure_4),
    _experiment("energy-5", title="The energy buffer and the population", run=figure_5),
    _experiment("energy-6", title="The energy buffer and precision", run=figure_6),
)
