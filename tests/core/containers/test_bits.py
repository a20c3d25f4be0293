"""Bits, and arrays of zeros that take memory only for the parts that are written."""

from __future__ import annotations

import os

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.containers.bits import Bits
from evocrawl.core.containers.lazy_zeros import lazy_zeros

PLACES = st.lists(st.integers(0, 255), max_size=40)


@given(st.lists(PLACES, max_size=8), PLACES)
def test_bits_are_a_set_of_numbers(rounds: list[list[int]], asked: list[int]) -> None:
    """A number may be added twice, also in one call."""
    bits, numbers = Bits(256), set[int]()
    for places in rounds:
        assert bits.add(np.array(places, np.uint64)).tolist() == [
            each in numbers for each in places
        ]
        numbers.update(places)
        assert bits.at(np.array(asked, np.uint64)).tolist() == [each in numbers for each in asked]


def test_zeros_can_be_written_and_belong_to_one_process() -> None:
    """A fork writes to its own memory."""
    zeros = lazy_zeros(1 << 22, np.uint16)
    assert (zeros.shape, zeros.dtype, int(zeros.max())) == ((1 << 22,), np.uint16, 0)
    child = os.fork()
    if not child:
        zeros[7] = 1
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert zeros[7] == 0
    zeros[7] = 2
    assert zeros[6:9].tolist() == [0, 2, 0]
