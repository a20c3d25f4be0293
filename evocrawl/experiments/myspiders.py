"""Pant & Menczer 2002: the budget that c_t keeps, what a latency cost does, and what learning does.

The paper prints no figures; these are its statements on c_t and on latency, put to the test. Chosen
here: 10 starting URLs (a page of search results), MAX_PAGES = 1000, a socket time-out t_max of
180 s, and latencies drawn for a world that has none of its own (`evocrawl.simulation.delayed`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from evocrawl import relevance
from evocrawl.config import Config
from evocrawl.evaluation.results import Row
from evocrawl.experiments.base import Claim, Experiment, Findings, Plot, Setup, mean_and_spread
from evocrawl.experiments.series import average
from evocrawl.simulation.delayed import Delayed
from evocrawl.simulation.judge import Judge
from evocrawl.simulation.runner import Run, Step, run
from evocrawl.simulation.world import World
from evocrawl.species import Ingredients, Maker, Species
from evocrawl.species.infospiders import Traits, infospiders

PAPER = "Pant & Menczer 2002"
TIMEOUT_S = 180.0
THREADS = 10
_NOTHING = "qqqzzzx"
"""A query that no page has a word of."""

_TYPICAL, _HOST_SPREAD, _PAGE_SPREAD = 0.05, 1.0, 0.5
"""Median latency in time-outs; one fetch in two hundred of the slow hosts is given up."""

_DEAR = 100.0


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the crawls compared: its settings, and its species where it has no name."""

    name: str
    settings: Mapping[str, object]
    maker: Maker | None = None


class _Trial:
    """A web, a query, its seeds and a budget: what all crawls of an experiment share."""

    def __init__(self, setup: Setup) -> None:
        assert setup.world is not None
        self.setup = setup
        self.world = setup.world
        self.pages = 150 if setup.small else 1000
        self.seeds = self.world.search(setup.query, 5 if setup.small else 10)
        self.labels = frozenset(self.world.about(setup.topic)) if setup.topic else None
        self._judges: dict[str, Judge] = {}

    @property
    def latency_cost(self) -> float:
        """The paper's c_t."""
        return len(self.seeds) * Traits().theta / self.pages

    def run(self, kind: _Kind, world: World, seed: int) -> Run:
        """Make one crawl."""
        self.setup.told(f"{kind.name}, seed {seed}")
        options = {"query": self.setup.query, "species": "infospiders", **kind.settings}
        config = Config.read({}, {**options, "seed": seed, "max_pages": self.pages})
        judge = self._judges.setdefault(
            config.query, Judge(relevance.create(config.relevance, config.query))
        )
        makers = () if kind.maker is None else (kind.maker,)
        return run(world, config, self.seeds, judge=judge, concurrency=THREADS, makers=makers)

    def all(self, kinds: Sequence[_Kind], world: Callable[[int], World]) -> dict[str, list[Run]]:
        """Make the crawls of every kind, once a seed, which the `world` may depend on."""
        return {
            kind.name: [self.run(kind, world(seed), seed) for seed in self.setup.seeds]
            for kind in kinds
        }

    def is_relevant(self, step: Step) -> bool:
        """By the labels where the topic is given, else by the crawl's own score."""
        if step.relevance is None:
            return False
        return step.fingerprint in self.labels if self.labels else step.relevance >= 0.12

    def delayed(self, median: float, seed: int, *, spread: bool = True) -> Delayed:
        """The world with latencies of `median` time-outs, the same for all without `spread`."""
        return Delayed(
            self.world,
            median * TIMEOUT_S,
            timeout_s=TIMEOUT_S,
            seed=seed,
            host_spread=_HOST_SPREAD * (spread and len(self.world.hosts()) > 1),
            page_spread=_PAGE_SPREAD * spread,
        )


