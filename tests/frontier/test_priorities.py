"""Stores the priorities of links by the rows of their targets."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.model import Lead
from evocrawl.core.numbering import Numbering
from evocrawl.frontier import CandidatesByRow, Frontier
from evocrawl.frontier.priorities import FORM, PrioritiesByRow

KEYS = [b"%012d" % number for number in range(8)]
ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put each", "discard", "number"]),
        st.sampled_from(KEYS),
        st.floats(allow_nan=False) | st.sampled_from([0.0, -inf, inf]),
        st.integers(0, 2**32 - 1),
    ),
    max_size=60,
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["number", "push", "rerank", "place", "claim", "release", "busy", "free", "take"]
        ),
        st.integers(0, 30),
        st.integers(0, 5),
    ),
    max_size=150,
)


class Numbers:
    """Numbers targets in the order in which they are met."""

    def __init__(self) -> None:
        self.rows: dict[bytes, int] = {}

    def note(self, key: bytes) -> None:
        self.rows.setdefault(key, len(self.rows))

    def get(self, number: int) -> Lead | None:  # noqa: ARG002 - protocol
        raise AssertionError("priorities need no links")

    def targets(self, numbers: Sequence[int]) -> list[bytes | None]:
        keys = [*self.rows]
        return [keys[number] for number in numbers]


def place_alone(frontier: Frontier, link: Lead, priority: int) -> None:
    """Place a link as `place` does: it comes after others, also with the priority that it had."""
    frontier.push(link, inf)
    frontier.rerank(link, priority)


@given(ACTIONS)
def test_priorities_by_row_are_those_of_a_dict(
    actions: list[tuple[str, bytes, float, int]],
) -> None:
    """A target may get its row before it is put, while it is stored, or after its removal."""
    numbers, model = Numbers(), dict[bytes, tuple[float, int]]()
    of_lead = lambda lead: numbers.rows.get(lead.fingerprint)  # noqa: E731
    priorities = PrioritiesByRow(Numbering(numbers.rows.get, numbers, of_lead))
    for action, key, priority, number in actions:
        match action:
            case "put":
                priorities.put(key, priority, number)
                model[key] = (priority, number)
            case "put each":
                few = [each for each in numbers.rows if each >= key]
                rows = np.array([numbers.rows[each] for each in few], np.intp)
                waited = priorities.put_each(rows, np.full(len(few), priority), rows * 0 + number)
                assert waited == len(model.keys() & few)
                model.update(dict.fromkeys(few, (priority, number)))
            case "discard":
                latest = [model.get(each, (0.0, -1))[1] for each in KEYS]
                leads = [Lead("", each, "", b"", 0, 0.0) for each in KEYS]
                assert priorities.latest(leads) == latest
                priorities.discard(key)
                model.pop(key, None)
            case _:
                numbers.note(key)
        assert len(priorities) == len(model)
        assert [priorities.get(each) for each in KEYS] == [model.get(each) for each in KEYS]


def test_targets_that_were_numbered_take_twelve_bytes() -> None:
    """Their keys take no memory; a sixteenth more is reserved for new rows."""
    rows = {b"%012d" % number: number for number in range(20_000)}
    priorities, packed = PrioritiesByRow(rows.get), KeyMap(FORM, 0)
    for number, key in enumerate(rows):
        priorities.put(key, 0.5, number)
        packed.put(key, 0.5, number)
    columns = priorities._priorities.__sizeof__() + priorities._numbers.__sizeof__()
    assert columns < 13 * len(rows)
    assert not priorities._others
    assert columns < sum(each.__sizeof__() for each in packed._buckets) / 2


@given(STEPS, st.sampled_from([1, 2, 5, 1000]))
def test_the_order_of_links_does_not_depend_on_the_index_of_priorities(
    steps: list[tuple[str, int, int]], most: int
) -> None:
    """A frontier has the same order if its targets have rows at once, late or never.

    So it is with busy hosts.
    """
    claimed, busy, numbers = set[bytes](), set[str](), Numbers()
    is_free = lambda host: host not in busy  # noqa: E731
    alone = Frontier(claimed.__contains__, most)
    held = CandidatesByRow(2)
    of_lead = lambda lead: numbers.rows.get(lead.fingerprint)  # noqa: E731
    numbering = Numbering(numbers.rows.get, held, of_lead)
    by_row = Frontier(claimed.__contains__, most, row_of=numbering)
    for action, number, priority in steps:
        key = b"%012d" % number
        host = f"h{number % 3}.test"
        link = Lead(f"http://{host}/{number}", key, host, b"", 0, 0.0)
        if key in numbers.rows:
            held.put({numbers.rows[key]: link})
        match action:
            case "number":
                numbers.note(key)
                held.put({numbers.rows[key]: link})
            case "claim":
                claimed.add(key)
            case "release":
                claimed.discard(key)
            case "push":
                alone.push(link, priority)
                by_row.push(link, priority)
            case "rerank":
                alone.rerank(link, priority)
                by_row.rerank(link, priority)
            case "place":
                numbers.note(key)
                held.put({numbers.rows[key]: link})
                if key not in claimed:
                    place_alone(alone, link, priority)
                    row = numbers.rows[key]
                    at_hand = {row: link} if priority % 2 else {}
                    by_row.place(np.array([row]), np.array([float(priority)]), at_hand)
            case "busy":
                busy.add(host)
            case "free":
                busy.discard(host)
                alone.free(host)
                by_row.free(host)
            case _:
                best = alone.peek(is_free)
                assert by_row.peek(is_free) == best
                if best is not None:
                    claimed.add(best.fingerprint)
        assert len(alone) == len(by_row)
        assert alone.is_parked(host) == by_row.is_parked(host)


def test_an_entry_is_known_by_the_end_of_its_number() -> None:
    """This holds after four thousand million other entries, too."""
    frontier = Frontier(lambda _: False, 2)
    frontier._latest._made = 2**32 - 3
    for number in range(6):
        frontier.push(Lead(f"http://a.test/{number}", KEYS[number], "a.test", b"", 0, 0.0), 0.5)
    frontier.rerank(Lead("http://a.test/0", KEYS[0], "a.test", b"", 0, 0.0), 0.25)
    came = list[bytes]()
    claimed = set[bytes]()
    frontier._is_claimed = claimed.__contains__
    while (best := frontier.peek(lambda _: True)) is not None:
        came.append(best.fingerprint)
        claimed.add(best.fingerprint)
    assert came == [*KEYS[1:6], KEYS[0]]
