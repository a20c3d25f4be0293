"""Crawls of every species give the events that were recorded before modules were moved."""

from __future__ import annotations

import pytest
from event_log import SPECIES_RECORDED, WORLDS, log_of, recorded, worlds

from evocrawl.simulation.worlds.base import World


@pytest.fixture(scope="module")
def opened() -> dict[str, World]:
    """Open the worlds once."""
    return worlds()


@pytest.mark.parametrize("species", SPECIES_RECORDED)
@pytest.mark.parametrize("world", WORLDS)
def test_a_crawl_gives_the_recorded_events(
    opened: dict[str, World], world: str, species: str
) -> None:
    """Every event, in order, with every energy to the last bit."""
    assert log_of(opened[world], world, species) == recorded(world, species)
