"""Links that are held back, in memory and on disk."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Lead
from evocrawl.population.traps.held_links import HeldLink, HeldLinks


class Kind:
    """A substitute for a species; only its identity matters, and all are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind)

    __hash__ = object.__hash__


KINDS = cast("list[Any]", [Kind(), Kind()])


def held(number: int, kind: int = 0, payload: object = None, score: float = 0.5) -> HeldLink:
    url = f"http://a.test/{number}"
    lead = Lead(url, number.to_bytes(12), "a.test", b"", 1, score, "words", payload, number)
    return HeldLink(lead, KINDS[kind])


def same(one: list[HeldLink], other: list[HeldLink]) -> bool:
    return [each.lead for each in one] == [each.lead for each in other] and all(
        a.species is b.species
        and a.lead.payload is b.lead.payload
        and a.lead.features == b.lead.features
        for a, b in zip(one, other, strict=True)
    )


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"), st.integers(0, 1), st.booleans(), st.integers(0, 3),
            st.integers(0, 4),
        ),
        max_size=60,
    ),
    st.integers(0, 4),
    st.integers(2, 9),
)  # fmt: skip
def test_the_best_of_a_queue_comes_first_from_memory_or_disk(
    steps: list[tuple[str, int, bool, int, int]], most: int, long: int
) -> None:
    """The order does not depend on the number in memory, nor on the length of a queue."""
    links, queues = HeldLinks(most, longest=long), dict[str, list[HeldLink]]()
    for number, (name, kind, has_payload, taken, score) in enumerate(steps):
        link = held(number, kind, object() if has_payload else None, float(score))
        links.put(name, link)
        queue = queues.setdefault(name, [])
        queue.append(link)
        queue.sort(
            key=lambda each: -each.lead.score
        )  # stable: the first of equal links stays first
        if taken > 1:
            assert same(links.take(name, taken), queue[:taken])
            del queue[:taken]
            queues = {key: left for key, left in queues.items() if left}
        assert len(links) == sum(map(len, queues.values()))
        assert [name in links for name in "ab"] == [name in queues for name in "ab"]


def best(links: HeldLinks, worth: dict[str, float], opens: dict[str, int], now: int) -> str | None:
    return links.best(worth.__getitem__, lambda name: opens.get(name, 0), now)


def test_the_queue_with_the_greatest_promise_is_the_best() -> None:
    """Equal queues take turns; a shut queue is skipped until it opens."""
    links, worth = HeldLinks(), {"x": 0.1, "y": 0.3, "z": 0.3}
    for number, name in enumerate("xyzxyz"):
        links.put(name, held(number))
    order = []
    for _ in range(6):
        name = best(links, worth, {}, 0)
        assert name is not None
        order.append(name)
        links.take(name, 1)
    assert order == [*"yzyz", *"xx"]
    assert best(links, worth, {}, 0) is None
    links.put("y", held(7))
    links.put("x", held(8))
    assert best(links, worth, {"y": 5}, 4) == "x"
    assert best(links, worth, {"y": 5}, 5) == "y"


def test_a_shut_queue_is_checked_again_at_its_time() -> None:
    """It may open earlier than expected."""
    links = HeldLinks()
    links.put("x", held(1))
    assert best(links, {"x": 1.0}, {"x": 9}, 1) is None
    assert best(links, {"x": 1.0}, {}, 1) is None
    links.reopen("x")
    assert best(links, {"x": 1.0}, {}, 1) == "x"
    assert best(links, {"x": 1.0}, {"x": 9}, 1) is None
    links.reopen_all()
    assert best(links, {"x": 1.0}, {}, 1) == "x"


def test_a_queue_that_is_emptied_and_filled_again_is_listed_once() -> None:
    """Memory does not grow with the number of times."""
    links = HeldLinks()
    for number in range(300):
        links.put("x", held(number))
        assert best(links, {"x": 1.0}, {"x": number % 3}, 1) == ("x" if number % 3 < 2 else None)
        links.take("x", 1)
    assert len(links._next) + len(links._shut) < 100


def test_beyond_the_bound_links_are_on_disk() -> None:
    """A small crawl writes nothing; memory does not grow with the held-back links."""
    spill = SpillFile()
    links = HeldLinks(2, spill)
    for number in range(2):
        links.put("x", held(number))
    assert len(spill) == 0
    for number in range(2, 5):
        links.put("x", held(number))
    written = len(spill)
    assert written > 0
    links.take("x", 1)
    links.put("x", held(5))
    assert len(spill) == written
    links.put("x", held(6))
    assert len(spill) > written
