"""The claimed targets, as one visit claims them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evocrawl.core.model import Fingerprint


@dataclass(frozen=True, slots=True)
class VisitClaims:
    """`is_claimed` returns whether a visit has claimed a target; `claim` claims it for this one."""

    is_claimed: Callable[[Fingerprint], bool]
    claim: Callable[[Fingerprint], None]
