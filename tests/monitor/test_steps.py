"""Long views are made in steps, and come to the same as at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.monitor import views
from evocrawl.monitor.record import AgentRecord, Record
from evocrawl.monitor.steps import in_order, whole


@given(st.lists(st.tuples(st.integers(0, 3), st.integers()), max_size=40), st.integers(0, 50))
def test_rows_in_order_are_those_of_a_sort(rows: list[tuple[int, int]], most: int) -> None:
    many = rows * 100  # more than a run
    assert whole(in_order(many, lambda row: row, most)) == sorted(many)[:most]


class Agents(Record):
    """A record of agents alone."""

    def point(self) -> None:  # type: ignore[override]
        raise NotImplementedError


@given(st.data())
def test_a_line_has_the_relevant_pages_of_all_descendants(data: st.DataObject) -> None:
    record = Agents()
    for number in range(1, data.draw(st.integers(1, 30)) + 1):
        parent = data.draw(st.none() | st.integers(1, number - 1)) if number > 1 else None
        one = AgentRecord(number, parent, "evo", 0, 1.0, relevant=data.draw(st.integers(0, 3)))
        record.agents[number] = one
        if parent is not None:
            record.agents[parent].children.append(number)
    found = whole(views.lineages(record))
    assert found == {
        number: sum(record.agents[each].relevant for each in views.line_of(record.agents, number))
        for number in record.agents
    }
