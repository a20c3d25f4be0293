"""The environment of a population."""

from __future__ import annotations

from dataclasses import dataclass, field

from evocrawl.core.budget import Budget
from evocrawl.core.clock import Clock
from evocrawl.core.config.presets import Rewards
from evocrawl.core.fees import Fees
from evocrawl.energy import EnergyModel
from evocrawl.frontier import MemoryPageBase
from evocrawl.politeness.host_slots import HostSlots
from evocrawl.population.elsewhere import LinksElsewhere
from evocrawl.population.traps.traps import TrapDetector


@dataclass(frozen=True, slots=True)
class Environment:
    """The parts that all species share: energy, fees, pages, hosts, budget, clock and traps."""

    energy: EnergyModel
    fees: Fees
    base: MemoryPageBase
    hosts: HostSlots
    budget: Budget
    rewards: Rewards = "first"
    clock: Clock = field(default_factory=Clock)
    traps: TrapDetector | None = None
    elsewhere: LinksElsewhere = field(init=False)

    def __post_init__(self) -> None:
        """Make what depends on other parts."""
        object.__setattr__(self, "elsewhere", LinksElsewhere(self.hosts))

    def awaits(self, host: str) -> bool:
        """Return True if a busy host is to be waited for: each request counts, and it is free soon.

        Each one counts if the crawl may send a limited number.
        """
        return self.budget.limit is not None and self.hosts.is_soon_free(host)

    def chance_elsewhere(self) -> float:
        """Return the chance of the best link to wait for at other workers, 0.0 without one."""
        return self.elsewhere.chance if self.budget.limit is not None else 0.0
