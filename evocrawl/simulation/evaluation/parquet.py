"""Writes the table of results as Parquet, for data frames: one row for each run.

Values are as in the JSON file. Scalars are flat columns (int64 if all are whole numbers), lists
(curves, seeds) are list columns; objects (settings) and values without a common type are JSON text.
Needs the extra "parquet" (pyarrow), which only this module imports.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evocrawl.simulation.evaluation.measures import Row

_INT64 = 2**63
_EXACT = 2**53
"""Whole numbers up to this one are the same as floats (IEEE 754 binary64)."""


def parquet(rows: Sequence[Row]) -> bytes:
    """Return a Parquet file of `rows`; a field that a row does not have is null."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: _column([row.get(name) for row in rows]) for name in names}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return bytes(sink.getvalue())


def _column(values: list[Any]) -> Any:
    kind = _type_of(values)
    if kind is None:
        texts = [None if value is None else _json(value) for value in values]
        return pa.array(texts, pa.string())
    return pa.array(values, kind)


def _type_of(values: Iterable[Any]) -> Any:
    """Return the type that holds all values unchanged; None if there is no such type."""
    there = [value for value in values if value is not None]
    kinds = {type(value) for value in there}
    if kinds == {list}:
        inner = _type_of(value for each in there for value in each)
        return None if inner is None else pa.list_(inner)
    limit = _EXACT + 1 if float in kinds else _INT64
    if int in kinds and any(abs(value) >= limit for value in there if isinstance(value, int)):
        return None
    known = {
        frozenset[type](): pa.null(),
        frozenset({bool}): pa.bool_(),
        frozenset({int}): pa.int64(),
        frozenset({float}): pa.float64(),
        frozenset({int, float}): pa.float64(),
        frozenset({str}): pa.string(),
    }
    return known.get(frozenset(kinds))


def _json(value: Mapping[str, Any] | Sequence[Any] | str | float) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)
