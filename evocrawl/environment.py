"""What surrounds a population."""

from __future__ import annotations

from dataclasses import dataclass, field

from evocrawl.budget import Budget
from evocrawl.clock import Clock
from evocrawl.economies import Rewards
from evocrawl.energy import EnergyModel
from evocrawl.fees import Fees
from evocrawl.hosts import Hosts
from evocrawl.store import MemoryPageBase
from evocrawl.traps import Traps


@dataclass(frozen=True, slots=True)
class Environment:
    """What surrounds the agents and is no species' business."""

    energy: EnergyModel
    fees: Fees
    base: MemoryPageBase
    hosts: Hosts
    budget: Budget
    rewards: Rewards = "first"
    clock: Clock = field(default_factory=Clock)
    traps: Traps | None = None
