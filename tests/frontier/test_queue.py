"""The best-first queue: order, claims, busy hosts, and its cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.model import Lead
from evocrawl.core.numbering import Numbering
from evocrawl.frontier import CandidatesByRow, Frontier

HOSTS = ["a.test", "b.test", "c.test"]
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("push"), st.integers(0, 11), st.integers(0, 4)),
        st.tuples(st.sampled_from(["busy", "free"]), st.integers(0, 2), st.just(0)),
        st.tuples(st.just("claim"), st.integers(0, 11), st.just(0)),
        st.tuples(st.sampled_from(["peek", "take"]), st.just(0), st.just(0)),
    ),
    max_size=80,
)
MOST = st.sampled_from([1, 2, 5, 1000])
"""Number of links in memory: few, some, all."""
EVERYTHING = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["push", "rerank"]), st.integers(0, 40), st.integers(0, 5)),
        st.tuples(st.sampled_from(["claim", "release"]), st.integers(0, 40), st.just(0)),
        st.tuples(st.sampled_from(["busy", "free"]), st.integers(0, 2), st.just(0)),
        st.tuples(st.sampled_from(["peek", "take"]), st.just(0), st.just(0)),
    ),
    max_size=150,
)


def lead(number: int) -> Lead:
    """Return a link to target `number`, on one of three hosts."""
    host = HOSTS[number % 3]
    return Lead(f"http://{host}/{number}", b"%012d" % number, host, b"", 0, 0.0)


@given(ACTIONS, MOST)
def test_the_best_open_link_of_a_free_host_comes_first(
    actions: list[tuple[str, int, int]], most: int
) -> None:
    """B046, B052: as in a list that is searched completely; ties go to the link found first."""
    claimed, busy = set[bytes](), set[str]()
    frontier = Frontier(claimed.__contains__, most)
    waiting: dict[bytes, tuple[int, int, Lead]] = {}
    for step, (action, number, priority) in enumerate(actions):
        link = lead(number)
        match action:
            case "push":
                frontier.push(link, priority)
                known = waiting.get(link.fingerprint)
                if link.fingerprint not in claimed and (known is None or -known[0] < priority):
                    waiting[link.fingerprint] = (-priority, step, link)
            case "claim":
                claimed.add(link.fingerprint)
            case "busy":
                busy.add(HOSTS[number])
            case "free":
                busy.discard(HOSTS[number])
                frontier.free(HOSTS[number])
            case _:
                best = frontier.peek(lambda host: host not in busy)
                open_ = [each for key, each in waiting.items() if key not in claimed]
                free = [each for each in open_ if each[2].host not in busy]
                assert best == (min(free)[2] if free else None)
                assert frontier.has_parked or best is not None or not open_
                if best is not None and action == "take":
                    claimed.add(best.fingerprint)


def test_a_link_that_is_found_again_gets_its_better_priority() -> None:
    """It is returned once."""
    claimed = set[bytes]()
    frontier = Frontier(claimed.__contains__)
    for number, priority in [(0, 0.1), (3, 0.5), (0, 0.9), (0, 0.2)]:
        frontier.push(lead(number), priority)
    assert len(frontier) == 2
    order = []
    while (best := frontier.peek(lambda _: True)) is not None:
        order.append(best.url)
        claimed.add(best.fingerprint)
    assert order == ["http://a.test/0", "http://a.test/3"]


def test_a_peeked_link_stays_until_it_is_claimed() -> None:
    """So a choice without a visit loses no link."""
    frontier = Frontier(lambda _: False)
    frontier.push(lead(1), 0.5)
    assert frontier.peek(lambda _: True) == frontier.peek(lambda _: True) == lead(1)


def test_a_busy_host_is_not_checked_again_before_it_is_free() -> None:
    """So a choice does not check a thousand busy hosts."""
    frontier, asked = Frontier(lambda _: False), list[str]()
    for number in range(30):
        frontier.push(lead(number), number)

    def is_free(host: str) -> bool:
        asked.append(host)
        return False

    assert frontier.peek(is_free) is None
    assert frontier.peek(is_free) is None
    assert sorted(asked) == HOSTS
    frontier.free("b.test")
    assert frontier.peek(lambda host: host == "b.test") == lead(28)


def work(count: int) -> int:
    """Count the look-ups of claims while better and better links are added and claimed."""
    claimed, lookups = set[bytes](), 0

    def is_claimed(target: bytes) -> bool:
        nonlocal lookups
        lookups += 1
        return target in claimed

    frontier = Frontier(is_claimed)
    for number in range(count):
        frontier.push(lead(3 * number), number)
    while (best := frontier.peek(lambda _: True)) is not None:
        claimed.add(best.fingerprint)
    assert len(claimed) == count
    return lookups


def test_the_work_for_a_link_does_not_grow_with_the_links() -> None:
    """Twice the links, about twice the look-ups."""
    assert work(2000) < 2.5 * work(1000)


def test_a_waiting_link_moves_with_its_rank() -> None:
    """It moves up or down; a link that does not wait is not added."""
    claimed = set[bytes]()
    frontier = Frontier(claimed.__contains__)
    for number, priority in enumerate((0.9, 0.5, 0.1, 0.7)):
        frontier.push(lead(3 * number), priority)
    frontier.rerank(lead(0), 0.3)
    frontier.rerank(lead(6), 0.6)
    frontier.rerank(lead(30), 1.0)
    order = []
    while (best := frontier.peek(lambda _: True)) is not None:
        order.append(int(best.url.rsplit("/", 1)[1]))
        claimed.add(best.fingerprint)
    assert order == [9, 6, 3, 0]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.floats(-5, 5)), min_size=1, max_size=60),
    st.sampled_from([1, 5, 60]),
)
def test_links_that_are_placed_together_come_by_their_latest_priority(
    placed: list[tuple[int, float]], most: int
) -> None:
    """Waiting links and new ones, on several hosts, in memory and on disk."""
    claimed, held = set[bytes](), CandidatesByRow(most)
    rows = {lead(number).fingerprint: number for number in range(31)}
    row_of = Numbering(rows.get, held, lambda link: rows.get(link.fingerprint))
    frontier = Frontier(claimed.__contains__, most, row_of=row_of)
    for start in range(0, len(placed), 7):
        part = dict(placed[start : start + 7])
        held.put({number: lead(number) for number in part})
        frontier.place(np.array([*part]), np.array([*part.values()]))
    order = []
    while (best := frontier.peek(lambda _: True)) is not None:
        order.append(best.url)
        claimed.add(best.fingerprint)
    last = {lead(number).url: priority for number, priority in placed}
    assert len(order) == len(last)
    assert [last[url] for url in order] == sorted(last.values(), reverse=True)


@given(EVERYTHING, st.sampled_from([1, 2, 5, 13]))
def test_the_order_does_not_depend_on_the_links_in_memory(
    actions: list[tuple[str, int, int]], most: int
) -> None:
    """This holds for any sequence of pushes, new ranks, claims, releases and busy hosts."""
    claimed, busy = set[bytes](), set[str]()
    small, large = (Frontier(claimed.__contains__, each) for each in (most, 10_000))
    for action, number, priority in actions:
        link = lead(number)
        match action:
            case "busy":
                busy.add(link.host)
            case "claim":
                claimed.add(link.fingerprint)
            case "release":
                claimed.discard(link.fingerprint)
        for frontier in (small, large):
            match action:
                case "push":
                    frontier.push(link, priority)
                case "rerank":
                    frontier.rerank(link, priority)
                case "free":
                    frontier.free(link.host)
        if action == "free":
            busy.discard(link.host)
        if action in ("peek", "take"):
            best = small.peek(lambda host: host not in busy)
            assert best == large.peek(lambda host: host not in busy)
            if best is not None and action == "take":
                claimed.add(best.fingerprint)
        assert small.has_parked == large.has_parked
        assert len(small) == len(large)


@pytest.mark.parametrize("hosts", [1, 7, 3000])
def test_thousands_of_links_come_in_order_with_fifty_in_memory(hosts: int) -> None:
    """B053, B054: links of one host, of some hosts, of thousands of hosts."""
    claimed, rng = set[bytes](), np.random.default_rng(hosts)
    frontier = Frontier(claimed.__contains__, 50)
    leads = [
        Lead(f"http://h{n % hosts}.test/{n}", b"%012d" % n, f"h{n % hosts}.test", b"", n, 0.0)
        for n in range(5000)
    ]
    priorities = rng.integers(40, size=len(leads)).tolist()
    for each, priority in zip(leads, priorities, strict=True):
        frontier.push(each, priority)
    order = []
    while (best := frontier.peek(lambda _: True)) is not None:
        order.append(best.depth)
        claimed.add(best.fingerprint)
    assert order == sorted(range(5000), key=lambda n: (-priorities[n], n))


def reads_of_choices(hosts: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the links that a hundred choices read from disk, of 6000 waiting links."""
    claimed, rng, reads = set[bytes](), np.random.default_rng(0), 0
    frontier = Frontier(claimed.__contains__, 64)
    for number, priority in enumerate(rng.random(6000).tolist()):
        host = f"h{number * hosts // 6000}.test"
        link = Lead(f"http://{host}/{number}", b"%012d" % number, host, b"", 0, 0.0)
        frontier.push(link, priority)
    take = frontier._disk._file.take

    def counted(address: int) -> tuple[Lead, int]:
        nonlocal reads
        reads += 1
        return take(address)

    monkeypatch.setattr(frontier._disk._file, "take", counted)
    for _ in range(100):
        best = frontier.peek(lambda _: True)
        assert best is not None
        claimed.add(best.fingerprint)
    return reads


def test_few_links_are_read_from_disk_before_they_are_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of each host the best four are read at once; of a single host more at once."""
    assert reads_of_choices(100, monkeypatch) < 200
    assert reads_of_choices(1, monkeypatch) < 120


def test_a_link_that_cannot_be_packed_stays_in_memory() -> None:
    """The payload of a user's spider is returned as the same object."""
    payload = object()
    claimed = set[bytes]()
    frontier = Frontier(claimed.__contains__, 1)
    for number in range(20):
        frontier.push(replace(lead(number), payload=payload, features=[number]), number)
    for number in reversed(range(20)):
        best = frontier.peek(lambda _: True)
        assert best is not None
        assert (best.url, best.payload, best.features) == (lead(number).url, payload, [number])
        claimed.add(best.fingerprint)
