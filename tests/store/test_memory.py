"""The page base in memory."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.errors import PageBaseError
from evocrawl.model import Lead
from evocrawl.store import MemoryPageBase, PageRecord

ROOT = b""


def lead(target: bytes) -> Lead:
    """A link to `target`."""
    return Lead(f"http://a.test/{target.hex()}", target, "a.test", ROOT, 0, 1.0)


def record(energy: float = 1.0, relevance: float = 0.5) -> PageRecord:
    """A page on which `energy` lies."""
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
def test_energy_is_where_it_was_laid_or_was_taken(steps: list[tuple[int, float, float]]) -> None:
    """Nothing is lost, no more is taken than asked, and draws find exactly the pages with some."""
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


def test_a_debt_lying_on_a_page_is_taken_whole() -> None:
    """Negative energy is what a bad page costs; it is no food to go to."""
    base = MemoryPageBase()
    base.add(b"p", record(-1.0))
    assert base.draw_energetic(np.random.default_rng(0)) is None
    assert base.take_energy(b"p", 3.0) == -1.0
    assert base.take_energy(b"p", 3.0) == 0.0


def test_claimed_links_are_out_of_sight() -> None:
    """On every page they stand on, in the order of the others."""
    base = MemoryPageBase()
    base.root(ROOT)
    base.hang(ROOT, [lead(b"x"), lead(b"y"), lead(b"x"), lead(b"z")])
    base.claim(b"x")
    assert [each.fingerprint for each in base.leads(ROOT)] == [b"y", b"z"]


def test_the_root_is_no_page_that_counts() -> None:
    """It has no relevance to be ranked, and making it again changes nothing."""
    base = MemoryPageBase()
    base.root(ROOT)
    base.hang(ROOT, [lead(b"x")])
    base.root(ROOT)
    assert len(base.ranks) == 0
    assert len(base.leads(ROOT)) == 1
    assert not base.is_claimed(ROOT)


def test_a_contest_prefers_relevant_pages_with_open_links() -> None:
    """With a contest as large as the base, mostly the best page; with one draw, all alike."""
    base, rng = MemoryPageBase(), np.random.default_rng(4)
    for number in range(4):
        base.add(bytes([number]), record(relevance=number / 4))
        base.hang(bytes([number]), [lead(bytes([10 + number]))])
    base.claim(bytes([13]))
    wide = Counter(base.draw_open(rng, 30) for _ in range(50))
    single = Counter(base.draw_open(rng, 1) for _ in range(600))
    assert wide == {b"\x02": 50}
    assert set(single) == {b"\x00", b"\x01", b"\x02"}
    assert min(single.values()) > 150


def test_no_page_with_open_links_is_found_where_there_is_none() -> None:
    """Neither in an empty base nor when all links are claimed since."""
    base, rng = MemoryPageBase(), np.random.default_rng(4)
    assert base.draw_open(rng, 3) is None
    base.add(b"p", record())
    base.hang(b"p", [lead(b"x"), lead(b"y")])
    base.claim(b"x")
    assert base.draw_open(rng, 3) == b"p"
    base.claim(b"y")
    assert base.draw_open(rng, 3) is None
    base.hang(b"p", [lead(b"z")])
    assert base.draw_open(rng, 3) == b"p"
