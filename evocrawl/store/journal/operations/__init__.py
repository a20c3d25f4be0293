"""The operations on a population, as plain data.

A population is deterministic: the same operations in the same order make the same population.
The journal therefore stores a crawl as the list of its operations, and replay rebuilds it.

Each class declares one operation: its fields, its `tag` in the journal, its row there, and `apply`,
which both the crawl and its replay call. `evocrawl.store.journal.replay` replays the operations
that have no `apply`.
"""

from __future__ import annotations

from typing import TypeAlias, get_args

from evocrawl.store.journal.operations.callbacks import (
    CallbackContinued,
    CallbackEnded,
    VisitRepeated,
)
from evocrawl.store.journal.operations.hosts import (
    HostHeld,
    HostLocated,
    Limited,
    OriginClosed,
    OriginOpened,
)
from evocrawl.store.journal.operations.links import Linked, Placed
from evocrawl.store.journal.operations.run import RunStarted, Spent
from evocrawl.store.journal.operations.steering import (
    Excluded,
    LineExcluded,
    Marked,
    ParametersChanged,
)
from evocrawl.store.journal.operations.visits import (
    Chosen,
    Claimed,
    GivenBack,
    Released,
    VisitSettled,
    WentOn,
)

__all__ = [
    "OPERATIONS",
    "CallbackContinued",
    "CallbackEnded",
    "Chosen",
    "Claimed",
    "Excluded",
    "GivenBack",
    "HostHeld",
    "HostLocated",
    "Limited",
    "LineExcluded",
    "Linked",
    "Marked",
    "Op",
    "OriginClosed",
    "OriginOpened",
    "ParametersChanged",
    "Placed",
    "Released",
    "RunStarted",
    "Spent",
    "VisitRepeated",
    "VisitSettled",
    "WentOn",
]

Op: TypeAlias = (
    RunStarted
    | Spent
    | Placed
    | Linked
    | Chosen
    | WentOn
    | Claimed
    | Released
    | VisitSettled
    | GivenBack
    | CallbackContinued
    | CallbackEnded
    | VisitRepeated
    | Limited
    | HostHeld
    | HostLocated
    | OriginOpened
    | OriginClosed
    | ParametersChanged
    | Excluded
    | LineExcluded
    | Marked
)

OPERATIONS: dict[str, type[Op]] = {each.tag: each for each in get_args(Op)}
"""Every operation by its tag."""
