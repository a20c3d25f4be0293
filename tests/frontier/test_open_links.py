"""The open links of each page."""

from __future__ import annotations

from collections import Counter

import numpy as np

from evocrawl.core.model import Fingerprint, Lead
from evocrawl.frontier import OpenLinks

ROOT = b""


def lead(target: bytes, source: bytes = ROOT) -> Lead:
    """Return a link on `source` to `target`."""
    return Lead(f"http://a.test/{target.hex()}", target, "a.test", source, 0, 1.0)


def worth(page: Fingerprint) -> float:
    """Return the first byte of a page's fingerprint."""
    return page[0] if page else 0.0


def test_claimed_links_are_not_open() -> None:
    """They disappear from every page; the others keep their order; one link per target and page."""
    claimed = set[bytes]()
    open_links = OpenLinks(claimed.__contains__)
    open_links.add([lead(b"x"), lead(b"y"), lead(b"x"), lead(b"z"), lead(b"x", b"p")])
    assert [each.fingerprint for each in open_links.leads(ROOT)] == [b"x", b"y", b"z"]
    claimed.add(b"x")
    assert [each.fingerprint for each in open_links.leads(ROOT)] == [b"y", b"z"]
    assert open_links.leads(b"p") == []
    assert open_links.leads(b"unknown") == []


def test_a_page_fetched_again_adds_the_links_it_did_not_have() -> None:
    """Its other links are not added again."""
    open_links = OpenLinks(lambda _: False)
    open_links.add([lead(b"x"), lead(b"y")])
    open_links.add([lead(b"y"), lead(b"z")])
    assert [each.fingerprint for each in open_links.leads(ROOT)] == [b"x", b"y", b"z"]


def test_a_contest_prefers_better_pages_with_open_links() -> None:
    """With many draws the best page wins; with one draw all pages have the same chance."""
    claimed, rng = set[bytes](), np.random.default_rng(4)
    open_links = OpenLinks(claimed.__contains__)
    for number in range(4):
        open_links.add([lead(bytes([10 + number]), bytes([number]))])
    claimed.add(bytes([13]))
    wide = Counter(open_links.draw_open(rng, 30, worth) for _ in range(50))
    single = Counter(open_links.draw_open(rng, 1, worth) for _ in range(600))
    assert wide == {b"\x02": 50}
    assert set(single) == {b"\x00", b"\x01", b"\x02"}
    assert min(single.values()) > 150


def test_no_page_is_found_if_none_has_open_links() -> None:
    """Neither in an empty store nor when all links are claimed."""
    claimed, rng = set[bytes](), np.random.default_rng(4)
    open_links = OpenLinks(claimed.__contains__)
    assert open_links.draw_open(rng, 3, worth) is None
    open_links.add([lead(b"x", b"p"), lead(b"y", b"p")])
    claimed.add(b"x")
    assert open_links.draw_open(rng, 3, worth) == b"p"
    claimed.add(b"y")
    assert open_links.draw_open(rng, 3, worth) is None
    open_links.add([lead(b"z", b"p")])
    assert open_links.draw_open(rng, 3, worth) == b"p"
