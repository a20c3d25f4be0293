"""Entries that were added lately: a heap of the best, arrays of the others."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.frontier.new_entries import ENTRY, NewEntries

RANKS = st.integers(0, 5) | st.sampled_from([float("inf"), float("-inf")])
STEPS = st.lists(
    st.one_of(
        st.lists(RANKS, max_size=9), st.tuples(st.integers(1, 6), st.integers(0, 6)), st.none()
    ),
    max_size=40,
)


@given(STEPS)
def test_entries_come_by_rank_and_number(
    steps: list[list[float] | tuple[int, int] | None],
) -> None:
    """However they are added, taken, given back and left out."""
    small = patch.multiple("evocrawl.frontier.new_entries", _SOON=2, _MOST_SOON=4)
    with small:
        new, model, numbers = NewEntries(), list[tuple[float, int, int]](), iter(range(1000))
        for step in steps:
            match step:
                case list():
                    added = [(float(rank), next(numbers), 7) for rank in step]
                    new.add(np.array(added, ENTRY))
                    model = sorted(model + added)
                case (most, kept):
                    taken = new.take(most)
                    assert taken == model[:most]
                    new.give_back(taken[kept:])
                    model = sorted(model[most:] + taken[kept:])
                case _:
                    model = [each for each in model if each[1] % 3]
                    new.replace(np.array(model, ENTRY))
            assert len(new) == len(model)
            assert new.first == (model[0] if model else None)
        assert new.sorted().tolist() == model
