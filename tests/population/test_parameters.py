"""Parameters that a user changes while the crawl runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tiny_webs import make_population

from evocrawl.core.fees import Fees
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.steering import Parameters, change_parameters, parameters_of

NOW = Parameters(max_requests=None, lower_bound=8, upper_bound=60, cost=1.0, gain=2.0)


@pytest.mark.parametrize(
    ("given", "to"),
    [
        ({}, NOW),
        ({"max_requests": "50"}, replace(NOW, max_requests=50)),
        ({"max_requests": 0}, NOW),
        ({"upper_bound": "8", "gain": 3}, replace(NOW, upper_bound=8, gain=3.0)),
        ({"cost": "0.25", "lower_bound": 60}, replace(NOW, cost=0.25, lower_bound=60)),
    ],
)
def test_parameters_are_read_as_options_are(given: dict[str, Any], to: Parameters) -> None:
    """From text, too; those that are not given stay."""
    assert NOW.changed(given) == to


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"lower_bound": 61}, "lower_bound: allowed: at most upper_bound, 60"),
        ({"upper_bound": 7}, "lower_bound: allowed: at most upper_bound, 7"),
        (
            {"species": "evo"},
            "species: allowed: max_requests, lower_bound, upper_bound, cost, gain",
        ),
        ({"cost": "much"}, "cost"),
        ({"gain": -1}, "gain"),
        ({"max_requests": -1}, "max_requests"),
        ({"lower_bound": ""}, "lower_bound: allowed: a number"),
        ({"max_requests": 0, "gain": None}, "gain: allowed: a number"),
    ],
)
def test_a_parameter_that_no_crawl_could_have_is_refused(
    given: dict[str, Any], problem: str
) -> None:
    """By its name, and with what is allowed."""
    with pytest.raises(ValueError, match=problem):
        NOW.changed(given)


def test_bounds_may_be_equal_and_a_missing_bound_is_above_any_other() -> None:
    """A population of a fixed size, and one without an upper bound."""
    assert replace(NOW, upper_bound=None).changed({"lower_bound": 99}).lower_bound == 99
    assert NOW.changed({"lower_bound": 60}).lower_bound == 60


@pytest.mark.parametrize("energy", ["sigmoid", "linear"])
def test_changed_parameters_are_those_of_the_crawl(energy: str) -> None:
    """Fees that were equal to C follow it, and the founders the upper bound."""
    population, _ = make_population(
        energy=energy, bounds=PopulationBounds(9, 2, 12), budget=40, cost=0.5, gain=4.0
    )
    population.environment = replace(
        population.environment, fees=replace(population.environment.fees, dead=0.5, refusal=0.1)
    )
    assert parameters_of(population) == Parameters(40, 2, 12, 0.5, 4.0)
    to = Parameters(None, 3, 5, 0.75, 6.0)
    change_parameters(population, to)
    assert parameters_of(population) == to
    assert population.lifecycle.bounds == PopulationBounds(5, 3, 5)
    fees: Fees = population.environment.fees
    assert (fees.visit, fees.dead, fees.refusal) == (0.75, 0.75, 0.1)
    assert population.lifecycle.fees == fees
    change_parameters(population, replace(to, upper_bound=None))
    assert population.lifecycle.bounds == PopulationBounds(5, 3, None)
