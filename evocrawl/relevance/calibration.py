"""Turns scores into chances: how likely a reader would call the page relevant.

::

    log-odds(s) = offset + slope · s^power + terms · ln(n) + idf · (mean idf − 7)

with s the score of a model and n the number of terms of the query; slope > 0, so that the order of
the pages stays. The log-odds of a mix pool those of its models, as a weighted mean that is
stretched, since models that agree are right more often than each alone ::

    log-odds(d) = offset + slope · Σ_i w_i log-odds_i(d) / Σ_i w_i

(a logarithmic opinion pool, Genest & Zidek 1986; Ranjan & Gneiting 2010 show why it has to be
recalibrated). The chances are then made careful: on a web about one subject all pages are near the
query, and a score means less than on the web at large ::

    log-odds'(d) = below · log-odds(d)   if log-odds(d) < 0       below > 1: further from 0.5
                   above · log-odds(d)   otherwise                above < 1: nearer to 0.5

which moves no page across the threshold. `benchmarks/calibration.py` fits the numbers in
calibration.json on labelled worlds; models that it does not fit keep their log-odds.
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


@dataclass(frozen=True, slots=True)
class Pool:
    """Maps the mean log-odds of the models of a mix, or of one model alone, to those of a page."""

    offset: float = 0.0
    slope: float = 1.0
    below: float = 1.0
    above: float = 1.0

    def log_odds(self, mean: float) -> float:
        """Return the log-odds that a page with this mean is relevant."""
        found = self.offset + self.slope * mean
        return found * (self.above if found > 0 else self.below)


def pool_of(models: Iterable[str]) -> Pool:
    """Return the shipped pool of a mix, or of one model, by the names of its models.

    The log-odds of models that were not fitted together stay as they are.
    """
    numbers = _shipped()["mixes"].get("+".join(sorted(set(models))))
    return Pool(**numbers, **_shipped()["careful"]) if numbers else Pool()


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
