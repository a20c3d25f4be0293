"""Links by row number, in memory and on disk."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.model import Lead
from evocrawl.frontier import CandidatesByRow

STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "forget", "get"]), st.integers(0, 9)), max_size=60
)


def lead(number: int, payload: object) -> Lead:
    """Return a link; one in three has a payload, another one a fingerprint of unusual length."""
    key = b"%012d" % number if number % 3 != 1 else b"%d" % number
    return Lead(f"http://a.test/{number}", key, "a.test", b"", 1, 0.5, "", payload, number)


@given(STEPS, st.sampled_from([1, 2, 5, 100]))
def test_links_are_found_by_their_numbers(steps: list[tuple[str, int]], most: int) -> None:
    """The latest link of a number is found, with its payload; a removed link is not."""
    leads, model = CandidatesByRow(most), dict[int, Lead]()
    for action, number in steps:
        if action == "put":
            some = {each: lead(each, object() if each % 3 == 0 else None) for each in {number, 3}}
            assert leads.put(some) == [each for each in some if each not in model]
            model |= some
        elif action == "forget":
            leads.forget(number)
            model.pop(number, None)
        found, expected = leads.get(number), model.get(number)
        assert found == expected
        assert found is None or found.payload is model[number].payload
        targets = [model[each].fingerprint if each in model else None for each in range(11)]
        assert leads.targets(range(11)) == targets
        assert [each for each in range(11) if each in leads] == sorted(model)
    assert len(leads._near) <= most
    assert set(leads._file._kept.values()) <= {each for each in model.values() if each.payload}
