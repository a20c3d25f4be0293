"""Pant & Menczer 2002: the budget under c_t, the effect of a latency cost and of learning.

The paper prints no figures; the experiments test its statements on c_t and on latency. Chosen here:
10 starting URLs (a page of search results), MAX_PAGES = 1000, a socket time-out t_max of 180 s, and
random latencies for a world without latencies (`evocrawl.simulation.worlds.wrappers`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.papers.base import (
    Claim,
    Experiment,
    Findings,
    Plot,
    Setup,
    average,
    mean_and_spread,
)
from evocrawl.simulation.papers.myspiders_trial import Kind, Trial, maker_of
from evocrawl.simulation.runner import Run, Step
from evocrawl.species.infospiders.species import Traits

PAPER = "Pant & Menczer 2002"
_NOTHING = "qqqzzzx"
"""A query without a word in common with any page."""

_TYPICAL = 0.05
"""Median latency in time-outs."""

_DEAR = 100.0


def budget(setup: Setup) -> Findings:
    """Test whether c_t lets the crawl spend MAX_PAGES, and not more."""
    trial = Trial(setup)
    nothing = {"query": _NOTHING}
    runs = {
        **trial.all([Kind("typical", {})], partial(trial.delayed, _TYPICAL)),
        **_uniform(trial, Kind("relevant, half the time-out", {}), 0.5),
        **_uniform(trial, Kind("nothing relevant, under half the time-out", nothing), 0.45),
        **_uniform(trial, Kind("nothing relevant, all the time-out", nothing), 0.999),
    }
    plot = _plot(
        "agents until the budget or extinction",
        ("requests", "agents"),
        runs,
        lambda done: [(step.request, float(step.agents)) for step in done.steps],
        "budget",
    )
    return Findings(_claims_of_budget(trial, runs), (plot,), _rows(trial, runs))


def _claims_of_budget(trial: Trial, runs: dict[str, list[Run]]) -> tuple[Claim, ...]:
    used = {kind: [each.requests / trial.pages for each in some] for kind, some in runs.items()}
    typical, slow, poor, worst = used.values()
    return (
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
            "MAX_PAGES/2 fetches of t_max: the printed constant allows half of that",
        ),
        Claim(
            "it never makes more requests, and ends earlier only by extinction",
            "MAX_PAGES, or the population goes extinct",
            f"largest share {max(map(max, used.values())):.3f}; ends: {_ends(runs)}",
            all(
                each.requests <= trial.pages and each.stop_reason in ("budget", "extinct")
                for some in runs.values()
                for each in some
            ),
        ),
    )


def _uniform(trial: Trial, kind: Kind, share: float) -> dict[str, list[Run]]:
    return trial.all([kind], partial(trial.delayed, share, spread=False))


def latency(setup: Setup) -> Findings:
    """Test whether a cost of time gives faster results without penalising their quality."""
    trial = Trial(setup)
    kinds = (
        Kind("with c_t", {}),
        Kind("without", {}, maker_of(Traits(), pays_for_time=False)),
        Kind("with 100 c_t", {"latency_cost": _DEAR * trial.latency_cost}),
    )
    runs = trial.all(kinds, partial(trial.delayed, _TYPICAL))
    paying, free, dear = ([_measures(trial, each) for each in some] for some in runs.values())
    claims = (
        Claim(
            "the latency cost gives relevant pages faster",
            "faster results",
            f"relevant pages an hour: {_summary(paying, 'an_hour', 1)}; without "
            f"{_summary(free, 'an_hour', 1)}; at 100 c_t {_summary(dear, 'an_hour', 1)}",
            _always_more(paying, free, "an_hour"),
            "it holds if faster with every seed, by a hundredth or more. "
            f"c_t is {trial.latency_cost:.2g}, and a fetch of the median latency costs "
            f"{_TYPICAL * trial.latency_cost:.2g}, where a mean page brings "
            f"{_mean(free, 'mean_relevance'):.2g}: such a cost starves few agents. "
            "A hundred times as much was tried beside it" + _of_hosts(trial),
        ),
        Claim(
            "and does not penalise quality",
            "without penalizing the quality",
            f"share of relevant pages: {_summary(paying, 'precision')}; without "
            f"{_summary(free, 'precision')}; at 100 c_t {_summary(dear, 'precision')}",
            _mean(paying, "precision") >= 0.95 * _mean(free, "precision"),
            "not penalised: at least 95 % of what it is without",
        ),
    )
    plot = _plot(
        "with and without a cost of time",
        ("simulated hours", "relevant pages"),
        runs,
        lambda done: _found(trial, done, lambda step: step.finished_at_s / 3600),
        "latency",
    )
    return Findings(claims, (plot,), _rows(trial, runs))


def _of_hosts(trial: Trial) -> str:
    if len(trial.world.hosts()) > 1:
        return ""
    return (
        ". This world has one host, and its latencies are drawn page by page: there is no "
        "neighbourhood that is faster than another, which agents could be selected for"
    )


def learning(setup: Setup) -> Findings:
    """Compare the net with and without learning and new keywords, and best-first."""
    trial = Trial(setup)
    plain = Traits()
    kinds = (
        Kind("infospiders", {}),
        Kind("without learning", {}, maker_of(replace(plain, rate=0.0))),
        Kind("without new keywords", {}, maker_of(replace(plain, keywords=0))),
        Kind("without both", {}, maker_of(replace(plain, rate=0.0, keywords=0))),
        Kind("any link alike", {}, maker_of(replace(plain, greed=0.0))),
        Kind("best_first", {"species": "best_first"}),
    )
    runs = trial.all(kinds, lambda _: trial.world)
    measured = {kind: [_measures(trial, each) for each in some] for kind, some in runs.items()}
    lines = [
        f"| {kind} | {_summary(rows, 'relevant', 0)} | {_summary(rows, 'precision')} "
        f"| {_summary(rows, 'mean_relevance')} |"
        for kind, rows in measured.items()
    ]
    notes = (
        "The paper has no such figures.\n\n"
        "| crawl | relevant pages | share of relevant pages | mean relevance |\n"
        "| --- | --- | --- | --- |\n" + "\n".join(lines)
    )
    plot = _plot(
        "what learning brings",
        ("requests", "relevant pages"),
        runs,
        lambda done: _found(trial, done, lambda step: float(step.request)),
        "learning",
    )
    return Findings((), (plot,), _rows(trial, runs), notes)


def _measures(trial: Trial, done: Run) -> dict[str, float]:
    scores = [step.relevance for step in done.steps if step.relevance is not None]
    relevant = sum(map(trial.is_relevant, done.steps))
    return {
        "relevant": float(relevant),
        "precision": relevant / max(done.requests, 1),
        "mean_relevance": float(np.mean(scores)) if scores else 0.0,
        "an_hour": relevant / max(done.simulated_s / 3600, 1e-9),
    }


def _always_more(
    some: Sequence[Mapping[str, float]], others: Sequence[Mapping[str, float]], name: str
) -> bool:
    """Check for a gain of a hundredth or more with every seed; less is random."""
    return all(one[name] >= 1.01 * other[name] for one, other in zip(some, others, strict=True))


def _mean(rows: Sequence[Mapping[str, float]], name: str) -> float:
    return float(np.mean([row[name] for row in rows]))


def _summary(rows: Sequence[Mapping[str, float]], name: str, digits: int = 3) -> str:
    return mean_and_spread([row[name] for row in rows], digits)


def _ends(runs: Mapping[str, Sequence[Run]]) -> str:
    return "; ".join(
        f"{kind}: {', '.join(sorted({each.stop_reason for each in some}))}"
        for kind, some in runs.items()
    )


def _plot(
    title: str,
    axes: tuple[str, str],
    runs: Mapping[str, Sequence[Run]],
    curve: Callable[[Run], Sequence[tuple[float, float]]],
    name: str,
) -> Plot:
    lines = {kind: average([curve(each) for each in some]) for kind, some in runs.items()}
    return Plot(f"myspiders-{name}", f"{PAPER}: {title}", *axes, lines)


def _found(trial: Trial, done: Run, when: Callable[[Step], float]) -> list[tuple[float, float]]:
    found = np.cumsum([trial.is_relevant(step) for step in done.steps])
    return [(when(step), float(n)) for step, n in zip(done.steps, found.tolist(), strict=True)]


def _rows(trial: Trial, runs: Mapping[str, Sequence[Run]]) -> list[Row]:
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
