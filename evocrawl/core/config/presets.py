"""Defaults of options that differ from species to species.

All species of a population share one environment: energy, relevance and rewards of a page. Each
paper describes its system with its own environment; these defaults apply if such a species is alone
in the population and the option is not set. Several species together use the ordinary defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, Literal, TypeAlias

Rewards: TypeAlias = Literal["first", "changed", "always"]
"""When a fetched page pays: at its first visit, after each change, or at each visit."""

_FORAGERS: dict[str, Any] = {
    "energy": "linear",
    "gain": 1.0,
    "cost": 0.0,
    "hand_on_cost": 0.05,
    "relevance": "recency",
    "rewards": "changed",
    "agents": 2,
    "lower_bound": 2,
    "upper_bound": 16,
    "novelty": False,
}

_BIOCRAWLER: dict[str, Any] = {
    "energy": "linear",
    "gain": 15.0,
    "cost": 1.0,
    "dead_cost": 5.0,
    "refusal_cost": 5.0,
    "relevance": "semantic",
    "rewards": "always",
    "buffer": False,
    "novelty": False,
}

SPECIES_PRESETS: dict[str, dict[str, Any]] = {
    # Scrapy's default of CONCURRENT_REQUESTS: each agent follows one link at a time.
    "evo": {"lower_bound": 16},
    "biocrawler": _BIOCRAWLER,
    "biocrawler_dumb": _BIOCRAWLER,
    "weblog": _FORAGERS,
    "reinforcement": _FORAGERS,
    "weblog_reinforcement": _FORAGERS,
    "infospiders": {
        "relevance": "tfidf",
        "calibrated": False,
        "energy": "linear",
        "gain": 1.0,
        "cost": 0.0,
        "buffer": False,
        "novelty": False,
    },
}
"""Species name to the options whose defaults differ from those of `Config`."""


def economy_of(species: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of `species`, with bounds that are consistent with the options `given`.

    >>> economy_of("evo", {"upper_bound": 3})
    {'lower_bound': 3}
    """
    lower, agents, upper = (given.get(name) for name in ("lower_bound", "agents", "upper_bound"))
    options = dict(SPECIES_PRESETS.get(species, {}))
    if "lower_bound" in options:
        options["lower_bound"] = min(options["lower_bound"], upper or inf, agents or inf)
    if "upper_bound" in options:
        options["upper_bound"] = max(options["upper_bound"], lower or 0, agents or 0)
    if "agents" in options:
        options["agents"] = min(max(options["agents"], lower or 0), upper or inf)
    return options
