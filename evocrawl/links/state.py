"""What a link model has learnt, as arrays that `numpy.savez` writes and reads without pickle.

Kept are the weights of both levels and the relevance of a good page: enough to begin the next
crawl of the same topic with. The evidence and the profile belong to the pages of one crawl.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evocrawl.links.bayes import Posterior
from evocrawl.links.features import FEATURES
from evocrawl.links.model import LinkModel
from evocrawl.links.words import BUCKETS

VERSION = 1

State = Mapping[str, npt.NDArray[Any]]


def to_state(model: LinkModel) -> dict[str, npt.NDArray[Any]]:
    """Return what `model` has learnt; only words that it met take room."""
    words = np.flatnonzero(model.words.weights).astype(np.uint16)
    return {
        "version": np.array(VERSION),
        "features": np.array(FEATURES),
        "mean": model.posterior.mean.copy(),
        "covariance": model.posterior.covariance.copy(),
        "reference": np.array(model.reference),
        "bias": np.array(model.words.bias),
        "words": words,
        "weights": model.words.weights[words],
        "squares": model.words.squares[words],
    }


def from_state(model: LinkModel, state: State) -> None:
    """Give a new `model` what another had learnt, as its prior.

    Raises ValueError for a state of another version, of other features, or with numbers that are
    not finite.
    """
    if int(state["version"]) != VERSION or tuple(state["features"].tolist()) != FEATURES:
        raise ValueError("what was learnt is of another version: its features are not the present")
    mean, covariance = state["mean"].astype(float), state["covariance"].astype(float)
    words, weights, squares = state["words"], state["weights"], state["squares"]
    numbers = (mean, covariance, weights, squares, state["bias"], state["reference"])
    if not all(np.isfinite(each).all() for each in numbers) or (words >= BUCKETS).any():
        raise ValueError("what was learnt has numbers that are none")
    precision = np.linalg.inv(covariance + 1e-9 * np.eye(len(mean)))
    model.posterior = Posterior(mean, (precision + precision.T) / 2)
    model.words.weights[words] = weights
    model.words.squares[words] = squares
    model.words.bias = float(state["bias"])
    model.reference = float(state["reference"])
