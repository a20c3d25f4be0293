"""Links that are held back, in memory and on disk."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.model import Lead
from evocrawl.pens import Held, Pens
from evocrawl.spill import Spill


class Kind:
    """Stands for a species, of which only the identity matters; all are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind)

    __hash__ = object.__hash__


KINDS = cast("list[Any]", [Kind(), Kind()])


def held(number: int, kind: int = 0, payload: object = None) -> Held:
    url = f"http://a.test/{number}"
    lead = Lead(url, number.to_bytes(12), "a.test", b"", 1, 0.5, "words", payload, number)
    return Held(lead, KINDS[kind])


def same(one: list[Held], other: list[Held]) -> bool:
    return [each.lead for each in one] == [each.lead for each in other] and all(
        a.species is b.species
        and a.lead.payload is b.lead.payload
        and a.lead.features == b.lead.features
        for a, b in zip(one, other, strict=True)
    )


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(0, 1), st.booleans(), st.integers(0, 3)),
        max_size=40,
    ),
    st.integers(0, 4),
)
def test_queues_are_first_in_first_out_wherever_links_are(
    steps: list[tuple[str, int, bool, int]], most: int
) -> None:
    """What comes out does not depend on how many are in memory."""
    pens, queues = Pens(most), dict[str, list[Held]]()
    for number, (name, kind, has_payload, taken) in enumerate(steps):
        link = held(number, kind, object() if has_payload else None)
        pens.put(name, link)
        queues.setdefault(name, []).append(link)
        for _ in range(taken > 1):
            oldest = pens.oldest
            assert oldest == next(iter(queues))
            assert same(pens.take(oldest, taken), queues[oldest][:taken])
            del queues[oldest][:taken]
            queues = {key: left for key, left in queues.items() if left}
        assert len(pens) == sum(map(len, queues.values()))
        assert [name in pens for name in "ab"] == [name in queues for name in "ab"]


def test_beyond_the_bound_links_are_on_disk() -> None:
    """A small crawl writes nothing; memory does not grow with what is held back."""
    spill = Spill()
    pens = Pens(2, spill)
    for number in range(2):
        pens.put("x", held(number))
    assert len(spill) == 0
    for number in range(2, 5):
        pens.put("x", held(number))
    written = len(spill)
    assert written > 0
    pens.take("x", 1)
    pens.put("x", held(5))
    assert len(spill) == written
    pens.put("x", held(6))
    assert len(spill) > written
