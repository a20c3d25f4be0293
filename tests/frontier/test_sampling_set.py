"""The set with random draws."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.frontier.sampling_set import SamplingSet

KEYS = [b"", b"key", *(b"%012d" % number for number in range(6))]
ACTIONS = st.lists(
    st.tuples(st.sampled_from(["add", "discard"]), st.sampled_from(KEYS)), max_size=60
)


@given(ACTIONS)
def test_a_sampling_set_has_the_items_of_a_set(actions: list[tuple[str, bytes]]) -> None:
    """Draws return only its items."""
    pool, model, rng = SamplingSet(), set[bytes](), np.random.default_rng(1)
    for action, item in actions:
        getattr(pool, action)(item)
        getattr(model, action)(item)
        assert len(pool) == len(model)
        assert {item for item in KEYS if item in pool} == model
        drawn = pool.draw(rng)
        assert drawn in model if model else drawn is None


def test_each_item_is_drawn_as_often_as_the_others() -> None:
    """This holds after the last item has moved to the place of another, too."""
    pool, rng = SamplingSet(), np.random.default_rng(2)
    for item in KEYS[:5]:
        pool.add(item)
    pool.discard(KEYS[3])
    counts = Counter(pool.draw(rng) for _ in range(4000))
    assert set(counts) == {*KEYS[:3], KEYS[4]}
    assert min(counts.values()) > 900


def test_draws_repeat_with_the_seed_and_the_history() -> None:
    """Hash order plays no part: bytes hash differently in every run."""
    drawn = []
    for _ in range(2):
        pool, rng = SamplingSet(), np.random.default_rng(3)
        for number in range(20):
            pool.add(bytes([number]))
        pool.discard(bytes([4]))
        drawn.append([pool.draw(rng) for _ in range(5)])
    assert drawn[0] == drawn[1] == [b"\x0f", b"\x01", b"\x03", b"\x13", b"\x03"]
