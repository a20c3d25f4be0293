"""The page base in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.errors import PageBaseError
from evocrawl.frontier import MemoryPageBase, PageRecord


def record(energy: float = 1.0, relevance: float = 0.5) -> PageRecord:
    """Return a page with `energy`."""
    return PageRecord("http://a.test/", relevance, energy, 1, 0)


def test_a_page_is_added_once() -> None:
    """Its energy is set when it is first fetched, and its relevance counts once."""
    base = MemoryPageBase()
    base.add(b"p", record(2.0))
    with pytest.raises(PageBaseError, match=r"a\.test"):
        base.add(b"p", record(5.0))
    assert base.energy() == 2.0
    assert len(base.ranks) == 1
    assert base.is_claimed(b"p")


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-5, 5), st.floats(0, 3)), max_size=40))
def test_energy_stays_on_its_page_until_it_is_taken(steps: list[tuple[int, float, float]]) -> None:
    """No energy is lost, `at_most` holds, and draws return exactly the pages with energy."""
    base, laid, taken, rng = MemoryPageBase(), 0.0, 0.0, np.random.default_rng(0)
    for number, energy, at_most in steps:
        page = bytes([number])
        if base.get(page) is None:
            base.add(page, record(energy))
            laid += energy
        else:
            part = base.take_energy(page, at_most)
            assert part <= at_most
            taken += part
        energetic = {page for page in base if (found := base.get(page)) and found.energy > 0}
        drawn = base.draw_energetic(rng)
        assert drawn in energetic if energetic else drawn is None
        assert base.energy() == pytest.approx(laid - taken)


def test_a_debt_of_a_page_is_taken_whole() -> None:
    """Negative energy is the cost of a bad page; no draw returns such a page."""
    base = MemoryPageBase()
    base.add(b"p", record(-1.0))
    assert base.draw_energetic(np.random.default_rng(0)) is None
    assert base.take_energy(b"p", 3.0) == -1.0
    assert base.take_energy(b"p", 3.0) == 0.0


def test_a_page_that_has_changed_is_ranked_by_its_present_relevance() -> None:
    """It counts once in the ranks, and the energy that was left on it stays."""
    base = MemoryPageBase()
    base.add(b"p", record(2.0, relevance=0.5))
    base.renew(b"p", 0.75, 3.0, b"new")
    assert (base.relevance_of(b"p"), base.energy(), len(base.ranks)) == (0.75, 5.0, 1)
    assert base.ranks.at_share(1.0) == 0.75
    assert base.relevance_of(b"q") == 0.0
