"""The prior of the second level's weights, fitted on other topics.

The data are in prior.json, with their origin.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from evocrawl.species.evo.link_model.features import FEATURES

NOT_FITTED = {"near_query": (2.35, 20.0), "barren": (-3.0, 20.0), "upward": (3.0, 20.0)}
"""Mean and precision of the weights that are set by hand in every prior.

They count while nothing is found. Labels are soft: with a precision of 1, the first pages would
undo the weight of `near_query`. Those of `barren` and `upward` are not learnt.
"""

_BY_HAND = {
    "bias": -2.0, "words_max": 1.0, "words_mean": 1.0, "anchor": 1.5, "context": 0.7, "url": 1.0,
    "parent_max": 0.7, "parent_mean": 1.0, "links": 0.1, "parent_sum": 0.3, "host": 0.7,
    "folder": 0.7, "path": 0.5, "hub": 1.5, "anchor_profile": 1.0, "context_profile": 0.5,
    "url_profile": 0.7, "distance": -0.3, "parent_like_mean": 0.5, "parent_title": 0.3,
    "near": 0.7, "alive": 3.0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prior:
    """A normal distribution: `mean`, shape (d,), and `precision`, shape (d, d)."""

    mean: npt.NDArray[np.float64]
    precision: npt.NDArray[np.float64]


def by_hand() -> Prior:
    """Return a prior that was set by hand, without any fit."""
    mean = np.array([_BY_HAND.get(name, 0.0) for name in FEATURES])
    return with_weights_by_hand(Prior(mean, 3.0 * np.eye(len(FEATURES))))


def with_weights_by_hand(fitted: Prior) -> Prior:
    """Return a prior with the weights of `NOT_FITTED`, which depend on no other weight."""
    mean, precision = fitted.mean.copy(), fitted.precision.copy()
    for name, (weight, trust) in NOT_FITTED.items():
        at = FEATURES.index(name)
        precision[at, :] = precision[:, at] = 0.0
        mean[at], precision[at, at] = weight, trust
    return Prior(mean, precision)


@cache
def shipped() -> Prior:
    """Return the prior that comes with the package.

    Raises ValueError if it was fitted for other features.
    """
    data = json.loads(
        files("evocrawl.species.evo.link_model").joinpath("prior.json").read_text("utf-8")
    )
    if tuple(data["features"]) != FEATURES:
        raise ValueError("prior.json was fitted for other features: fit it again")
    return Prior(np.array(data["mean"]), np.array(data["precision"]))
