"""Sorted runs that are merged as they are added."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.frontier.new_entries import ENTRY
from evocrawl.frontier.sorted_runs import Runs

STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(["put", "add"]), st.lists(st.integers(0, 5), min_size=1, max_size=9)
        ),
        st.tuples(st.just("take"), st.integers(1, 12)),
    ),
    max_size=30,
)


@given(STEPS)
def test_entries_come_out_in_order(steps: list[tuple[str, int | list[int]]]) -> None:
    """They are ordered by rank, then by number, for any order of additions."""
    with patch("evocrawl.frontier.sorted_runs._MOST_NEW", 5):
        follow(steps)


def follow(steps: list[tuple[str, int | list[int]]]) -> None:
    runs, model, numbers = Runs(SpillFile()), list[tuple[float, int, int]](), iter(range(1000))
    for action, what in steps:
        if isinstance(what, list):
            new = sorted((float(rank), number, 7 * number) for rank, number in zip(what, numbers))  # noqa: B905
            if action == "put":
                runs.put(new)
            else:
                runs.add(np.array(new[::-1], ENTRY))
            model = sorted(model + new)
        elif action == "take" and model:
            assert runs.take(what) == model[:what]
            model = model[what:]
        assert len(runs) == len(model)
        assert runs.first == (model[0][:2] if model else None)
    assert Runs.of_state(runs.state(), SpillFile()).first == runs.first


def test_there_are_few_runs() -> None:
    """A thousand were added."""
    runs, rng = Runs(SpillFile()), np.random.default_rng(0)
    for number in range(1000):
        runs.put([(float(rank), 8 * number + at, 0)
                  for at, rank in enumerate(sorted(rng.random(8)))])  # fmt: skip
    assert len(runs) == 8000
    assert len(runs._runs) <= 13
    assert sum(len(run.front) for run in runs._runs) < 500


@pytest.mark.parametrize("most", [1, 100, 1000])
def test_long_runs_come_back_from_disk(most: int) -> None:
    """Few or many entries are taken at once, while others are added."""
    runs, rng = Runs(SpillFile()), np.random.default_rng(1)
    new = sorted((float(rank), number, number) for number, rank in enumerate(rng.random(9000)))
    runs.put(new[::2])
    runs.put(new[1::2][:2000])
    taken = runs.take(most)
    runs.put(new[1::2][2000:])
    while len(runs):
        taken += runs.take(most)
    assert sorted(taken) == new
    assert taken[most:] == sorted(taken[most:])
