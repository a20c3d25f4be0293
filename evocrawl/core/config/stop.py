"""The stop rule of a crawl, by which it ends before its budget is used up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from evocrawl.core.config.option import text

STOP_ALLOWED = "yield<2%, recall>90%, or both with a comma; a share above 0 % and below 100 %"

_CONDITION = re.compile(
    r"(?P<what>yield|recall)\s*(?P<sign>[<>])\s*(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<percent>%?)",
    re.IGNORECASE | re.ASCII,
)
_SIGNS = {"yield": "<", "recall": ">"}


@dataclass(frozen=True, slots=True)
class StopCondition:
    """One condition of a stop rule; `bound` is a share in (0, 1).

    =======  ======================================================================
    what     true where
    =======  ======================================================================
    yield    fewer than `bound` of the next 1 000 requests would bring a relevant page
    recall   more than `bound` of the relevant pages within reach are found
    =======  ======================================================================
    """

    what: Literal["yield", "recall"]
    bound: float

    def holds(self, yields: float, recall: float) -> bool:
        """Return whether the condition holds for an expected yield and recall, both in [0, 1]."""
        return yields < self.bound if self.what == "yield" else recall > self.bound


def stop_conditions(rule: str) -> tuple[StopCondition, ...]:
    """Return the conditions of a stop rule, () for the empty one. Raises ValueError.

    A crawl ends as soon as one of them holds.

    >>> stop_conditions("yield<2%, recall>0.9")
    (StopCondition(what='yield', bound=0.02), StopCondition(what='recall', bound=0.9))
    """
    conditions: dict[str, StopCondition] = {}
    for part in rule.split(",") if rule.strip() else ():
        found = _CONDITION.fullmatch(part.strip())
        if found is None:
            raise ValueError(part)
        what = found["what"].lower()
        bound = float(found["number"]) / (100 if found["percent"] else 1)
        if found["sign"] != _SIGNS[what] or not 0 < bound < 1 or what in conditions:
            raise ValueError(part)
        conditions[what] = StopCondition("yield" if what == "yield" else "recall", bound)
    return tuple(conditions.values())


def stop_rule(raw: Any) -> str:
    """Parse the option `stop`: return the text of a rule that `stop_conditions` can read."""
    rule = text(raw)
    stop_conditions(rule)
    return rule
