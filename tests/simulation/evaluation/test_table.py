"""Species are ordered by their means, with intervals for their differences."""

from __future__ import annotations

import pytest
from result_rows import row

from evocrawl.simulation.evaluation.results import ResultsError
from evocrawl.simulation.evaluation.table import markdown, standings

ROWS = [
    row(species, topic, seed, auc=base + 0.01 * seed + 0.1 * number)
    for species, base in (("slow", 0.1), ("fast", 0.3))
    for number, topic in enumerate("ABC")
    for seed in range(3)
]


def test_the_best_comes_first_and_the_rest_is_compared_with_it() -> None:
    """A constant difference of −0.2 on every pair."""
    fast, slow = standings(ROWS)
    assert (fast.species, fast.against, fast.runs, fast.topics) == ("fast", None, 9, 3)
    assert slow.against is not None
    assert str(slow.against.interval) == "-0.200 [-0.200, -0.200]"
    assert slow.against.losses == 3
    assert "worse" in markdown([fast, slow])


def test_the_species_to_compare_with_can_be_chosen() -> None:
    """Compared with the slow one, the fast one is better."""
    fast, slow = standings(ROWS, against="slow")
    assert slow.against is None
    assert fast.against is not None
    assert fast.against.is_better
    assert "0.200 [0.200, 0.200] better" in markdown([fast, slow])


def test_runs_pair_by_budget_and_start_too() -> None:
    """A run of another start is no pair."""
    rows = [row("a", auc=0.5), row("b", auc=0.4), row("b", auc=0.9, start="far")]
    assert standings(rows, start="search")[1].against.pairs == 1  # type: ignore[union-attr]
    with pytest.raises(ResultsError, match="have no trial in common"):
        standings([rows[0], rows[2]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "speed"}, "no 'speed'; measures that runs have: .*recall_auc"),
        ({"against": "nothing"}, "no runs of the species 'nothing'; there are fast, slow"),
        ({"start": "far"}, "no runs of the start 'far'"),
    ],
)
def test_an_unknown_name_is_an_error_with_the_known_ones(
    options: dict[str, str], message: str
) -> None:
    """The message contains the names that exist."""
    with pytest.raises(ResultsError, match=message):
        standings(ROWS, **options)


def test_two_results_for_one_trial_are_an_error() -> None:
    """The same result twice is not: directories may overlap."""
    assert standings([row(), row()])[0].runs == 1
    with pytest.raises(ResultsError, match="by-directory"):
        standings([row(auc=0.1), row(auc=0.2)])


def test_a_hostile_name_does_not_break_the_table() -> None:
    """Bars, tags and line ends are replaced."""
    text = markdown(standings([row("a|b\n<script>")]))
    assert "script" in text
    assert not set("<>") & set(text)
    assert text.count("\n") == 3
