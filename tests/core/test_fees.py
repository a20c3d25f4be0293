"""Fees that agents pay for time and failures."""

from __future__ import annotations

import pytest

from evocrawl.core.fees import Fees
from evocrawl.core.model import Cost


@pytest.mark.parametrize(
    ("seconds", "fee"), [(0.0, 0.0), (45.0, 0.5), (90.0, 1.0), (900.0, 1.0), (-1.0, 0.0)]
)
def test_time_costs_in_proportion_up_to_the_timeout(seconds: float, fee: float) -> None:
    """c_t · min(t, t_max)/t_max; a negative time costs nothing."""
    fees = Fees(visit=1.0, refusal=2.0, dead=1.0, latency=1.0, timeout_s=90.0)
    assert fees.of_time(Cost(seconds=seconds)) == fee


def test_time_is_free_where_fetches_have_no_timeout() -> None:
    """DOWNLOAD_TIMEOUT = 0 means no time-out, so there is no share of it."""
    assert (
        Fees(visit=1.0, refusal=1.0, dead=1.0, latency=3.0, timeout_s=0.0).of_time(Cost(5.0)) == 0.0
    )
