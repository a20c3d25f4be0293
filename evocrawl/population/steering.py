"""Changes to a running crawl that a user asks for: parameters, exclusions and marks of pages.

Each is an operation of the journal, so that a stored crawl replays it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from evocrawl.core.config.config import options_by_name
from evocrawl.core.events import HeldBack
from evocrawl.core.model import AgentId, Content, Fingerprint
from evocrawl.energy import Linear, Sigmoid
from evocrawl.population.exclusions import EXCLUDED
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters that may change while a crawl runs.

    `max_requests` is None without a limit. `lower_bound` and `upper_bound` are LB and UB (None: no
    bound), `cost` and `gain` are C and G of the energy model.
    """

    max_requests: int | None
    lower_bound: int
    upper_bound: int | None
    cost: float
    gain: float

    def values(self) -> dict[str, Any]:
        """Return the parameters by name; `max_requests` 0: no limit. A missing bound is left out.

        >>> Parameters(None, 8, 60, 1.0, 2.0).values()
        {'max_requests': 0, 'lower_bound': 8, 'upper_bound': 60, 'cost': 1.0, 'gain': 2.0}
        """
        values = {name: getattr(self, name) for name in self.__slots__}
        values["max_requests"] = self.max_requests or 0
        return {name: value for name, value in values.items() if value is not None}

    def changed(self, given: Mapping[str, Any]) -> Parameters:
        """Return the parameters after a change, by the rules of the options of the same names.

        Raises ValueError (or SettingError, which is one) that names what is allowed.
        """
        known, options = self.values(), options_by_name()
        unknown = sorted(set(given) - set(known))
        if unknown:
            raise ValueError(f"{unknown[0]}: allowed: {', '.join(known)}")
        values = {name: options[name].value(name, value) for name, value in given.items()}
        if "max_requests" in values:
            values["max_requests"] = values["max_requests"] or None
        for name, value in values.items():
            if value is None and name != "max_requests":
                raise ValueError(f"{name}: allowed: a number")
        to = replace(self, **values)
        if to.upper_bound is not None and to.lower_bound > to.upper_bound:
            raise ValueError(f"lower_bound: allowed: at most upper_bound, {to.upper_bound}")
        return to


@runtime_checkable
class Teachable(Protocol):
    """A learning part that learns from a user's marks."""

    def mark(self, page: Fingerprint, *, relevant: bool) -> None:
        """Learn that a fetched page is relevant, or is not."""


def parameters_of(population: Population) -> Parameters:
    """Return the parameters as they are now."""
    energy = population.environment.energy
    assert isinstance(energy, Sigmoid | Linear)
    bounds = population.lifecycle.bounds
    return Parameters(
        population.environment.budget.limit, bounds.lower, bounds.upper, energy.cost, energy.gain
    )


def change_parameters(population: Population, to: Parameters) -> None:
    """Set the parameters. Raises SettingError for bounds that contradict each other.

    Fees for dead links and refusals that were equal to C follow it. Agents above the upper bound
    live until they die; below the lower bound no agent dies from now on.
    """
    environment, lifecycle = population.environment, population.lifecycle
    energy = environment.energy
    assert isinstance(energy, Sigmoid | Linear)
    founders = lifecycle.bounds.founders
    if to.upper_bound is not None:
        founders = min(founders, to.upper_bound)
    bounds = PopulationBounds(founders, to.lower_bound, to.upper_bound)
    environment.budget.limit = to.max_requests
    lifecycle.bounds = bounds
    old, fees = energy.cost, environment.fees
    fees = replace(
        fees,
        visit=to.cost,
        dead=to.cost if fees.dead == old else fees.dead,
        refusal=to.cost if fees.refusal == old else fees.refusal,
    )
    population.environment = replace(
        environment, energy=replace(energy, cost=to.cost, gain=to.gain), fees=fees
    )
    lifecycle.fees = fees
    lifecycle.set_fees(fees, environment.budget)
    population.selector.turns.wake()


def exclude(population: Population, pattern: str) -> None:
    """Exclude links that match `pattern` from now on. Raises ValueError for an invalid pattern.

    This includes links that wait for their robots.txt; visits under way are finished.
    """
    exclusions = population.discovery.exclusions
    exclusions.add(pattern)
    for agent, lead in population.selector.call_back(exclusions.covers):
        population.lifecycle.emit(HeldBack(lead, EXCLUDED))
        population.selector.resume(agent)
        population.selector.turns.wake()
    population.selector.turns.wake()


def exclude_line(population: Population, agent: AgentId, alive: Iterable[AgentId]) -> None:
    """End an agent's line: `alive` are those of the agent and its descendants that are alive.

    Their energy is lost; visits under way are finished, and links that they have already chosen are
    still followed. The links on their pages stay open to the other agents. Founders begin again at
    the seeds if fewer agents than the lower bound are left. O(agents²).
    """
    population.excluded_lines.append(agent)
    lifecycle, selector = population.lifecycle, population.selector
    gone = [lifecycle.agents[each] for each in alive if each in lifecycle.agents]
    for each in gone:
        selector.dismiss(each)
        lifecycle.exclude(each)
    if gone:
        selector.turns.join(lifecycle.refill(gone[-1].species))
    selector.turns.wake()


def mark(population: Population, page: Fingerprint, content: Content, *, relevant: bool) -> None:
    """Teach the relevance model and every species a user's mark of a fetched page.

    Waiting links are ranked again: at once by species that keep no scores, and step by step, with
    each choice, by species that keep them.
    """
    for teach in population.on_mark:
        teach(content, relevant)
    for species in population.species:
        if isinstance(species.learning, Teachable):
            species.learning.mark(page, relevant=relevant)
    population.selector.turns.wake()
