"""Many trials are measured, stored and resumed."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulation_worlds import SmallWorld, random_world, url

from evocrawl.simulation.campaign import missing, run_trials
from evocrawl.simulation.evaluation.results import REQUIRED, ResultTable
from evocrawl.simulation.laboratory import Laboratory
from evocrawl.simulation.trials import Start, Topic, Trial, TrialError, trials_of

CORALS = Topic("dev", "Nature.Corals", "coral")
CHANGES = {"seconds", "cpu_seconds", "cpu_seconds_by", "peak_rss_bytes"}
"""Fields that are not the same in two runs of one trial."""


def world() -> SmallWorld:
    return random_world(3)


def trials(*species: str, start: Start = "search", runs: int = 2) -> list[Trial]:
    return trials_of([CORALS], species or ["energy"], [start], range(runs))


def steady(row: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in row.items() if key not in CHANGES}


def test_a_row_has_every_field_and_counts_by_the_labels() -> None:
    """The crawler's own scores do not count if there are labels."""
    laboratory = Laboratory(world())
    row = laboratory.run(trials("oracle")[0]) | {"trial": ""}
    assert set(REQUIRED) <= set(row)
    about = world().about("Nature.Corals")
    assert row["budget"] == min(5 * len(about), len(world()) // 2)
    assert row["relevant"] == len(row["hits"]) <= len(about)
    assert row["recall"] == row["relevant"] / len(about)
    assert 0 < row["recall_auc"] <= 1
    assert row["requests"] <= row["budget"]
    assert row["seeds"] == world().search("coral", 3)


def test_the_oracle_on_labels_is_close_to_the_reachable_maximum() -> None:
    """A crawler without labels has less, here by a wide margin."""
    rows = {each.species: Laboratory(world()).run(each)
            for each in trials("oracle", "random", start="far", runs=1)}  # fmt: skip
    assert rows["random"]["recall_auc"] < rows["oracle"]["recall_auc"]
    assert rows["random"]["oracle_auc"] == rows["oracle"]["oracle_auc"]


def test_without_a_topic_the_view_is_by_words() -> None:
    """Without recall, and with a judge that no species uses."""
    trial = Trial(query="coral", species="best_first", budget=20)
    row = Laboratory(world()).run(trial)
    assert (row["topic"], row["recall"], row["recall_auc"]) == (None, None, None)
    assert 0 < row["mean_bm25"] <= 1
    assert row["relevant"] > 0


@pytest.mark.parametrize(
    ("trial", "message"),
    [
        (Trial(query="coral", species="energy"), "no default budget"),
        (Trial(query="coral", species="energy", topic="Nope"), "no topic 'Nope'"),
        (Trial(query="coral", species="energy", budget=5, start="far"), "far from relevant pages"),
        (Trial(query="coral", species="energy", budget=5, start="given"), "no start"),
    ],
)
def test_a_trial_that_cannot_be_run_raises_an_error_with_the_reason(
    trial: Trial, message: str, tmp_path: Path
) -> None:
    """A TrialError, from any process."""
    with pytest.raises(TrialError, match=message):
        list(run_trials([trial], "w", world, ResultTable(tmp_path)))


def test_finished_runs_are_not_repeated(tmp_path: Path) -> None:
    """A stopped campaign is continued, and ends with the same rows as another one."""
    every = trials("energy", "best_first")
    table = ResultTable(tmp_path / "a")
    stopped = run_trials(every, "w", world, table)
    next(stopped)
    next(stopped)
    stopped.close()
    again = ResultTable(tmp_path / "a")
    todo = missing(every, again, "w")
    assert todo == every[2:]
    assert missing(every, again, "another") == every
    list(run_trials(todo, "w", world, again))
    whole = ResultTable(tmp_path / "b")
    list(run_trials(every, "w", world, whole))
    assert [steady(row) for row in again.rows] == [steady(row) for row in whole.rows]


def test_processes_give_the_same_rows(tmp_path: Path) -> None:
    """In the order in which they end."""
    every = trials("energy", "random", start="far")
    one, two = ResultTable(tmp_path / "1"), ResultTable(tmp_path / "2")
    list(run_trials(every, "w", world, one))
    list(run_trials(every, "w", world, two, processes=2))
    order = {row["trial"]: row for row in two.rows}
    assert [steady(order[row["trial"]]) for row in one.rows] == [steady(row) for row in one.rows]


def test_a_world_that_another_process_cannot_open_is_named(tmp_path: Path) -> None:
    """Not as a broken pool."""
    with pytest.raises(TrialError, match="no such world"):
        list(run_trials(trials(), "w", _no_world, ResultTable(tmp_path), processes=2))


def test_near_duplicates_count_once() -> None:
    """Two pages of the same text are one distinct relevant page."""
    text = " ".join(f"word{n}" for n in range(50))
    links = {url("a"): [url("b"), url("c")], url("b"): [], url("c"): []}
    same = SmallWorld(links, {url("b"): text, url("c"): text},
                      {"T": [url("b"), url("c")]})  # fmt: skip
    trial = Trial(query="word1", species="breadth_first", topic="T", budget=3, start="given",
                  seeds=(url("a"),))  # fmt: skip
    row = Laboratory(same).run(trial)
    assert (row["relevant"], row["relevant_distinct"]) == (2, 1)


def _no_world() -> SmallWorld:
    raise FileNotFoundError("no such world")
