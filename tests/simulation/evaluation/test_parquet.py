"""The table as Parquet has the values of the JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from result_rows import row

from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.evaluation.results import ResultTable

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers() | FLOATS | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def read(rows: list[Row]) -> Any:
    from evocrawl.simulation.evaluation.parquet import parquet

    return pq.read_table(pa.BufferReader(parquet(rows)))


def test_runs_parquet_has_the_values_of_results_json(tmp_path: Path) -> None:
    """Curves included; a field that only one run has is null in the other."""
    table = ResultTable(tmp_path)
    table.append(row(settings={"gain": "4"}, news=[[3.0, 2, 1, 1, None, 0.5]], cpu_seconds=2))
    table.append(row(seed=1, topic=None, recall=None, seeds=["http://a.test/"], cpu_seconds=0.5))
    table.write_results()
    kept = pq.read_table(tmp_path / "runs.parquet").to_pylist()
    expected = [json.loads(line) for line in table.path.read_text().splitlines()]
    for columns, one in zip(kept, expected, strict=True):
        settings = one.pop("settings", None)
        assert (columns.pop("settings") or "null") == json.dumps(settings)
        assert {name: value for name, value in columns.items() if value is not None} == {
            name: value for name, value in one.items() if value is not None
        }


def test_columns_have_the_type_of_their_values() -> None:
    """Counts stay whole, shares and mixed numbers are floats, curves are lists."""
    schema = read([row(cpu_seconds=1), row(cpu_seconds=0.5)]).schema
    types = {field.name: str(field.type) for field in schema}
    assert (types["requests"], types["recall"], types["topic"]) == ("int64", "double", "string")
    assert (types["cpu_seconds"], types["seed"]) == ("double", "int64")
    assert types["hits"].startswith("list<")
    assert types["life"].count("list<") == 2


@given(st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), min_size=1, max_size=4))
@example([{"a": [2**53 + 1, 0.0]}])
@example([{"a": 2**53}, {"a": 0.5}])
def test_any_row_of_json_is_written_unchanged(rows: list[Row]) -> None:
    """Values without a common type become JSON text."""
    names = {name for each in rows for name in each}
    kept = read(rows)
    assert set(kept.column_names) == names
    for name in names:
        values = [each.get(name) for each in rows]
        columns = kept[name].to_pylist()
        is_text = columns != values
        if is_text:
            columns = [None if text is None else json.loads(text) for text in columns]
        assert columns == values


def test_without_pyarrow_the_results_are_written_and_no_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of other runs would be mistaken for the table."""
    table = ResultTable(tmp_path)
    table.append(row())
    table.write_results()
    monkeypatch.setitem(sys.modules, "evocrawl.simulation.evaluation.parquet", None)
    table.write_results()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["results.json", "runs.jsonl"]