def budget(setup: Setup) -> Findings:
    """Does c_t let the crawl spend MAX_PAGES, and no more?"""
    trial = _Trial(setup)
    nothing = {"query": _NOTHING}
    runs = {
        **trial.all([_Kind("typical", {})], partial(trial.delayed, _TYPICAL)),
        **_uniform(trial, _Kind("relevant, half the time-out", {}), 0.5),
        **_uniform(trial, _Kind("nothing relevant, under half the time-out", nothing), 0.45),
        **_uniform(trial, _Kind("nothing relevant, all the time-out", nothing), 0.999),
    }
    used = {kind: [each.requests / trial.pages for each in some] for kind, some in runs.items()}
    typical, slow, poor, worst = used.values()
    claims = (
        Claim(
            "the crawl makes MAX_PAGES requests",
            "c_t is designed to ensure it",
            f"share of the budget used, fetches of {_TYPICAL:g} t_max in the middle: "
            + mean_and_spread(typical),
            min(typical) == 1.0,
        ),
        Claim(
            "also where a mean fetch takes half the time-out",
            "c_t is designed to ensure it",
            f"on a topic {mean_and_spread(slow)}; where nothing is relevant {mean_and_spread(poor)}"
            " (at 0.45 t_max)",
            min(*slow, *poor) == 1.0,
        ),
        Claim(
            "also in the worst case: nothing is relevant, each fetch takes t_max",
            "c_t is designed to ensure it",
            mean_and_spread(worst),
            min(worst) == 1.0,
            "founders begin with THETA/2 each, INIT_URLS · THETA/2 in all, which pays c_t for "
            "MAX_PAGES/2 fetches of t_max: the constant as printed keeps half of what it promises",
        ),
        Claim(
            "it never makes more, and ends before only by extinction",
            "MAX_PAGES, or the population goes extinct",
            f"largest share {max(map(max, used.values())):.3f}; ends: {_ends(runs)}",
            all(
                each.requests <= trial.pages and each.stop_reason in ("budget", "extinct")
                for some in runs.values()
                for each in some
            ),
        ),
    )
    return Findings(claims, (_population_plot(runs),), _rows(trial, runs))


def _uniform(trial: _Trial, kind: _Kind, share: float) -> dict[str, list[Run]]:
    return trial.all([kind], partial(trial.delayed, share, spread=False))


def latency(setup: Setup) -> Findings:
    """Does a cost of time give faster results without penalising their quality?"""
    trial = _Trial(setup)
    kinds = (
        _Kind("with c_t", {}),
        _Kind("without", {}, _maker(Traits(), pays_for_time=False)),
        _Kind("with 100 c_t", {"latency_cost": _DEAR * trial.latency_cost}),
    )
    runs = trial.all(kinds, partial(trial.delayed, _TYPICAL))
    paying, free, dear = ([_measures(trial, each) for each in some] for some in runs.values())
    claims = (
        Claim(
            "the latency cost gives relevant pages faster",
            "faster results",
            f"relevant pages an hour: {_told(paying, 'an_hour', 1)}; without "
            f"{_told(free, 'an_hour', 1)}; at 100 c_t {_told(dear, 'an_hour', 1)}",
            _mean(paying, "an_hour") > _mean(free, "an_hour"),
            f"c_t is {trial.latency_cost:.2g}, and a fetch of the median latency costs "
            f"{_TYPICAL * trial.latency_cost:.2g}, where a mean page brings "
            f"{_mean(free, 'mean_relevance'):.2g}: such a cost starves hardly anybody. "
            "A hundred times as much was tried beside it" + _of_hosts(trial),
        ),
        Claim(
            "and does not penalise quality",
            "without penalizing the quality",
            f"share of relevant pages: {_told(paying, 'precision')}; without "
            f"{_told(free, 'precision')}; at 100 c_t {_told(dear, 'precision')}",
            _mean(paying, "precision") >= 0.95 * _mean(free, "precision"),
            "not penalised: at least 95 % of what it is without",
        ),
    )
    return Findings(claims, (_hours_plot(trial, runs),), _rows(trial, runs))


def _of_hosts(trial: _Trial) -> str:
    if len(trial.world.hosts()) > 1:
        return ""
    return (
        ". This world has one host, and its latencies are drawn page by page: there is no "
        "neighbourhood that is faster than another, which agents could be selected for"
    )


