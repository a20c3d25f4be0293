"""Options of what pages pay and what visits cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evocrawl.core.config.option import maybe, number, one_of, option

DEFAULT_GAINS = {"sigmoid": 8.0, "linear": 4.0}


@dataclass(frozen=True, kw_only=True)
class EnergyOptions:
    """Options of what pages pay and what visits cost."""

    energy: Literal["sigmoid", "linear"] = option(
        "sigmoid",
        one_of(DEFAULT_GAINS),
        "sigmoid or linear",
        "model that converts relevance to energy",
    )
    slope: Literal["steep", "literal"] = option(
        "steep",
        one_of(("steep", "literal")),
        "steep or literal",
        "interpretation of λ in the sigmoid",
    )
    gain: float = option(
        None,
        maybe(number(0, above=True)),
        "a number above 0",
        "energy of a relevant page: G of the sigmoid (8), ρ of the linear model (4)",
    )
    cost: float = option(1.0, number(0), "a number from 0", "energy that a visit costs, C")
    dead_cost: float = option(
        None,
        maybe(number(0)),
        "a number from 0",
        "energy that a dead link costs; same as `cost` unless set",
    )
    refusal_cost: float = option(
        None,
        maybe(number(0)),
        "a number from 0",
        "energy that a link costs which robots.txt disallows; same as `cost` unless set",
    )
    latency_cost: float = option(
        0.0,
        number(0),
        "a number from 0",
        "energy that a fetch of DOWNLOAD_TIMEOUT seconds costs, c_t; faster ones cost less",
    )
    hand_on_cost: float = option(
        0.0,
        number(0),
        "a number from 0",
        "energy that each page with a relevance above 0 costs, whether it pays or not",
    )
    rewards: Literal["first", "changed", "always"] = option(
        "first",
        one_of(("first", "changed", "always")),
        "first, changed or always",
        "when a page pays: at its first visit, after each change of its content, at every visit",
    )
