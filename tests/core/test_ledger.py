"""The totals that a ledger computes from events."""

from __future__ import annotations

from evocrawl.core.events import Born, Came, Died, Event, Fed, Laid, Left, Paid
from evocrawl.core.ledger import Ledger

PAGE = b"twelve bytes"


def ledger_of(*events: Event) -> Ledger:
    ledger = Ledger()
    for event in events:
        ledger.note(event)
    return ledger


def test_energy_of_agents_is_income_minus_expenses() -> None:
    energy = ledger_of(
        Born(1, None, 1.0),
        Laid(PAGE, 1.0, 8.0),
        Fed(1, PAGE, 4.0),
        Paid(1, 0.5, "visit"),
        Born(2, 1, 2.0),
        Came(3, 0.25),
        Died(2, -0.5),
        Left(1, 3.0),
    ).energy
    assert energy.of_agents == 1.0 + 4.0 - 0.5 + 0.25 + 0.5 - 3.0
    assert energy.on_pages == 4.0


def test_negative_energy_lowers_the_energy_of_pages() -> None:
    energy = ledger_of(Laid(PAGE, 0.0, -1.0), Laid(PAGE, 1.0, 3.0)).energy
    assert (energy.laid, energy.laid_above_0, energy.on_pages) == (2.0, 3.0, 2.0)


def test_arrivals_and_departures_change_the_population_but_not_births_and_deaths() -> None:
    ledger = ledger_of(Born(1, None, 1.0), Came(2, 1.0), Left(1, 1.0), Left(2, 1.0))
    assert (ledger.births, ledger.deaths, ledger.population) == (1, 0, 0)
    assert (ledger.founders, ledger.largest_population) == (1, 2)