def learning(setup: Setup) -> Findings:
    """What the net's learning and the children's new keywords bring, beside best-first."""
    trial = _Trial(setup)
    plain = Traits()
    kinds = (
        _Kind("infospiders", {}),
        _Kind("without learning", {}, _maker(replace(plain, rate=0.0))),
        _Kind("without new keywords", {}, _maker(replace(plain, keywords=0))),
        _Kind("without both", {}, _maker(replace(plain, rate=0.0, keywords=0))),
        _Kind("any link alike", {}, _maker(replace(plain, greed=0.0))),
        _Kind("best_first", {"species": "best_first"}),
    )
    runs = trial.all(kinds, lambda _: trial.world)
    measured = {kind: [_measures(trial, each) for each in some] for kind, some in runs.items()}
    lines = [
        f"| {kind} | {_told(rows, 'relevant', 0)} | {_told(rows, 'precision')} "
        f"| {_told(rows, 'mean_relevance')} |"
        for kind, rows in measured.items()
    ]
    notes = (
        "The paper has no such figures.\n\n"
        "| crawl | relevant pages | share of relevant pages | mean relevance |\n"
        "| --- | --- | --- | --- |\n" + "\n".join(lines)
    )
    return Findings((), (_found_plot(trial, runs),), _rows(trial, runs), notes)


def _maker(traits: Traits, *, pays_for_time: bool = True) -> Maker:
    def make(have: Ingredients) -> Species:
        species = infospiders(
            have.base, have.shelf(), have.lexicon(), contest=have.contest, traits=traits
        )
        return species if pays_for_time else replace(species, fees=None)

    return make


def _measures(trial: _Trial, done: Run) -> dict[str, float]:
    scores = [step.relevance for step in done.steps if step.relevance is not None]
    relevant = sum(map(trial.is_relevant, done.steps))
    return {
        "relevant": float(relevant),
        "precision": relevant / max(done.requests, 1),
        "mean_relevance": float(np.mean(scores)) if scores else 0.0,
        "an_hour": relevant / max(done.simulated_s / 3600, 1e-9),
    }


def _mean(rows: Sequence[Mapping[str, float]], name: str) -> float:
    return float(np.mean([row[name] for row in rows]))


def _told(rows: Sequence[Mapping[str, float]], name: str, digits: int = 3) -> str:
    return mean_and_spread([row[name] for row in rows], digits)


def _ends(runs: Mapping[str, Sequence[Run]]) -> str:
    return "; ".join(
        f"{kind}: {', '.join(sorted({each.stop_reason for each in some}))}"
        for kind, some in runs.items()
    )


def _population_plot(runs: Mapping[str, Sequence[Run]]) -> Plot:
    lines = {
        kind: average([[(s.request, float(s.agents)) for s in each.steps] for each in some])
        for kind, some in runs.items()
    }
    title = f"{PAPER}: agents until the budget or extinction"
    return Plot("myspiders-budget", title, "requests", "agents", lines)


def _hours_plot(trial: _Trial, runs: Mapping[str, Sequence[Run]]) -> Plot:
    lines = {
        kind: average([_found(trial, each, lambda s: s.finished_at_s / 3600) for each in some])
        for kind, some in runs.items()
    }
    title = f"{PAPER}: with and without a cost of time"
    return Plot("myspiders-latency", title, "simulated hours", "relevant pages", lines)


def _found_plot(trial: _Trial, runs: Mapping[str, Sequence[Run]]) -> Plot:
    lines = {
        kind: average([_found(trial, each, lambda s: float(s.request)) for each in some])
        for kind, some in runs.items()
    }
    title = "InfoSpiders: what learning brings"
    return Plot("myspiders-learning", title, "requests", "relevant pages", lines)


def _found(trial: _Trial, done: Run, when: Callable[[Step], float]) -> list[tuple[float, float]]:
    found = np.cumsum([trial.is_relevant(step) for step in done.steps])
    return [(when(step), float(n)) for step, n in zip(done.steps, found.tolist(), strict=True)]


def _rows(trial: _Trial, runs: Mapping[str, Sequence[Run]]) -> list[Row]:
    return [
        {
            "kind": kind,
            "seed": seed,
            "requests": done.requests,
            "stop_reason": done.stop_reason,
            "simulated_s": done.simulated_s,
            "agents": done.steps[-1].agents,
            **_measures(trial, done),
        }
        for kind, some in runs.items()
        for seed, done in zip(trial.setup.seeds, some, strict=True)
    ]


_experiment = partial(Experiment, paper=PAPER, needs_text=True)
EXPERIMENTS: tuple[Experiment, ...] = (
    _experiment("myspiders-budget", title="The budget that c_t keeps", run=budget),
    _experiment(
        "myspiders-latency", title="The harvest with and without latency cost", run=latency
    ),
    _experiment(
        "myspiders-learning", title="What learning brings, beside best-first", run=learning
    ),
)
