"""Random: each open link has the same chance."""

from collections import Counter

import numpy as np
import pytest
from crawled import Pages, order, to

from evocrawl.core.model import Lead
from evocrawl.species.random_queue import RandomQueue


def lead(number: int, host: str) -> Lead:
    """Return a lead to a page of `host`."""
    return Lead(f"http://{host}/{number}", bytes([number]), host, b"", 0, 0.0)


def test_every_open_link_is_equally_likely_on_any_host() -> None:
    """Seven links of one host and one of another: an eighth each."""
    lottery, rng = RandomQueue(lambda _: False), np.random.default_rng(1)
    for number in range(8):
        lottery.push(lead(number, "big.test" if number else "small.test"))
    counts = Counter(
        drawn.fingerprint[0]
        for _ in range(8000)
        if (drawn := lottery.draw(rng, lambda _: True)) is not None
    )
    assert sorted(counts) == list(range(8))
    assert max(abs(count - 1000) for count in counts.values()) < 150


def test_old_links_are_as_likely_as_new_ones() -> None:
    """Waiting does not change a link's chance, as it would with a priority drawn once."""
    firsts = Counter[str]()
    web: Pages = {"seed": (0.0, [to("a"), to("b")]), "a": (0.0, [to("c")]), "b": (0.0, [to("c")])}
    for seed in range(600):
        firsts[order("random", web, seed=seed, most=3)[2]] += 1
    assert sorted(firsts) == ["a", "b", url_c]
    assert 240 < firsts[url_c] < 360


url_c = to("c").url


@pytest.mark.parametrize("seed", range(20))
def test_only_open_links_of_free_hosts_are_drawn(seed: int) -> None:
    """The draws are compared with a plain list."""
    rng, claimed = np.random.default_rng(seed), set[bytes]()
    busy = set[str]()
    lottery = RandomQueue(claimed.__contains__)
    waiting = dict[bytes, Lead]()
    for step in range(200):
        action = int(rng.integers(4))
        host = f"h{int(rng.integers(5))}.test"
        if action == 0:
            lottery.push(lead(step, host))
            waiting[bytes([step])] = lead(step, host)
        elif action == 1:
            busy.symmetric_difference_update({host})
            if host not in busy:
                lottery.free(host)
        else:
            drawn = lottery.draw(rng, lambda host: host not in busy)
            free = [each for each in waiting.values() if each.host not in busy]
            assert (drawn is None) == (not free)
            if drawn is not None:
                assert drawn in free
                claimed.add(drawn.fingerprint)
                del waiting[drawn.fingerprint]
