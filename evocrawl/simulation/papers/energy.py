"""Mouton & Marteau 2008: population control, figures 2 to 6.

Two hundred agents begin at three relevant pages and crawl a web of texts; the energy models differ.
The paper does not give the following choices: C = 0.5 (its example); the values of ρ, from the mean
relevance r̄ of a first crawl of the same web (ρ·r̄/C is the ratio of a mean page's energy to the
cost of a visit); a population "explodes" at ten times the founders. The budget is the paper's
25 000 pages, or the number of pages that can be reached from the seeds if that is smaller.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from evocrawl.simulation.papers.base import Claim, Experiment, Findings, Setup, mean_and_spread
from evocrawl.simulation.papers.energy_trial import (
    COST,
    PAPER,
    Kind,
    Trial,
    alike,
    fates,
    largest,
    mean_agents,
    population_plot,
    precision_plot,
    rows,
    share_at,
    share_full,
)

EXPLODES = 10

_CLOSED = (
    "The paper crawled the open Web for a while; here the web is closed and the budget more than "
    "it holds. A population without a lower bound dies out at the latest when the pages better "
    "than most of those seen are used up, for any balance before."
)


def _unbuffered(name: str, **settings: object) -> Kind:
    return Kind(name, {"buffer": False, **settings})


def _linear(trial: Trial, share: float, word: str) -> Kind:
    return _unbuffered(f"ρ·r̄ = {share:g} C ({word})", energy="linear", gain=share * trial.rho)


_PAIRS = ((0.25, 4.0), (0.5, 8.0), (1.0, 8.0))


def _sigmoid(cost: float, gain: float) -> Kind:
    return _unbuffered(f"C = {cost:g}, G = {gain:g}", cost=cost, gain=gain)


def figure_2(setup: Setup) -> Findings:
    """Repeat figure 2: linear model; one ρ dies out, one explodes, one stays usable."""
    trial = Trial(setup)
    kinds = [
        _linear(trial, 0.3, "poor"), _linear(trial, 1.0, "even"), _linear(trial, 4.0, "rich"),
    ]  # fmt: skip
    runs = trial.all(*kinds)
    poor, even, rich = (runs[kind.name] for kind in kinds)
    claims = (
        Claim(
            "with a small ρ the population dies out",
            "dies very quickly",
            fates(trial, poor),
            all(each.stop_reason == "extinct" for each in poor),
        ),
        Claim(
            "with a great ρ it explodes",
            "increases brutally",
            f"largest {mean_and_spread([largest(each) for each in rich], 0)}",
            all(largest(each) > EXPLODES * trial.founders for each in rich),
        ),
        Claim(
            "in between there is a ρ that stays usable",
            "remains usable",
            fates(trial, even) + f"; largest {mean_and_spread([largest(e) for e in even], 0)}",
            all(
                each.stop_reason != "extinct" and largest(each) <= EXPLODES * trial.founders
                for each in even
            ),
            "a mean page pays for its visit exactly; nothing else was tried. " + _CLOSED,
        ),
    )
    return Findings(claims, (population_plot("figure-2", runs),), rows(trial, runs))


def figure_3(setup: Setup) -> Findings:
    """Repeat figure 3: three (C, G) of the sigmoid model; no extinction, no explosion."""
    trial = Trial(setup)
    runs = trial.all(*(_sigmoid(cost, gain) for cost, gain in _PAIRS))
    every = [each for some in runs.values() for each in some]
    most = max(map(largest, every))
    grown = [mean_agents(each, 0.25, 0.5) > trial.founders for each in every]
    claims = (
        Claim(
            "no population dies out",
            "none of three",
            fates(trial, every),
            all(each.stop_reason != "extinct" for each in every),
            _CLOSED,
        ),
        Claim(
            "no population explodes",
            "variations remain controllable",
            f"largest of all: {most:.0f}, founders {trial.founders}",
            most <= EXPLODES * trial.founders,
        ),
        Claim(
            "the population increases with the precision",
            "in all three cases",
            f"above the founders in the second quarter: {sum(grown)} of {len(grown)} runs",
            all(grown),
        ),
    )
    return Findings(claims, (population_plot("figure-3", runs),), rows(trial, runs))


def figure_4(setup: Setup) -> Findings:
    """Repeat figure 4: at the same C, sigmoid (G = 8) has a higher precision than linear."""
    trial = Trial(setup)
    linear, sigmoid = _linear(trial, 1.0, "linear"), _sigmoid(COST, 8.0)
    runs = trial.all(linear, sigmoid)
    pairs = alike(trial, runs[sigmoid.name], runs[linear.name])
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
    return Findings(claims, (precision_plot(trial, "figure-4", runs),), rows(trial, runs))


def _buffer_kinds(trial: Trial) -> tuple[Kind, Kind]:
    upper = trial.founders * 5 // 4
    bounds = {"lower_bound": trial.founders // 4, "upper_bound": upper}
    return (
        Kind("with buffer", {"gain": 30.0, **bounds}),
        _unbuffered("without buffer", gain=30.0),
    )


def figure_5(setup: Setup) -> Findings:
    """Repeat figure 5: G = 30 with the energy buffer (UB = 250), and without it."""
    trial = Trial(setup)
    kinds = _buffer_kinds(trial)
    runs = trial.all(*kinds)
    bounded, free = (runs[kind.name] for kind in kinds)
    upper, lower = trial.founders * 5 // 4, trial.founders // 4
    late = [mean_agents(each, 0.95, 1.0) for each in bounded]
    claims = (
        Claim(
            "with the buffer the population keeps to the upper bound",
            f"bounded by {upper}" if not setup.small else "bounded by UB",
            f"largest {max(map(largest, bounded)):.0f}, UB {upper}",
            max(map(largest, bounded)) <= upper,
        ),
        Claim(
            "most of the time it is at the upper bound, while the topic lasts",
            "tends to be equal most of the time to the upper boundary",
            "share of these visits at 90 % of UB or more: "
            + mean_and_spread([share_full(trial, each, 0.9 * upper) for each in bounded], 2),
            all(share_full(trial, each, 0.9 * upper) > 0.5 for each in bounded),
            "the topic lasts until nine tenths of the relevant pages of the run are found; over "
            "the first half of all visits the share is "
            + mean_and_spread([share_at(each, 0.9 * upper, 0.0, 0.5) for each in bounded], 2),
        ),
        Claim(
            "without the buffer it swings brutally",
            "brutal variations",
            f"largest {mean_and_spread([largest(each) for each in free], 0)}, "
            f"founders {trial.founders}",
            all(largest(each) > 2 * upper for each in free),
        ),
        Claim(
            "when the topic is exhausted it sinks to the lower bound",
            "tends to be equal to the lower boundary",
            f"mean over the last twentieth {mean_and_spread(late, 0)}, LB {lower}",
            all(value <= lower + 0.25 * (upper - lower) for value in late),
        ),
    )
    return Findings(claims, (population_plot("figure-5", runs),), rows(trial, runs))


def figure_6(setup: Setup) -> Findings:
    """Repeat figure 6: the buffer costs precision at first; the difference goes to zero."""
    trial = Trial(setup)
    kinds = _buffer_kinds(trial)
    runs = trial.all(*kinds)
    pairs = alike(trial, *(runs[kind.name] for kind in kinds))
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
    return Findings(claims, (precision_plot(trial, "figure-6", runs),), rows(trial, runs))


_experiment = partial(Experiment, paper=PAPER, needs_text=True)
EXPERIMENTS: tuple[Experiment, ...] = (
    _experiment("energy-2", title="Variations of the population, linear model", run=figure_2),
    _experiment("energy-3", title="Variations of the population, sigmoid model", run=figure_3),
    _experiment("energy-4", title="Precision of the two energy models", run=figure_4),
    _experiment("energy-5", title="The energy buffer and the population", run=figure_5),
    _experiment("energy-6", title="The energy buffer and precision", run=figure_6),
)
