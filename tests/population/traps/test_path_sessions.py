"""Sites that name a new session in each of their links."""

from __future__ import annotations

from hashlib import blake2b

import pytest
from test_traps import SPECIES, said, visited

from evocrawl.population.traps.traps import TrapDetector


@pytest.mark.parametrize("species", SPECIES)
def test_sessions_in_the_path_are_a_trap(species: str) -> None:
    """B110: each link of a page has a new session, without end."""

    def shop(url: str) -> tuple[str, list[str]]:
        tokens = [blake2b(f"{url}{link}".encode(), digest_size=12).hexdigest() for link in "abc"]
        links = [f"http://a.test/s/{each}/{name}" for each, name in zip(tokens, "abc", strict=True)]
        return said("x"), links

    urls, _ = visited(species, shop, traps=TrapDetector())
    assert len(urls) < 150
