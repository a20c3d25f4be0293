"""The life of an agent: it eats, clones, dies or is rescued, and energy is conserved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_webs import make_population

from evocrawl.core.errors import SettingError
from evocrawl.core.events import Born, Died, Event
from evocrawl.core.fees import Fees
from evocrawl.frontier import MemoryPageBase, PageRecord
from evocrawl.population.lifecycle import Lifecycle, PopulationBounds
from evocrawl.population.species_view import ROOT
from evocrawl.species.base import Move


def life_of(base: MemoryPageBase, bounds: PopulationBounds) -> Lifecycle:
    """Return the lifecycle of a population of the species `energy` on `base`."""
    species = make_population()[0].species
    return Lifecycle(species, Fees(0.5, 1.0, 0.5), bounds, base, np.random.default_rng(1), ROOT)


def test_a_dying_agent_is_moved_to_energy_at_the_lower_bound() -> None:
    """It also clones at once if it finds enough energy and there is room."""
    base = MemoryPageBase()
    life = life_of(base, PopulationBounds(1, 1, 4))
    (agent,) = life.found(1)
    base.add(b"poor", PageRecord("", 0.5, 0.0, None, 0))
    base.add(b"rich", PageRecord("", 0.9, 9.0, None, 0))
    agent.energy = -0.5
    on = life.reproduce(agent)
    assert agent.page == b"rich"
    assert [each.energy for each in on] == pytest.approx([1.0] * 4)
    assert base.energy() == pytest.approx(9.0 - 4.5)


def test_agents_walk_to_pages_with_energy() -> None:
    """They take as much energy as the population has room for; the rest stays on the page."""
    base = MemoryPageBase()
    life = life_of(base, PopulationBounds(2, 0, 3))
    first, _ = life.found(1)
    base.add(b"rich", PageRecord("", 0.9, 1.2, None, 0))
    on = life.walk(first, Move(b"rich", "energy"))
    assert first.page == b"rich"
    assert [each.energy for each in on] == pytest.approx([1.0, 1.0])
    assert base.energy() == pytest.approx(0.2)
    assert not life.may_eat


@given(st.floats(-3, 50), st.integers(0, 5), st.one_of(st.none(), st.integers(1, 20)))
def test_reproduction_conserves_energy(energy: float, lower: int, room: int | None) -> None:
    """⌊E⌋ clones share the energy with their parent, within the upper bound."""
    base = MemoryPageBase()
    life = life_of(base, PopulationBounds(5, lower, None if room is None else 5 + room))
    agent, *others = life.found(1)
    agent.energy, page_energy = energy, base.energy()
    events: list[Event] = []
    life.on_event.append(events.append)
    on = life.reproduce(agent)
    buried = sum(e.energy for e in events if isinstance(e, Died))
    granted = sum(e.energy for e in events if isinstance(e, Born) and e.parent is None)
    assert sum(a.energy for a in life.agents.values()) == pytest.approx(
        energy + len(others) - buried + granted
    )
    assert base.energy() == page_energy
    clones = int(energy) if energy > 1 else 0
    assert len(life.agents) - 5 == (
        -1 if energy < 0 and lower < 5 else min(clones, 10**9 if room is None else room)
    )
    if len(on) > 1:
        assert len({each.energy for each in on[1:]}) == 1
        assert on[0].energy == pytest.approx(on[1].energy)


@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        ((1, -1, None), "lower_bound is -1; allowed: 0 or more"),
        ((1, 5, 4), "upper_bound is 4; allowed: at least 5"),
        ((1, 0, 0), "upper_bound is 0; allowed: at least 1"),
        ((0, 0, None), "agents is 0; allowed: 1 or more"),
        ((5, 0, 4), "agents is 5; allowed: 1 to the upper bound (4)"),
    ],
)  # fmt: skip
def test_impossible_bounds_are_refused(bounds: tuple[int, int, int | None], problem: str) -> None:
    """The error names the setting, and what is allowed."""
    with pytest.raises(SettingError) as caught:
        PopulationBounds(*bounds)
    assert str(caught.value) == problem


def test_an_agent_that_walks_while_the_population_is_full_eats_nothing() -> None:
    """Energy stays on the pages until there is room for a clone."""
    base = MemoryPageBase()
    life = life_of(base, PopulationBounds(2, 0, 2))
    first, _ = life.found(1)
    first.energy = 0.25
    base.add(b"rich", PageRecord("", 0.9, 3.0, None, 0))
    assert life.walk(first, Move(b"rich", "dead end")) == [first]
    assert (first.page, first.energy, base.energy()) == (b"rich", 0.25, 3.0)
