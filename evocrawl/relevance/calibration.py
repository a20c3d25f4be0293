"""Turns scores into chances: how likely a reader would call the page relevant.

::

    log-odds(s) = offset + slope · s^power + terms · ln(n) + idf · (mean idf − 7)

with s the score of a model and n the number of terms of the query; slope > 0, so that the order of
the pages stays. The log-odds of a mix pool those of its models, as a weighted mean that is
stretched, since models that agree are right more often than each alone ::

    log-odds(d) = offset + slope · Σ_i w_i log-odds_i(d) / Σ_i w_i

(a logarithmic opinion pool, Genest & Zidek 1986; Ranjan & Gneiting 2010 show why it has to be
recalibrated). `benchmarks/calibration.py` fits the numbers in calibration.json on labelled worlds.

On a web about one subject all pages are near the query, and a score means less. There ::

    log-odds'(d) = offset + slope · log-odds(d)

for the models and mixes that `benchmarks/one_subject.py` fits, on webs about one subject each.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

THRESHOLD = 0.5
"""The chance from which a page counts as relevant."""

_MEAN_IDF = 7.0
_SURE = math.log(0.98 / 0.02)
"""Log-odds of a score of 1 by a model whose scores are chances, in a mix: no model is certain."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Maps the scores of one model for one query to log-odds."""

    offset: float
    slope: float
    power: float = 1.0

    def log_odds(self, score: float) -> float:
        """Return the log-odds that a page of this score is relevant."""
        powered = score if self.power == 1 else max(score, 0.0) ** self.power
        return self.offset + self.slope * powered


def calibration_of(model: str, idfs: Iterable[float] = ()) -> Calibration:
    """Return the shipped calibration of a model for a query whose terms have these `idfs`."""
    numbers = _shipped()["models"][model]
    weights = [*idfs] or [_MEAN_IDF]
    offset = (
        numbers["offset"]
        + numbers["terms"] * math.log(len(weights))
        + numbers["idf"] * (sum(weights) / len(weights) - _MEAN_IDF)
    )
    return Calibration(offset, numbers["slope"], numbers["power"])


def pool_of(models: Iterable[str]) -> Calibration:
    """Return the shipped calibration of the mean log-odds of a mix, by the names of its models.

    A mix that was not fitted keeps the mean as it is.
    """
    return _linear(_shipped()["mixes"], models)


def one_subject_of(models: Iterable[str]) -> Calibration:
    """Return how the log-odds of a model or mix change on a web about one subject.

    They stay as they are for models that were not fitted, such as one that learns from examples.
    """
    return _linear(_shipped()["one_subject"], models)


def _linear(fitted: dict[str, dict[str, float]], models: Iterable[str]) -> Calibration:
    numbers = fitted.get("+".join(sorted(set(models))))
    return Calibration(numbers["offset"], numbers["slope"]) if numbers else Calibration(0.0, 1.0)


def chance_of(log_odds: float) -> float:
    """Return the chance with these log-odds, in [0, 1].

    >>> chance_of(0.0), chance_of(800.0), chance_of(-800.0)
    (0.5, 1.0, 0.0)
    """
    return 0.5 + 0.5 * math.tanh(0.5 * log_odds)


def log_odds_of(chance: float) -> float:
    """Return the log-odds of a chance in [0, 1], cut to those of 0.02 and 0.98."""
    if chance <= 0 or chance >= 1:
        return math.copysign(_SURE, chance - 0.5)
    return min(max(math.log(chance / (1 - chance)), -_SURE), _SURE)


@lru_cache(maxsize=1)
def _shipped() -> dict[str, Any]:
    text = files("evocrawl.relevance").joinpath("calibration.json").read_text(encoding="utf-8")
    numbers: dict[str, Any] = json.loads(text)
    return numbers
