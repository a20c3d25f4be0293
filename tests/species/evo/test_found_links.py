"""Links of enormous pages: a look scores some of them, and none is lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from crawled import order, to
from hypothesis import example, given
from hypothesis import strategies as st
from rankings import ranking_of

from evocrawl.core.model import Lead
from evocrawl.species.agent import Agent
from evocrawl.species.base import ANY_HOST

HOSTS = ("a.test", "b.test", "c.test")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("find"), st.sets(st.integers(0, 39), min_size=1, max_size=30)),
        st.tuples(st.sampled_from(["busy", "free"]), st.sets(st.sampled_from(HOSTS), min_size=1)),
        st.tuples(st.sampled_from(["claim", "release"]), st.sets(st.integers(0, 39))),
        st.tuples(st.sampled_from(["learn", "take"]), st.just(frozenset[int]())),
    ),
    max_size=40,
)


class Scored:
    """A model that scores each target by its row, from below 0 to above; `asked` are the rows."""

    def __init__(self) -> None:
        self.version = 0
        self.followed = 100
        self.asked: list[int] = []

    def features(self, rows: np.ndarray) -> np.ndarray:
        self.asked += rows.tolist()
        return np.asarray(rows, float)[:, None] - 20

    def scores(self, features: np.ndarray) -> np.ndarray:
        return features[:, 0]


class Claims:
    """A page base of claims alone."""

    def __init__(self) -> None:
        self.claimed: set[bytes] = set()
        self.releases = 0

    def are_claimed(self, targets: Sequence[bytes]) -> list[bool]:
        return [target in self.claimed for target in targets]


class Looks:
    """A ranking with its model and claims."""

    def __init__(self) -> None:
        self.model, self.claims = Scored(), Claims()
        is_claimed = self.claims.claimed.__contains__
        self.ranking = ranking_of(is_claimed, self.model, self.claims, most=10, most_leads=5)

    def best(self, busy: Sequence[str] | set[str] = ()) -> list[object]:
        """Return the rows that the next look shows, with the model as it is after a visit."""
        self.model.version += 1
        self.model.asked.clear()
        return [each.features for each in self.ranking.best(lambda host: host not in busy)]


def lead(row: int, host: str = "a.test") -> Lead:
    return Lead(f"http://{host}/{row}", b"%012d" % row, host, b"", 1, 0.0, features=row)


def test_each_look_scores_a_bounded_number_of_the_links_of_an_enormous_page() -> None:
    """All have been scored after as many looks as it takes."""
    looks, scored = Looks(), set[int]()
    looks.ranking.found([lead(row) for row in range(10_000)])
    for _ in range(10):
        looks.best()
        assert len(looks.model.asked) <= 1024 + 48 + 32 + 1
        scored.update(looks.model.asked)
    assert len(scored) == 10_000
    assert looks.best()[:2] == [9999, 9998]


def test_a_page_of_usual_size_does_not_wait_for_an_enormous_one() -> None:
    """Its links are in sight at the next look."""
    looks = Looks()
    looks.ranking.found([lead(row) for row in range(10_000)])
    looks.ranking.found([lead(row) for row in range(20_000, 20_100)])
    assert looks.best()[:48] == [*range(20_099, 20_051, -1)]


def test_hosts_with_few_waiting_links_do_not_wait_for_a_trap() -> None:
    """Of two enormous pages, the links to other hosts come first."""
    looks = Looks()
    looks.ranking.found([lead(row, "trap.test") for row in range(5000, 10_000)])
    looks.ranking.found([lead(row, f"h{row}.test") for row in range(2000)])
    scored = set[int]()
    for _ in range(2):
        looks.best()
        scored.update(looks.model.asked)
    assert scored >= {*range(2000)}


def test_links_that_wait_are_seen_when_all_other_hosts_are_busy() -> None:
    """A host that stays closed does not hide the links of others behind it."""
    looks = Looks()
    looks.ranking.found([lead(row, "b.test" if row < 3000 else "c.test") for row in range(7000)])
    assert looks.best({"b.test"})[0] in range(3000, 7000)
    looks.ranking.freed("b.test")
    assert looks.best({"c.test"})[0] in range(3000)
    agent = Agent(0, 1.0, b"", np.random.default_rng(0))
    view = looks.ranking.look(agent, lambda _: False)
    assert (view.leads, view.busy) == ((), {ANY_HOST})
    looks.ranking.freed("c.test")
    assert looks.best({"b.test"})[0] in range(3000, 7000)


def test_every_link_of_an_enormous_page_is_followed() -> None:
    """Also those that wait when all others were followed."""
    names = [f"p{number}" for number in range(1500)]
    web = {"seed": (0.5, [*map(to, names)]), **dict.fromkeys(names, (0.5, []))}
    visited = order("evo", web, most=2000)
    assert sorted(visited) == sorted(["seed", *names])


@given(STEPS, st.sampled_from([1, 3, 10]), st.sampled_from([100, 5000]))
@example(
    steps=[
        ("find", {0, 1, 29}),
        ("busy", {"a.test", "b.test"}),
        ("take", set[int]()),
        ("find", {0, 2}),
    ],
    at_once=1,
    followed=100,
)
def test_a_look_shows_nothing_only_if_no_free_host_has_an_open_link(
    steps: list[tuple[str, set[int] | set[str]]], at_once: int, followed: int
) -> None:
    """For any pages, claims, releases and busy hosts, early and late; a waiting agent knows it."""
    looks, found, busy = Looks(), set[int](), set[str]()
    looks.model.followed = followed
    looks.ranking._new.at_once = at_once
    claimed = looks.claims.claimed
    host_of = lambda row: HOSTS[row % 3]  # noqa: E731
    for action, what in steps:
        rows = sorted(each for each in what if isinstance(each, int))
        match action:
            case "find":
                looks.ranking.found([lead(row, host_of(row)) for row in rows])
                found.update(rows)
            case "claim":
                claimed.update(b"%012d" % row for row in rows)
            case "release":
                again = [row for row in rows if b"%012d" % row in claimed]
                claimed.difference_update(b"%012d" % row for row in again)
                looks.claims.releases += 1
                for row in again:
                    looks.ranking.found([lead(row, host_of(row))])
                    found.add(row)
            case "busy":
                busy.update(each for each in what if isinstance(each, str))
            case "free":
                for host in sorted(each for each in what if isinstance(each, str)):
                    busy.discard(host)
                    looks.ranking.freed(host)
        looks.model.version += action == "learn"
        open_rows = {row for row in found if b"%012d" % row not in claimed}
        free = {row for row in open_rows if host_of(row) not in busy}
        shown = looks.ranking.best(lambda host: host not in busy)
        assert {each.features for each in shown} <= open_rows
        assert bool(shown) == bool(free)
        if not shown and open_rows:
            assert looks.ranking._queue.has_parked
        if shown and action == "take":
            claimed.add(shown[0].fingerprint)
